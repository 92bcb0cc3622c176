import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { CampaignInput } from "../../src/contract/campaigns.ts";
import { confirmLook, lastLook } from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contact, contactList, uploaded } from "./support/rows.ts";
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
  server.on("POST /api/attachments", ({ body }) => uploaded({ bytes: body.size }));
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
    "Não querem campanhasVer nomes1",
    "As 3 primeiras mensagens",
    "Matriz – Centro",
    /479 mensagens, cerca de 8 horas\. Começa ao criar e termina /,
    "Para Pessoa 1",
  ])
    await expect.element(look).toMatchTextContent(words);
  await expect.element(look.getByText("Oi, Pessoa!").first()).toBeVisible();
  await expect.element(look.getByRole("img", { name: "Imagem da campanha" }).first()).toBeVisible();
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
  await confirmLook();
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

test("more than two hundred people are typed before the campaign is created, and a few are not", async () => {
  const { server, made } = office();
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  const total = look.getByLabelText("Para confirmar, digite o total: 480");
  await expect.element(total).toBeVisible();
  await total.fill("408");
  await button("Criar Campanha", look).click();
  await expect.element(total).toHaveFocus();
  await expect.element(total).toHaveAccessibleDescription("Digite 480, o número de pessoas que recebem.");
  expect(made).toEqual([]);
  await back.click();
  server.world.lists = server.world.lists.map((list) => ({ ...list, count: 200 }));
  await server.publish("contacts");
  await create.click();
  await expect.element(look).toMatchTextContent("200pessoas recebem");
  await expect.element(look.getByLabelText(/digite o total/)).not.toBeInTheDocument();
  await button("Criar Campanha", look).click();
  await expect.poll(() => made).toEqual(["create"]);
});

test("each group left out shows its people on a press, and land lines are left out by one", async () => {
  const { server } = office(2);
  const counted = { landLines: 12, absent: 3 };
  server.on("POST /api/audience/count", ({ body }) => {
    const out = body.audience?.without.landLines === true;
    return {
      sources: [{ key: `list:${body.listId}`, name: "Clientes VIP", people: 480 }],
      twice: 5,
      without: [
        { key: "absent", name: null, people: counted.absent },
        ...(out ? [{ key: "land_lines", name: null, people: counted.landLines }] : []),
      ],
      gets: out ? 60 : 72,
      landLines: out ? 0 : counted.landLines,
      missing: {},
      items: [],
    };
  });
  server.on("POST /api/audience/names", ({ body: { line } }) => ({
    people: line === "absent" ? 3 : 5,
    items: [{ name: "Rita Sá", phone: "5511987654321" }],
  }));
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  await expect.element(look).toMatchTextContent("Sem WhatsApp, até onde se sabeVer nomes3");
  await expect.element(look).toMatchTextContent("Estão em mais de uma, contam uma vezVer nomes5");
  await button("Ver: Sem WhatsApp, até onde se sabe", look).click();
  const names = page.getByRole("dialog", { name: "Sem WhatsApp, até onde se sabe" });
  await expect.element(names).toMatchTextContent("Rita Sá");
  await button("Fechar", names).first().click();
  await expect.element(names).not.toBeInTheDocument();
  await expect.element(look).toMatchTextContent("12 telefones fixos recebem.");
  await button("Deixar de fora", look).click();
  await expect.element(look).toMatchTextContent("Telefones fixosVer nomes12");
  await expect.element(look).toMatchTextContent("60pessoas recebem");
});

test("numbers are checked in the background, with how long it takes, and the count follows the answers", async () => {
  const { server } = office();
  let waiting = 0;
  const state = () => ({ unchecked: waiting > 0 ? 0 : 373, waiting, may: "yes" as const });
  server.on("POST /api/audience/number-checks/count", state);
  server.on("POST /api/audience/number-checks", () => {
    waiting = 373;
    return state();
  });
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  await expect
    .element(look)
    .toMatchTextContent(
      "373 pessoas ainda não foram verificadas no WhatsApp. Verificar números, cerca de 37 minutos.",
    );
  await button("Verificar números", look).click();
  await expect.element(look).toMatchTextContent("Verificando: faltam 373 números, cerca de 37 minutos.");
});

test.each([
  ["new_number", "Um número com menos de um dia aqui não verifica antes de enviar."],
  ["too_many", "são muitas para verificar antes (até 5.000)"],
] as const)("why numbers are not checked is said: %s", async (may, words) => {
  const { server } = office();
  server.on("POST /api/audience/number-checks/count", () => ({ unchecked: 9_000, waiting: 0, may }));
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  await expect.element(look).toMatchTextContent(words);
  await expect.element(button("Verificar números", look)).not.toBeInTheDocument();
});

test("what WhatsApp may do is said by the number's plan: how many wait, and that the first ones go before", async () => {
  const { server } = office();
  let cold = 373;
  server.on("POST /api/audience/forecast", () => ({
    forecast: {
      people: { warm: 107, cold },
      endsAt: null,
      why: "too_far",
      limitedBy: null,
      days: [],
      sendingDays: 0,
    },
  }));
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  await expect.element(look).toMatchTextContent("nesse caso as 373 pessoas novas esperam");
  await expect
    .element(look)
    .toMatchTextContent("As 20 primeiras vão antes: se menos de 70% chegarem em 15 minutos");
  await back.click();
  cold = 0;
  await page.getByLabelText("Intervalo entre mensagens").fill("90");
  await create.click();
  await expect.element(look).toMatchTextContent("um limite de conversas novas não para esta campanha");
});

test("a campaign that starts in some seconds is taken back by «Desfazer», and its form is there again", async () => {
  const { server, place } = office();
  server.world.undoSeconds = 15;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const { inPeriod: _, ...held } = campaign({ ...place, name: "Black Friday", status: "scheduled" });
  const waits = {
    ...held,
    schedule: { kind: "now" as const },
    updatedAt: at(0),
    scheduledAt: at(15_000),
    actions: ["undo" as const, "cancel" as const],
  };
  server.on("POST /api/campaigns", () => waits);
  server.on("POST /api/campaigns/{id}/undo-start", () => {
    const draft = campaign({ ...place, id: held.id, name: "Black Friday", status: "draft" });
    server.world.campaigns = [draft];
    const { inPeriod: __, ...answer } = draft;
    return answer;
  });
  await renderApp(NEW);
  await fill("Oi!");
  await create.click();
  await expect.element(look).toMatchTextContent("Depois de criar, há 15 segundos para desfazer.");
  await confirmLook();
  await shows("Campanha criada: o envio começa em 15 segundos");
  await press("Desfazer");
  await shows("De volta aos rascunhos: nada foi enviado");
  await expect.element(page.getByLabelText("Nome da campanha")).toHaveValue("Black Friday");
});
