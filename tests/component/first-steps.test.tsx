import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fieldText } from "../../src/contract/error-messages.ts";
import type { TestSend } from "../../src/contract/test-sends.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contactList, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, main, press, pressKey, shows } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const OWN = "5531907773055";
const TEXT = "Oi, {nome}! Até sábado, *20% de desconto*.";
const STEPS = [
  "Conecte um número",
  "Importe seus contatos",
  "Envie um teste para você",
  "Crie a primeira campanha",
];

const steps = page.getByRole("region", { name: "Primeiros passos" });
const undone = () => steps.getByRole("link").elements();
const asNew = () => person({ riskRead: false, stepsHidden: false });

async function expectUndone(titles: readonly string[]) {
  await expect.poll(() => undone().map((each) => each.querySelector("h3")?.textContent)).toEqual([...titles]);
  await expect.element(steps).toMatchTextContent(`${4 - titles.length} de 4 concluídos`);
}

test("a new account's first steps tick themselves off, and then the list is gone", async () => {
  const server = fakeServer(world({ me: asNew() }));
  await renderApp("/");
  await expectUndone(STEPS);
  const places = ["/baileys", "/contacts", "/campaigns/new?teste=true", "/campaigns/new"];
  expect(undone().map((each) => each.getAttribute("href"))).toEqual(places);
  const { world: state } = server;
  for (const [done, step, topic] of [
    [1, "connect", "connections"],
    [2, "contacts", "contacts"],
    [3, "test", "chats"],
  ] as const) {
    state.firstSteps = { ...state.firstSteps, [step]: true };
    await server.publish(topic);
    await expectUndone(STEPS.slice(done));
  }
  state.firstSteps = { ...state.firstSteps, campaign: true };
  state.campaigns = [campaign({ name: "Semana do cliente" })];
  await server.publish("campaigns");
  await expect.element(page.getByRole("heading", { name: "Campanhas Recentes" })).toBeVisible();
  await expect.element(steps).not.toBeInTheDocument();
  await expect.poll(() => state.me?.stepsHidden).toBe(true);
});

function withLine() {
  const line = connection({ name: "Matriz", number: OWN, deviceId: OWN, isDefault: true });
  const server = fakeServer(
    world({ me: asNew(), connections: [line], lists: [contactList({ name: "Clientes", count: 1 })] }),
  );
  const sent: TestSend[] = [];
  server.on("POST /api/campaigns/test", ({ body: { text, number } }) => {
    if (text === "") throw refuse("invalid_fields", { fields: { text: "Escreva a mensagem." } });
    const phone = number.startsWith("+") ? number.replaceAll(/\D/g, "") : `55${number.replaceAll(/\D/g, "")}`;
    if (phone.length < 12) throw refuse("invalid_fields", { fields: { number: fieldText("phone_no_ddd") } });
    const last: TestSend = {
      id: sent.length + 1,
      phone,
      connectionId: line.id,
      status: "sent",
      error: null,
      at: minutesAgo(0),
    };
    sent.push(last);
    return last;
  });
  server.on("GET /api/campaigns/test/{id}", ({ params }) => {
    const found = sent.find(({ id }) => id === params.id);
    if (!found) throw refuse("not_found");
    return found;
  });
  const becomes = async (changed: Partial<TestSend>) => {
    const last = sent.at(-1);
    if (last) Object.assign(last, changed);
    await server.publish("chats");
  };
  return { server, becomes };
}

test("a test is sent to the connected number, or to another, and its result is followed", async () => {
  const { server, becomes } = withLine();
  await renderApp("/campaigns/new?teste=true");
  const trial = page.getByRole("region", { name: "Enviar teste" });
  const number = trial.getByLabelText("Número que recebe");
  const send = button(/^Enviar (outro )?teste$/, trial);
  const result = trial.getByRole("status", { name: "Resultado do teste" });
  await expect.element(number).toHaveValue("+55 31 90777-3055");
  await expect.element(trial).toMatchTextContent("É o próprio número conectado");

  await send.click();
  await expect
    .element(trial.getByRole("alert"))
    .toMatchTextContent("Corrija a mensagem antes de enviar o teste.");
  await expect.element(page.getByText("Escreva a mensagem.", { exact: true })).toBeVisible();

  await page.getByRole("textbox", { name: "Texto", exact: true }).fill(TEXT);
  await trial.getByLabelText("No lugar de {nome}").fill("Bia");
  await send.click();
  await expect.element(result).toMatchTextContent("Para +55 31 90777-3055Enviado");
  expect(server.requests("POST /api/campaigns/test").at(-1)?.body).toMatchObject({ text: TEXT, name: "Bia" });

  await number.fill("31 90234-1187");
  await send.click();
  await expect.element(result).toMatchTextContent("Para +55 31 90234-1187");
  await becomes({ status: "delivered" });
  await expect.element(result).toMatchTextContent("Para +55 31 90234-1187Entregue");
  await becomes({ status: "read" });
  await expect.element(result).toMatchTextContent("Lido");
  await expect.element(result).toMatchTextContent("Foi lida");

  await number.fill("31 90000-0404");
  await send.click();
  await expect.element(result).toMatchTextContent("Para +55 31 90000-0404");
  await becomes({
    status: "error",
    error: { code: "not_on_whatsapp", text: "este número não tem WhatsApp" },
  });
  await expect.element(result).toMatchTextContent("Erro");
  await expect.element(result).toMatchTextContent("este número não tem WhatsApp");
  await number.fill("90234-1187");
  await send.click();
  await expect.element(trial).toMatchTextContent("Falta o DDD. Use DDD e número: 31 90234-1187");
  await button("Usar o número conectado, +55 31 90777-3055", trial).click();
  await expect.element(number).toHaveValue("+55 31 90777-3055");
});

function takeCampaigns({ world: state, on }: { world: FakeServer["world"]; on: FakeServer["on"] }) {
  on("POST /api/campaigns", ({ body }) => {
    const { inPeriod: _, ...made } = campaign({
      name: body.name,
      text: body.text,
      status: body.intent === "draft" ? "draft" : "sending",
    });
    state.campaigns = [{ ...made, inPeriod: null }, ...state.campaigns];
    return made;
  });
}

test("before the first campaign the risk is said once, and refusing it creates none", async () => {
  const { server } = withLine();
  takeCampaigns({ world: server.world, on: server.on.bind(server) });
  await renderApp("/campaigns/new");
  const create = button("Criar Campanha");
  const notice = dialog("Antes da primeira campanha");
  await create.click();
  await shows("Preencha este campo.");
  await expect.element(notice).not.toBeInTheDocument();
  await page.getByLabelText("Nome da campanha").fill("Semana do cliente");
  await page.getByRole("textbox", { name: "Texto", exact: true }).fill(TEXT);
  await page.getByLabelText("Lista de contatos").selectOptions("Clientes (1)");
  await create.click();
  await expect.element(notice).toMatchTextContent("O WhatsApp pode bloquear o número que envia em massa");
  await expect
    .element(notice.getByRole("link", { name: /^Política de mensagens/ }))
    .toHaveAttribute("href", "https://business.whatsapp.com/policy");
  await button("Cancelar", notice).click();
  await expect.element(create).toHaveFocus();
  expect(server.requests("POST /api/campaigns")).toEqual([]);
  await create.click();
  await button("Entendi, criar campanha", notice).click();
  await expect.poll(() => server.world.me?.riskRead).toBe(true);
  const look = page.getByRole("alertdialog", { name: /^Conferir antes de / });
  await button("Criar Campanha", look).click();
  await shows("Campanha criada: o envio começa agora");
  expect(server.requests("POST /api/campaigns")).toHaveLength(1);
});

test("the list is put away, comes back by «Desfazer» or from the settings, and stays away over a reload", async () => {
  const server = fakeServer(world({ me: asNew() }));
  await renderApp("/");
  const putAway = button("Dispensar os primeiros passos", steps);
  const late = server.hold("PATCH /api/settings/profile");
  await putAway.click();
  await late.asked;
  await putAway.click();
  late.release();
  await expect.element(steps).not.toBeInTheDocument();
  expect(server.requests("PATCH /api/settings/profile")).toHaveLength(1);
  await press("Desfazer");
  await expect.element(steps).toBeVisible();
  await pressKey(putAway, "Enter");
  await expect.element(steps).not.toBeInTheDocument();
  await expect.element(main()).toHaveFocus();
  await renderApp("/");
  await expect.element(page.getByRole("heading", { name: "Nenhuma campanha ainda" })).toBeVisible();
  await count(steps, 0);
  await renderApp("/settings");
  await press("Mostrar no painel");
  await shows("Os primeiros passos voltaram ao painel.");
  await renderApp("/");
  await expectUndone(STEPS);
});
