import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { LARGEST_ATTACHMENT } from "../../src/domain/attachment.ts";
import {
  card,
  chooseFile,
  createCampaign,
  file,
  interval,
  list,
  name,
  preview,
  recovered,
  savesCampaigns,
  storesPictures,
  text,
} from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contact, contactList } from "./support/rows.ts";
import { button, count, main, press, pressKey, shows } from "./support/screen.ts";
import { person, type World, world } from "./support/world.ts";

const VIP = "Clientes VIP (480)";

function office(given: Partial<World> = {}) {
  const people = Array.from({ length: 480 }, (_, seq) => contact(seq));
  const vip = contactList({ name: "Clientes VIP", count: 480 });
  const line = connection({ name: "Matriz – Centro" });
  const state = { connections: [line], lists: [vip], contacts: { [vip.id]: people }, ...given };
  return { server: fakeServer(world(state)), line, vip };
}

/** A driver would carry all its bytes into the page. */
function pickWithoutDriver(large: File): void {
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("no picker of files");
  const carried = new DataTransfer();
  carried.items.add(large);
  input.files = carried.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

async function openForm() {
  const opened = office();
  await renderApp("/campaigns/new");
  await expect.element(page.getByRole("heading", { level: 1, name: "Nova Campanha" })).toBeVisible();
  return opened;
}

const date = () => page.getByLabelText("Data", { exact: true });
const time = () => page.getByLabelText("Hora", { exact: true });

test("the chosen list shows how many it has and its first five @spec 2.6,2.45,9.7", async () => {
  const { server } = await openForm();
  const late = server.hold("POST /api/audience/count");
  await list().selectOptions(VIP);
  await late.asked;
  await shows("5 primeiros");
  await expect.element(page.getByText("receberão a mensagem")).not.toBeInTheDocument();
  late.release();
  await shows("480 contatos receberão a mensagem");
  const shown = main().getByRole("listitem").filter({ hasText: "+55" });
  await count(shown, 5);
  await expect.element(shown.first()).toMatchTextContent("Pessoa 0");
  await expect.element(shown.last()).toMatchTextContent("Pessoa 4");
  await expect.element(interval()).toHaveValue("60");
});

test("errors are said in place, the first one has the keyboard, and nothing typed is lost @spec 2.43,5.3", async () => {
  await openForm();
  await press("Criar Campanha");
  await expect.element(name()).toHaveFocus();
  await expect.element(name()).toHaveAccessibleDescription("Preencha este campo.");
  await expect.element(text()).toHaveAccessibleDescription("Escreva a mensagem.");
  await expect.element(list()).toHaveAccessibleDescription("Escolha uma lista de contatos.");
  await name().fill("Natal");
  await expect.element(page.getByText("Preencha este campo.")).not.toBeInTheDocument();

  await page.getByText("Agendado", { exact: true }).click();
  await press("Criar Campanha");
  await expect.element(list()).toHaveFocus();
  await list().selectOptions(VIP);
  await press("Criar Campanha");
  await expect.element(text()).toHaveFocus();
  await text().fill("a".repeat(4097));
  await expect.element(text()).toHaveAccessibleDescription("Use no máximo 4.096 caracteres.");
  await text().fill("Oi");
  await press("Criar Campanha");
  await expect.element(date()).toHaveFocus();
  await date().fill("2020-01-01");
  await time().fill("08:00");
  await expect.element(date()).toHaveAccessibleDescription("A data do envio já passou.");
  await interval().fill("1,5");
  await userEvent.tab();
  await expect.element(interval()).toHaveAccessibleDescription(/^Use um número inteiro de segundos/);
  await expect.element(name()).toHaveValue("Natal");
});

test("a draft needs a name alone, opens as itself, and becomes a campaign @spec 1.1,2.48 @decision 10", async () => {
  const { server } = await openForm();
  savesCampaigns(server);
  await name().fill("Volta às aulas");
  const first = server.hold("POST /api/campaigns");
  await press("Salvar Rascunho");
  expect((await first.asked).body).toMatchObject({ name: "Volta às aulas", intent: "draft", listId: null });
  await text().fill("Oi, {nome}!");
  first.release();
  await shows("Rascunho salvo");
  await expect.element(page.getByRole("heading", { level: 1, name: "Continuar rascunho" })).toBeVisible();
  await expect.element(recovered()).toBeVisible();
  await expect.element(name()).toHaveValue("Volta às aulas");
  await expect.element(text()).toHaveValue("Oi, {nome}!");
  const second = server.hold("PUT /api/campaigns/{id}");
  await press("Salvar Rascunho");
  await second.asked;
  await text().fill("Oi, {nome}! *Mochilas*");
  second.release();
  await expect.element(button("Salvar Rascunho")).toBeEnabled();
  await expect.element(text()).toHaveFocus();
  await press("Salvar Rascunho");
  await expect.poll(() => location.pathname).toBe("/campaigns");
  const mochilas = card("Volta às aulas").getByRole("strong").filter({ hasText: "Mochilas" });
  await expect.element(mochilas).toHaveTextContent("Mochilas");
  await card("Volta às aulas").getByRole("link", { name: "Continuar" }).click();
  await expect.element(text()).toHaveValue("Oi, {nome}! *Mochilas*");
  await list().selectOptions(VIP);
  await createCampaign();
  await shows("Campanha criada: o envio começa agora");
  await expect.element(card("Volta às aulas")).toMatchTextContent("Em Andamento");
  expect(server.requests("POST /api/campaigns")).toHaveLength(1);
  expect(server.world.campaigns).toHaveLength(1);
});

test("«Reutilizar» opens a copy with everything in it, and leaves the old one alone @spec 2.6,2.42 @decision 10", async () => {
  const { server, line, vip } = office();
  savesCampaigns(server);
  const words = "Como foi seu atendimento?";
  const old = { name: "Outubro", text: words, connectionId: line.id, listId: vip.id, intervalS: 90 };
  server.world.campaigns = [campaign({ ...old, states: { read: 3 } })];
  await renderApp("/campaigns");
  await card("Outubro").getByRole("link", { name: "Reutilizar" }).click();
  await shows("Cópia de Outubro");
  await expect.element(name()).toHaveValue("Outubro (cópia)");
  await expect.element(text()).toHaveValue(words);
  await expect.element(page.getByLabelText("Conexão WhatsApp")).toHaveValue(String(line.id));
  await expect.element(list()).toHaveValue(String(vip.id));
  await expect.element(interval()).toHaveValue("90");
  await createCampaign();
  await count(page.getByRole("article"), 2);
  await expect.element(card("Outubro")).toMatchTextContent("Concluída");
  const [{ body } = { body: null }] = server.requests("POST /api/campaigns");
  expect(body).toMatchObject({ ...old, name: "Outubro (cópia)", intervalS: "90", intent: "create" });
});

test("the preview shows what each of the first contacts gets @spec 2.47", async () => {
  await openForm();
  await expect.element(preview()).toMatchTextContent("Escreva a mensagem para ver como ela chega.");
  await text().fill("Oi, .");
  await pressKey(text(), "ArrowLeft");
  const frames = vi.spyOn(window, "requestAnimationFrame").mockReturnValue(0);
  await press("Inserir {nome}");
  await expect.element(text()).toHaveValue("Oi, {nome}.");
  await expect.element(text()).toHaveFocus();
  frames.mockRestore();
  await userEvent.keyboard("! *40%* até _domingo_");
  await shows("32 de 4.096 caracteres");
  await expect.element(preview()).toMatchTextContent("Oi, Nome do contato! 40% até domingo.");
  await expect.element(preview().getByRole("strong")).toHaveTextContent("40%");
  await list().selectOptions(VIP);
  await shows("480 contatos receberão a mensagem");
  await count(page.getByRole("listitem").filter({ hasText: "Pessoa" }), 5);
  await expect.element(preview()).toMatchTextContent("Oi, Pessoa 0!");
  await button("Próximo contato", preview()).click();
  await expect.element(preview()).toMatchTextContent("2 de 50");
  await expect.element(preview()).toMatchTextContent("Oi, Pessoa 1!");
  await expect.element(page.getByLabelText("Quando o contato não tem nome")).toBeVisible();
});

test("the limit of the installation stands beside the field, and larger files are not uploaded", async () => {
  const { server } = office({ me: person({ attachmentMb: 5 }) });
  await renderApp("/campaigns/new");
  await shows("Foto, vídeo MP4, áudio ou documento, até 5 MB.");
  pickWithoutDriver(new File([new Uint8Array(5 * 2 ** 20 + 1)], "aula.mp4"));
  await shows("O arquivo passa de 5 MB.");
  expect(server.requests("POST /api/attachments")).toHaveLength(0);
});

test("a picture is shown before it is sent, refused ones say why, and it can be removed @spec 1.1,2.44,3.18,5.3", async () => {
  const { server } = await openForm();
  const wrong = page.getByText(/^Use uma imagem JPG, PNG ou WebP/);
  await text().fill("Veja só");
  server.on("POST /api/attachments", () => {
    throw refuse("image_unsupported");
  });
  pickWithoutDriver(new File([new Uint8Array(LARGEST_ATTACHMENT + 1)], "aula.mp4"));
  await shows("O arquivo passa de 100 MB.");
  expect(server.requests("POST /api/attachments")).toHaveLength(0);
  await chooseFile(file("falsa.png"));
  await expect.poll(() => server.requests("POST /api/attachments").length).toBe(1);
  await expect.element(wrong).toBeVisible();
  const { stored } = storesPictures(server);
  await chooseFile(file("promo.png"));
  await shows("promo.png");
  await shows(/^Imagem · 400 × 200 · /);
  await shows("7 de 1.024 caracteres");
  const shown = preview().getByRole("img", { name: "Imagem da campanha" });
  await expect.element(shown).toHaveAttribute("src", `/api/attachments/${[...stored.keys()][0]}`);
  await text().fill("a".repeat(1025));
  await press("Criar Campanha");
  await expect
    .element(text())
    .toHaveAccessibleDescription("Com um arquivo, o texto vai até 1.024 caracteres.");
  await pressKey(button("Remover arquivo"), "Enter");
  await expect.element(shown).not.toBeInTheDocument();
  await expect.element(button("Escolher arquivo")).toHaveFocus();
  await shows("1.025 de 4.096 caracteres");
});

test("a campaign that has started is not opened for editing", async () => {
  const { server } = office();
  const gone = campaign({ name: "Já foi", status: "sending", states: { sent: 1, pending: 2 } });
  server.world.campaigns = [gone];
  await renderApp(`/campaigns/new?rascunho=${gone.id}`);
  await shows("Esta campanha já foi iniciada e não pode ser alterada.");
  await renderApp("/campaigns/new?rascunho=99999");
  const alert = page.getByRole("alert").filter({ hasText: "Campanha não encontrada" });
  await expect.element(alert.getByRole("link", { name: "Ver campanhas" })).toBeVisible();
});

test("an account without connections and lists is shown what is missing", async () => {
  fakeServer(world());
  await renderApp("/campaigns/new");
  await expect.element(main().getByText("Nenhum número conectado ainda.")).toBeVisible();
  await expect.element(main().getByText("Nenhuma lista de contatos ainda.")).toBeVisible();
  await main().getByRole("link", { name: "Importar contatos" }).click();
  await expect.element(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
});
