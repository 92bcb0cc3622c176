import { randomInt } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, connectionRow, imageRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { AudienceCount } from "../../contract/audiences.ts";
import type { Campaign } from "../../contract/campaigns.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { BELOW_TEXT } from "../../domain/leave-hint.ts";
import { codePoints } from "../../domain/message-text.ts";
import { AudienceService } from "./audiences.ts";
import { mountAudiences, mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
const now = new Date("2026-11-19T17:05:30Z");
const changes = { mark: () => undefined };
const api = testApi(db, (app) => {
  const random32 = () => randomInt(2 ** 32);
  mountCampaigns(app, new CampaignService({ clock: { now: () => now }, changes, random32 }));
  mountAudiences(app, new AudienceService(changes, { now: () => now }));
});

let account = "";
let listId = 0;
let connectionId = 0;
beforeEach(async () => {
  account = await accountRow(db);
  listId = await listRow(db, account);
  connectionId = await connectionRow(db, account);
});

const form = (over: object = {}) => ({
  name: "Black Friday",
  text: "Oi, {nome}!",
  connectionId,
  listId,
  intent: "create",
  ...over,
});
const at = (wall: string, zone = "America/Sao_Paulo") => ({ kind: "at", wall, zone });
const post = <T = Campaign>(body: object) => api(account)<T>("POST", "/api/campaigns", body);

async function refusal(over: object): Promise<Record<string, string> | undefined> {
  const { status, body } = await post<ErrorAnswer>(form(over));
  expect(status).toBe(422);
  expect(body.code).toBe("invalid_fields");
  const { rows } = await sql`select id from campaign where account_id = ${account}::uuid`.execute(db);
  expect(rows).toEqual([]);
  return body.fields;
}

describe("text", () => {
  test("T01 4,096 code points are stored", async () => {
    expect((await post(form({ text: "😀".repeat(4096) }))).body.text).toBe("😀".repeat(4096));
  });

  test.each([
    ["T02 4,097", { text: "a".repeat(4097) }, "Use no máximo 4.096 caracteres."],
    ["T04 only spaces", { text: " \n " }, "Escreva a mensagem."],
    ["T05 only zero-width", { text: "\u200b\u200d" }, "Escreva a mensagem."],
    ["T10 lone surrogate", { text: "Oi \ud83d" }, "O texto contém caracteres inválidos."],
    ["U+0000", { text: "Oi\0" }, "O texto contém caracteres inválidos."],
  ])("%s", async (_, over, words) => expect(await refusal(over)).toEqual({ text: words }));

  test("the line about leaving counts as part of the text, and as part of a caption", async () => {
    const room = (most: number) => "a".repeat(most - codePoints(BELOW_TEXT));
    const image = { attachmentId: await imageRow(db, account) };
    expect(await refusal({ leaveHint: true, text: `${room(4096)}a` })).toEqual({
      text: "Use no máximo 4.096 caracteres.",
    });
    expect(await refusal({ leaveHint: true, text: `${room(1024)}a`, ...image })).toEqual({
      text: "Com um arquivo, o texto vai até 1.024 caracteres.",
    });
    expect(await refusal({ leaveHint: true, text: " " })).toEqual({ text: "Escreva a mensagem." });
    for (const over of [{ text: room(4096) }, { text: room(1024), ...image }, { text: "Responda SAIR." }])
      expect((await post(form({ leaveHint: true, ...over }))).status).toBe(201);
  });

  test("only a fallback name, which would be an empty message for people without a name", async () => {
    for (const text of ["{nome}", " *{nome}*! "])
      expect(await refusal({ text })).toEqual({ text: "Escreva a mensagem." });
    expect((await post(form({ text: "{nome}", nameFallback: "Oi!" }))).status).toBe(201);
    expect((await post(form({ text: "{nome}", attachmentId: await imageRow(db, account) }))).status).toBe(
      201,
    );
    expect((await post(form({ text: "{nome}", intent: "draft" }))).status).toBe(201);
  });

  test("T03 caption of 1,025", async () => {
    const attachmentId = await imageRow(db, account);
    expect(await refusal({ attachmentId, text: "a".repeat(1025) })).toEqual({
      text: "Com um arquivo, o texto vai até 1.024 caracteres.",
    });
    expect((await post(form({ attachmentId, text: "a".repeat(1024) }))).status).toBe(201);
  });

  test("T06 1 MB", async () => {
    expect((await post(form({ text: "a".repeat(1024 * 1024) }))).status).toBe(413);
  });

  test.each([
    ["T07 other templates", `{{nome}} \${x} <%= y %>`],
    ["T08 markup", "<script>alert(1)</script>"],
    ["T09 SQL", "'; drop table campaign; --"],
    ["T11 ZWJ emoji and Zalgo", "👨‍👩‍👧‍👦 ô̷̡̢"],
  ])("%s is kept literally", async (_, text) => {
    expect((await post(form({ text, name: text, keepPlaceholders: true }))).body).toMatchObject({
      text: text.normalize("NFC"),
      name: text.normalize("NFC"),
    });
  });

  test("MS01 MS02 placeholders of others are refused with their list; confirmed they go out as they are, and a draft keeps them", async () => {
    const text = "{Oi|Olá} {primeiro_nome}, {{name}} de [Nome da Empresa]. {{name}}";
    const { status, body } = await post<ErrorAnswer>(form({ text }));
    expect([status, body.code, body.error]).toEqual([
      422,
      "campaign_placeholders",
      "O texto tem trechos que sairiam como estão escritos: {Oi|Olá} {{name}} [Nome da Empresa]. Troque por {nome} ou {primeiro_nome}, ou confirme para enviar assim mesmo.",
    ]);
    expect(body.details?.placeholders).toEqual([
      { found: "{Oi|Olá}", replacement: "Oi" },
      { found: "{{name}}", replacement: "{nome}" },
      { found: "[Nome da Empresa]", replacement: null },
    ]);
    const { rows } = await sql`select id from campaign where account_id = ${account}::uuid`.execute(db);
    expect(rows).toEqual([]);
    const draft = await post(form({ text, intent: "draft" }));
    expect([draft.status, draft.body.text]).toEqual([201, text]);
    const put = (over: object) =>
      api(account)<ErrorAnswer>("PUT", `/api/campaigns/${draft.body.id}`, form({ text, ...over }));
    expect((await put({})).body.code).toBe("campaign_placeholders");
    expect((await put({ schedule: at("2026-11-27T08:00") })).body.code).toBe("campaign_placeholders");
    expect((await put({ keepPlaceholders: true })).status).toBe(200);
    expect((await post(form({ text, keepPlaceholders: true }))).body.text).toBe(text);
  });

  test("T12 CRLF is stored as LF", async () => {
    expect((await post(form({ text: "Oi\r\nTudo bem?" }))).body.text).toBe("Oi\nTudo bem?");
  });

  test.each([
    ["T13 name of 121", "a".repeat(121), "Use no máximo 120 caracteres."],
    ["T13 no name", "", "Preencha este campo."],
  ])("%s", async (_, name, words) => expect(await refusal({ name })).toEqual({ name: words }));

  test("T13 names of 1 and 120, T14 twice the same", async () => {
    for (const name of ["A", "ã".repeat(120), "A"]) expect((await post(form({ name }))).body.name).toBe(name);
  });
});

describe("schedule", () => {
  test.each([
    ["S01 past", at("2026-11-19T14:04"), "schedule.wall", "A data do envio já passou."],
    ["S04 29 February", at("2027-02-29T08:00"), "schedule.wall", "Esta data não existe."],
    [
      "S05 year 275760",
      at("275760-01-01T08:00"),
      "schedule.wall",
      "O envio pode ser agendado para no máximo um ano à frente.",
    ],
    [
      "S06 more than a year",
      at("2027-11-19T14:06"),
      "schedule.wall",
      "O envio pode ser agendado para no máximo um ano à frente.",
    ],
    [
      "S07 skipped hour",
      at("2027-03-28T01:30", "Europe/Lisbon"),
      "schedule.wall",
      "Este horário não existe nesse dia, por causa do horário de verão.",
    ],
    ["S11 date without time", at("2026-11-27"), "schedule.wall", "Informe a data e a hora do envio."],
    ["S12 2026-13-40", at("2026-13-40T08:00"), "schedule.wall", "Esta data não existe."],
    ["S10 unknown zone", at("2026-11-27T08:00", "Brasil"), "schedule.zone", "Fuso horário desconhecido."],
  ])("%s", async (_, schedule, field, words) =>
    expect(await refusal({ schedule })).toEqual({ [field]: words }),
  );

  test.each([
    ["S02 now", at("2026-11-19T14:05"), "2026-11-19T17:05:00.000Z"],
    ["S03 +1 min", at("2026-11-19T14:06"), "2026-11-19T17:06:00.000Z"],
    ["S08 Manaus", at("2026-11-27T08:00", "America/Manaus"), "2026-11-27T12:00:00.000Z"],
    ["S09 Noronha", at("2026-11-27T08:00", "America/Noronha"), "2026-11-27T10:00:00.000Z"],
  ])("%s", async (_, schedule, instant) => {
    const { body } = await post(form({ schedule }));
    expect(body).toMatchObject({ status: "scheduled", scheduledAt: instant, date: instant, schedule });
    expect(body.actions).toEqual(["edit", "cancel"]);
  });

  test("S10 a campaign without schedule is in the account's zone", async () => {
    const manaus = await accountRow(db, "America/Manaus");
    const { body } = await api(manaus)<Campaign>("POST", "/api/campaigns", { name: "A", intent: "draft" });
    const { rows } = await sql<{ zone: string }>`select zone from campaign where id = ${body.id}`.execute(db);
    expect(rows[0]?.zone).toBe("America/Manaus");
  });
});

test("S10 a draft keeps half a date, but no zone that does not exist", async () => {
  expect(await refusal({ intent: "draft", schedule: at("", "Brasil") })).toEqual({
    "schedule.zone": "Fuso horário desconhecido.",
  });
  expect((await post(form({ intent: "draft", schedule: at("", "") }))).body.schedule).toEqual(at(""));
});

describe("interval", () => {
  test.each([
    ["S13 -1", -1, "O valor mínimo é 0."],
    ["S15 0.5", 0.5, "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90."],
    ["S16 abc", "abc", "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90."],
    ["S16 NaN", "NaN", "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90."],
    [
      "S16 Infinity",
      "Infinity",
      "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90.",
    ],
    ["S17 1e9", 1e9, "O valor máximo é 86.400."],
    ["S17 1e9 as text", "1e9", "O valor máximo é 86.400."],
    ["S18 1,5", "1,5", "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90."],
    ["86,401", 86_401, "O valor máximo é 86.400."],
  ])("%s", async (_, typed, words) => {
    expect(await refusal({ intervalS: typed, extraS: typed })).toEqual({ intervalS: words, extraS: words });
  });

  test.each([
    ["S14 0", 0, 0],
    ["as typed", " 90 ", 90],
    ["a day", 86_400, 86_400],
  ])("%s", async (_, typed, stored) =>
    expect((await post(form({ intervalS: typed }))).body.intervalS).toBe(stored),
  );

  test.each([[null], [[60]], [true]])("S16 %j is not a number of seconds", async (typed) => {
    const words = "Use um número inteiro de segundos, sem vírgula nem ponto: por exemplo, 90.";
    expect(await refusal({ intervalS: typed, extraS: typed })).toEqual({ intervalS: words, extraS: words });
  });
});

describe("fields in the text", () => {
  const text = "{nome}, sua consulta com {medico} é dia {data}.";
  const variables = [
    { key: "medico", fallback: "a equipe" },
    { key: "data", fallback: null },
  ];
  beforeEach(async () => {
    for (const [seq, key] of ["medico", "data"].entries())
      await sql`insert into contact_field (account_id, key, label, kind, seq)
        values (${account}::uuid, ${key}, ${key}, 'text', ${seq})`.execute(db);
  });

  test("are stored with what is said without a value, and shown; those that the text does not use are dropped", async () => {
    const { status, body } = await post(form({ text, variables }));
    expect([status, body.variables]).toEqual([201, variables]);
    const { rows } = await sql`select variables from campaign where id = ${body.id}`.execute(db);
    expect(rows).toEqual([{ variables: variables.map((each) => ({ ...each, kind: "text" })) }]);
    const unused = await post(form({ text: "{medico}", variables, intent: "draft" }));
    expect(unused.body.variables).toEqual(variables.slice(0, 1));
    const put = await api(account)<Campaign>(
      "PUT",
      `/api/campaigns/${unused.body.id}`,
      form({ text, variables }),
    );
    expect([put.status, put.body.variables]).toEqual([200, variables]);
  });

  test("and the surname, which is no field, are decided alike", async () => {
    const surname = [{ key: "sobrenome", fallback: null }];
    const { status, body } = await post(form({ text: "Sr. {sobrenome}", variables: surname }));
    expect([status, body.variables]).toEqual([201, surname]);
    const undecided = await post<ErrorAnswer>(form({ text: "Sr. {sobrenome} [Sobrenome]" }));
    expect([undecided.status, undecided.body.details?.placeholders]).toEqual([
      422,
      [
        { found: "{sobrenome}", replacement: null },
        { found: "[Sobrenome]", replacement: "{sobrenome}" },
      ],
    ]);
  });

  test("that nothing was chosen for go out as they are only when confirmed", async () => {
    const { status, body } = await post<ErrorAnswer>(form({ text, variables: variables.slice(0, 1) }));
    expect([status, body.code, body.details?.list]).toEqual([422, "campaign_placeholders", "{data}"]);
    expect((await post(form({ text, keepPlaceholders: true }))).body.variables).toEqual([]);
  });

  test.each([
    ["key", [{ key: "outro", fallback: null }], "Campo desconhecido."],
    ["fallback", [{ key: "data", fallback: " \u200b" }], "Preencha este campo."],
    ["fallback", [{ key: "data", fallback: "x".repeat(501) }], "Use no máximo 500 caracteres."],
    ["fallback", [{ key: "data", fallback: "a\0" }], "O texto contém caracteres inválidos."],
  ])("a wrong %s of %j is refused with the reason", async (part, given, reason) => {
    expect(await refusal({ text, variables: given })).toEqual({ [`variables.0.${part}`]: reason });
  });

  test("named twice are refused", async () => {
    expect(await refusal({ text, variables: [variables[1], variables[1]] })).toEqual({
      variables: "Escolha cada campo uma vez só.",
    });
  });

  test("of another account are unknown", async () => {
    account = await accountRow(db);
    listId = await listRow(db, account);
    connectionId = await connectionRow(db, account);
    expect(await refusal({ text, variables })).toEqual({
      "variables.0.key": "Campo desconhecido.",
      "variables.1.key": "Campo desconhecido.",
    });
  });
});

test("values of a list's people are shown as messages say them, with how many lack each, and not those of others", async () => {
  await sql`insert into contact_field (account_id, key, label, kind, seq)
    values (${account}::uuid, 'preco', 'Preço', 'number', 0), (${account}::uuid, 'lote', 'Lote', 'text', 1),
      (${account}::uuid, 'dia', 'Dia', 'date', 2)`.execute(db);
  await sql`update person p set fields = '{"preco": 1234.5, "lote": "2026-01-05", "dia": "2026-01-05"}' from membership m
    where m.person_id = p.id and m.list_id = ${listId} and m.seq = 0`.execute(db);
  const values = (as: string, ...keys: string[]) =>
    api(as)<AudienceCount>("POST", "/api/audience/count", {
      listId,
      audience: null,
      variables: keys.map((key) => ({ key, fallback: "x" })),
    });
  const { status, body } = await values(account, "preco", "lote", "dia", "sumiu");
  expect(status).toBe(200);
  expect(body.items[0]?.texts).toEqual({ preco: "1.234,5", lote: "2026-01-05", dia: "05/01/2026" });
  expect(body.items.slice(1).map(({ texts }) => texts)).toEqual(body.items.slice(1).map(() => ({})));
  const lacking = body.items.length - 1;
  expect(body.missing).toEqual({ preco: lacking, lote: lacking, dia: lacking, sumiu: body.items.length });
  expect((await values(account)).body).toMatchObject({ missing: {}, gets: body.items.length });
  expect((await values(await accountRow(db), "preco")).status).toBe(404);
});
