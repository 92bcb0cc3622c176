import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { CampaignInput } from "../../src/contract/campaigns.ts";
import { confirmLook, lastLook } from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contact, contactList } from "./support/rows.ts";
import { button, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const look = lastLook();
const text = page.getByRole("textbox", { name: "Texto", exact: true });
const create = button("Criar Campanha");
const back = button("Voltar", look);
const closed = () => expect.element(look).not.toBeInTheDocument();

const NEW = "/campaigns/new";

function office(left = 0) {
  const line = connection({ name: "Matriz – Centro" });
  const contacts = Array.from({ length: 5 }, (_, seq) => contact(seq, seq < left ? { optedOut: true } : {}));
  const first = contacts.slice(0, 3).map(({ seq: _, ...each }) => each);
  const list = contactList({ name: "Clientes VIP", count: 480, first });
  const server = fakeServer(world({ connections: [line], lists: [list], contacts: { [list.id]: contacts } }));
  const made: CampaignInput["intent"][] = [];
  const save = (body: Pick<CampaignInput, "name" | "schedule" | "intent">, id?: number) => {
    const { inPeriod: _, ...saved } = campaign({
      ...(id !== undefined && { id }),
      name: body.name,
      status: body.schedule.kind === "at" ? "scheduled" : "sending",
      scheduledAt: body.schedule.kind === "at" ? `${body.schedule.wall}:00-03:00` : null,
    });
    made.push(body.intent);
    return saved;
  };
  server.on("POST /api/campaigns", ({ body }) => save(body));
  server.on("PUT /api/campaigns/{id}", ({ params, body }) => save(body, params.id));
  const place = { connectionId: line.id, connectionName: line.name, listId: list.id, listName: list.name };
  return { server, made, place };
}

async function fill(message: string) {
  await page.getByLabelText("Nome da campanha").fill("Black Friday");
  await text.fill(message);
  await page.getByLabelText("Lista de contatos").selectOptions("Clientes VIP (480)");
}

test("26.13 «Criar Campanha» asks once more with list, count, number, message and end, and «Voltar» creates nothing @decision 36", async () => {
  const { server, made } = office(1);
  server.on("POST /api/images", ({ body }) => ({
    id: 7,
    width: 40,
    height: 20,
    bytes: body.size,
    mime: "image/png",
  }));
  await renderApp(NEW);
  await fill("Oi, {primeiro_nome}! *40%* até domingo.");
  const input = document.querySelector("input[type=file]");
  if (!input) throw new Error("the page has no file input");
  await userEvent.upload(input, new File(["png"], "promo.png", { type: "image/png" }));
  await shows("promo.png");
  await create.click();
  await expect.element(back).toHaveFocus();
  for (const words of [
    "479pessoas recebem",
    "Clientes VIP",
    "1 pessoa sem querer campanhas fora da conta",
    "Matriz – Centro",
    /479 mensagens, cerca de 8 horas\. Começa ao criar e termina /,
    "Para Pessoa 1",
  ])
    await expect.element(look).toMatchTextContent(words);
  await expect.element(look.getByText("Oi, Pessoa!")).toBeVisible();
  await expect.element(look.getByRole("img", { name: "Imagem da campanha" })).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await closed();
  await expect.element(create).toHaveFocus();
  await create.click();
  await expect.element(back).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await closed();
  expect(made).toEqual([]);
  await create.click();
  await confirmLook();
  await shows("Campanha criada: o envio começa agora");
  expect(made).toEqual(["create"]);
});

test("26.13 a draft and a scheduled campaign are looked at too, and two quick presses create nothing", async () => {
  await page.viewport(390, 844);
  const { server, made, place } = office();
  const draft = campaign({ ...place, name: "Natal", status: "draft" });
  server.world.campaigns = [draft];
  await renderApp(`${NEW}?rascunho=${draft.id}`);
  await expect.element(text).toHaveValue("Oi, {nome}!");
  await create.dblClick();
  await expect.element(back).toBeVisible();
  expect(made).toEqual([]);
  await back.click();
  await page.getByText("Agendado", { exact: true }).click();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  // 26.20: in the account's language, whatever the browser's is.
  const date = page.getByLabelText("Data", { exact: true });
  const hour = page.getByLabelText("Hora", { exact: true });
  await date.fill("31/02/2027");
  await hour.fill("8h");
  await expect.element(date).toHaveAccessibleDescription("Escreva uma data que exista, como 27/11/2026.");
  await date.fill(day.split("-").toReversed().join("/"));
  (await create.findElement()).focus();
  await expect.element(hour).toHaveValue("08:00");
  await create.click();
  await expect.element(look).toHaveAccessibleName("Conferir antes de agendar");
  await expect.element(look).toMatchTextContent(/Começa .+ às 08:00/);
  await button("Agendar", look).click();
  await shows(/^Campanha agendada para /);
  expect(made).toEqual(["create"]);
  expect(server.requests("PUT /api/campaigns/{id}")[0]?.body.schedule).toMatchObject({
    wall: `${day}T08:00`,
  });
});

test("MS01 MS02 placeholders of others are named beside the message, replaced by a press, and confirmed when they are left", async () => {
  const { server, made } = office();
  await renderApp(NEW);
  await fill("{Oi|Olá} {{firstName}}, [Nome]! {saudacao} {primeiro_nome}");
  const notice = page.getByRole("status").filter({ hasText: "O Recado não conhece estes trechos" });
  await expect
    .poll(() =>
      notice
        .getByRole("listitem")
        .elements()
        .map(({ textContent }) => textContent),
    )
    .toEqual([
      "{Oi|Olá}Trocar por Oi",
      "{{firstName}}Trocar por {primeiro_nome}",
      "[Nome]Trocar por {nome}",
      "{saudacao}Escreva o valor no lugar ou apague.",
    ]);
  await pressKey(button("Trocar por Oi: {Oi|Olá}", notice), "Enter");
  await expect.element(text).toHaveFocus();
  await button("Trocar por {primeiro_nome}: {{firstName}}", notice).click();
  await expect.element(text).toHaveValue("Oi {primeiro_nome}, [Nome]! {saudacao} {primeiro_nome}");
  await create.click();
  const box = look.getByRole("checkbox", { name: "Enviar assim mesmo" });
  await expect.element(look).toMatchTextContent("Estes trechos saem como estão escritos: [Nome] {saudacao}");
  await confirmLook();
  await expect.element(box).toHaveFocus();
  await expect
    .element(box)
    .toHaveAccessibleDescription("Marque para enviar assim, ou volte e troque os trechos.");
  expect(made).toEqual([]);
  await box.click();
  await confirmLook();
  await shows("Campanha criada: o envio começa agora");
  expect(made).toEqual(["create"]);
  expect(server.requests("POST /api/campaigns")[0]?.body.keepPlaceholders).toBe(true);
});

test("MS01 a copy by «Reutilizar» is looked through too", async () => {
  const { server, place } = office();
  const before = campaign({ ...place, name: "Outubro", text: "Olá %nome%", states: { read: 3 } });
  server.world.campaigns = [before];
  await renderApp(`${NEW}?reutilizar=${before.id}`);
  await press("Trocar por {nome}: %nome%");
  await expect.element(text).toHaveValue("Olá {nome}");
  await create.click();
  await expect.element(back).toBeVisible();
  await expect.element(look.getByRole("checkbox")).not.toBeInTheDocument();
});
