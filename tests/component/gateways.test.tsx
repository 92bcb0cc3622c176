import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import {
  gatewayCard,
  gatewayServer,
  instanceCard,
  KEY,
  oneInstance,
  openScreen,
  PHONE,
  PHONE_SHOWN,
  question,
  register,
  WHERE,
} from "./support/gateways.ts";
import { gateway, instance } from "./support/rows.ts";
import { button, dialog, pick, press, shows } from "./support/screen.ts";

const notFetched = page.getByRole("alert").filter({ hasText: "Erro ao buscar instâncias." });

async function choose(item: string) {
  await press(`Ações de ${WHERE}`);
  await pick(item);
}

async function refuseForm() {
  await press("Cadastrar evolution");
  const form = dialog("Cadastrar evolution");
  await button("Cadastrar", form).click();
  await expect.element(form.getByText("Informe a URL do servidor.")).toBeVisible();
  await expect.element(form.getByText("Informe a API Key do servidor.")).toBeVisible();
  await form.getByLabelText("URL").fill("http://10.0.0.7:8080");
  await form.getByLabelText("API Key", { exact: true }).fill("qualquer-chave-12345");
  await button("Cadastrar", form).click();
  await expect.element(form.getByText("Endereço interno não permitido pelo administrador.")).toBeVisible();
  await button("Cancelar", form).click();
}

test("a server is registered with a wrong key, mended, and deleted @spec 2.9,2.63,8.10 @decision 3,20", async () => {
  const { remote } = gatewayServer();
  await openScreen();
  await shows("Nenhuma evolution cadastrada.");
  await shows("Este produto usa a Evolution API.");
  await refuseForm();

  await register("a-key-that-is-not-the-one");
  await expect.element(gatewayCard.getByText("Recusada, final -one")).toBeVisible();
  await expect.element(gatewayCard.getByText("O servidor recusou a API Key.")).toBeVisible();
  await expect
    .element(notFetched)
    .toMatchTextContent(/Verifique se a URL e API Key estão corretas\..*O gateway recusou a chave de API\./);

  await choose("Editar");
  const editing = dialog(`Editar ${WHERE}`);
  await editing.getByLabelText("API Key", { exact: true }).fill(KEY);
  await button("Salvar", editing).click();
  await expect.element(editing).not.toBeInTheDocument();
  for (const words of ["Responde", "2.3.7", "Em ordem", "Chegam ao Recado", "Aceita, final eway"])
    await expect.element(gatewayCard.getByText(words, { exact: true })).toBeVisible();
  await expect.element(notFetched).not.toBeInTheDocument();

  remote.state = "license_required";
  await button("Testar", gatewayCard).click();
  await expect
    .element(gatewayCard.getByText("A licença deste servidor ainda não foi ativada."))
    .toBeVisible();
  await expect
    .element(gatewayCard.getByRole("link", { name: "Ativar a licença" }))
    .toHaveAttribute("href", "https://licenca.exemplo.com.br");
  remote.state = null;
  await button("Testar", gatewayCard).click();
  await expect.element(gatewayCard.getByText("Em ordem")).toBeVisible();

  await choose("Excluir");
  const asked = `Tem certeza que deseja excluir a evolution "${WHERE}"?`;
  await expect.element(question.getByRole("heading", { name: asked })).toBeVisible();
  await button("Excluir", question).click();
  await shows("Nenhuma evolution cadastrada.");
});

test("one of several servers is chosen; a card shows picture, name and number, or that there is none @spec 2.60,2.61,2.63", async () => {
  const [third, second, first] = ["Terceira", "Segunda", "Primeira"].map((name) => gateway({ name }));
  const ids = { first: first?.id ?? 0, second: second?.id ?? 0 };
  const gateways = [third, second, first].filter((each) => each !== undefined);
  const shown = { name: "ilustrada", profileName: "Loja ilustrada", number: PHONE, hasPicture: true };
  const none = { name: "sem-numero", profileName: null, number: null };
  gatewayServer({
    gateways,
    instances: {
      [ids.first]: [instance({ gatewayId: ids.first, ...shown })],
      [ids.second]: [instance({ gatewayId: ids.second, ...none })],
    },
  });
  // The picture's address answers nothing here, and the initial would take its place.
  const keepPicture = (event: Event) => event.stopImmediatePropagation();
  window.addEventListener("error", keepPicture, true);
  await openScreen();
  const servers = gatewayCard.getByRole("combobox");
  await servers.selectOptions("Primeira");
  const card = instanceCard("Loja ilustrada");
  await expect.element(card).toMatchTextContent(PHONE_SHOWN);
  await expect
    .poll(() => card.element().querySelector("img[data-ui~=picture]")?.getAttribute("src"))
    .toBe(`/api/gateways/${ids.first}/instances/ilustrada/picture`);
  window.removeEventListener("error", keepPicture, true);
  await servers.selectOptions("Segunda");
  await expect.element(card).not.toBeInTheDocument();
  await expect.element(instanceCard("sem-numero")).toMatchTextContent("Número não definido");
  await servers.selectOptions("Terceira");
  await shows("Nenhuma instância encontrada.");
});

test("the servers that cannot be fetched are said so, with a way on @spec 8.11", async () => {
  const server = fakeServer();
  // Once the stream is open the page refetches, and the error would go before the press.
  server.streams.lose();
  const lost = server.drop("GET /api/gateways");
  await openScreen();
  await expect.element(page.getByRole("alert")).toMatchTextContent("Erro ao buscar evolutions cadastradas.");
  lost.stop();
  await press("Tentar novamente");
  await shows("Nenhuma evolution cadastrada.");
});

const found = page.getByLabelText(`O que o teste de ${WHERE} encontrou`);

test("that campaigns stop with a server is said also where it does not answer any more", async () => {
  const { remote, line } = oneInstance("calada");
  line.campaigns = { sending: 0, paused: 1, scheduled: 0, names: ["Natal"] };
  remote.state = "unreachable";
  await openScreen();
  await expect.element(notFetched).toBeVisible();
  await button("Testar", gatewayCard).click();
  await expect.element(found).toMatchTextContent("Não responde");
  expect(found.element().querySelectorAll("[data-verdict=good]")).toHaveLength(0);
  await expect.element(found).not.toMatchTextContent("Chegam ao Recado");
  await choose("Excluir");
  await expect
    .element(question)
    .toMatchTextContent("As campanhas que enviam por este servidor são pausadas.");
});

test("26.25 L5 a card does not keep the error of before when its list meets another one", async () => {
  const { remote } = gatewayServer({ gateways: [gateway({ name: WHERE })] });
  remote.state = "license_required";
  await openScreen();
  await expect.element(found).toMatchTextContent("Não ativada");
  remote.state = "unreachable";
  await press("Atualizar");
  await expect.element(notFetched).toBeVisible();
  await expect.element(found).toMatchTextContent("Não responde");
  await expect.element(found).not.toMatchTextContent("Não ativada");
});

test("an administrator's task is not given to a user", async () => {
  const casa = gateway({ name: "Casa", provided: true, keyHint: null });
  const { remote } = gatewayServer({ gateways: [casa] });
  remote.keys.set(casa.id, "a-key-that-is-not-the-one");
  await openScreen();
  await button("Testar", gatewayCard).click();
  await expect.element(gatewayCard.getByText("O servidor recusou a API Key.")).toBeVisible();
  await expect.element(gatewayCard).toMatchTextContent("Avise o administrador, que fornece este servidor");
  await expect.element(gatewayCard).not.toMatchTextContent("Edite a evolution");
});

test("of two servers that are tested side by side each waits for its own answer", async () => {
  const [casa, loja] = [gateway({ name: "Casa" }), gateway({ name: WHERE })];
  const { server, remote } = gatewayServer({ gateways: [loja, casa] });
  const first = server.hold("POST /api/gateways/{id}/test", ({ params }) => params.id === loja.id);
  const second = server.hold("POST /api/gateways/{id}/test", ({ params }) => params.id === casa.id);
  await openScreen();
  const choice = gatewayCard.getByRole("combobox");
  const testing = button("Testando...", gatewayCard);
  for (const [name, held] of [
    [WHERE, first],
    ["Casa", second],
  ] as const) {
    await choice.selectOptions(name);
    await button("Testar", gatewayCard).click();
    await expect.element(testing).toBeDisabled();
    await held.asked;
  }
  await choice.selectOptions(WHERE);
  await expect.element(testing).toBeDisabled();
  first.release();
  await expect.element(button("Testar", gatewayCard)).toBeEnabled();
  await choice.selectOptions("Casa");
  await expect.element(testing).toBeDisabled();
  remote.keys.set(casa.id, "a-key-that-is-not-the-one");
  second.release();
  await expect.element(gatewayCard.getByText("O servidor recusou a API Key.")).toBeVisible();
});

test("what another window changed of a server is kept when only the rest is edited", async () => {
  const where = gateway({ name: WHERE });
  const { server } = gatewayServer({ gateways: [where] });
  await openScreen();
  await choose("Editar");
  const editing = dialog(`Editar ${WHERE}`);
  await editing.getByLabelText("API Key", { exact: true }).fill(KEY);
  where.name = "Servidor da matriz";
  await server.publish("connections");
  await button("Salvar", editing).click();
  await shows("Servidor da matriz salva");
  await expect.element(button("Ações de Servidor da matriz")).toBeVisible();
});

test("forgetting a server says what becomes of the one instance that is used, connected or not", async () => {
  oneInstance("solta");
  await openScreen();
  await choose("Excluir");
  await expect
    .element(question)
    .toMatchTextContent(
      "1 instância sai do Recado, com as conversas que estão aqui. No servidor nada é excluído: ela continua lá como está.",
    );
  await button("Excluir", question).click();
  await shows("Nenhuma evolution cadastrada.");
});
