import { sql } from "kysely";
import { afterAll, describe, expect, test, vi } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { imageRow } from "../../../tests/support/campaign-rows.ts";
import { testLog } from "../../../tests/support/database.ts";
import { deviceLab } from "../../../tests/support/device-lab.ts";
import { laneProcesses } from "../../../tests/support/lane-process.ts";
import { scriptedGateway } from "../../../tests/support/scripted-gateway.ts";
import { makeAccount, makeConnection } from "../../../tests/support/sending.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import type { TestSend } from "../../contract/test-sends.ts";
import { LEAVE_HINT } from "../../domain/leave-hint.ts";
import { systemClock } from "../base/clock.ts";
import { findOutgoing } from "../files/repo.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { loadMessageKey } from "../sending/ledger/message-key.ts";
import { LANE_TIMES } from "../sending/ledger/timing.ts";
import { openOutboxWaiter } from "../sending/outbox/waiter.ts";
import { openLanes } from "../sending/ownership/lanes.ts";
import { settleProviderReceipts } from "../sending/receipts/provider-messages.ts";
import { mountTestSends } from "./routes.ts";
import { testSendService } from "./test-send.ts";

const lab = await deviceLab();
const { db, database, whatsapp } = lab;
const QUICK = { retry: [5, 5], doubt: 30, backoff: [20, 40], flush: 10, poll: 20, aside: 20 };
const outbox = await openOutboxWaiter(database);
const lanes = await openLanes({
  readFile: findOutgoing,
  queues: new FairQueues(systemClock),
  database,
  clock: systemClock,
  log: testLog,
  open: { device: lab.openDevice },
  random: () => 0,
  messages: async () => undefined,
  mark: () => undefined,
  times: { ...LANE_TIMES, ...QUICK },
  messageKey: await loadMessageKey(db),
  resend: "same-id",
});
const startGateway = laneProcesses({ database });
const apiWith = (answerMs: number) =>
  testApi(db, (app) => mountTestSends(app, testSendService({ outbox, answerMs })));
const patient = apiWith(60_000);
const hasty = apiWith(1);

afterAll(async () => {
  await lanes.close(1_000);
  await outbox.close();
});

/** The receipt may come first. */
const OUT = expect.stringMatching(/^(sent|delivered)$/) as unknown;

let number = 5511900002000;
const digits = () => String(number++);

async function linked() {
  const accountId = await makeAccount(db);
  const phone = digits();
  const { rows } = await sql<{ id: number }>`
    insert into connection (account_id, kind, device_id, name, desired, state)
    values (${accountId}::uuid, 'device', ${phone}, 'Matriz', 'connected', 'connecting') returning id`.execute(
    db,
  );
  const connectionId = rows[0]?.id ?? 0;
  const column = async (name: "qr" | "state") =>
    (
      await sql<{
        value: string | null;
      }>`select ${sql.ref(name)} as value from connection where id = ${connectionId}`.execute(db)
    ).rows[0]?.value;
  const qr = await vi.waitUntil(() => column("qr"), { timeout: 60_000 });
  await whatsapp.scan({ qr: qr ?? "", phone });
  await vi.waitUntil(async () => (await column("state")) === "connected", { timeout: 60_000 });
  return { accountId, phone, connectionId, ...callsOf(accountId) };
}

function callsOf(accountId: string) {
  const send = <T = TestSend>(body: object, api = patient) =>
    api(accountId)<T>("POST", "/api/campaigns/test", { text: "Oi, {nome}!", ...body });
  const get = async (id: number) =>
    (await patient(accountId)<TestSend>("GET", `/api/campaigns/test/${id}`)).body;
  return { send, get };
}

const rowsOf = async (accountId: string) => {
  const { rows } = await sql<{ origin: string; phone: string; text: string; status: number }>`
    select origin, phone::text as phone, text, status from outbox where account_id = ${accountId}::uuid order by id`.execute(
    db,
  );
  return rows;
};

test("to the connected number itself: the phone shows it, and it is counted in no campaign", async () => {
  const { accountId, phone, connectionId, send } = await linked();
  const { status, body } = await send({ number: phone, name: "Ana" });
  expect([status, body]).toMatchObject([201, { phone, connectionId, status: OUT, error: null }]);
  const { messages } = await whatsapp.messages({ to: phone, atLeast: 1 });
  expect(messages.map(({ text, shown }) => [text, shown])).toEqual([["Oi, Ana!", true]]);
  expect(await rowsOf(accountId)).toMatchObject([{ origin: "test", phone, text: "Oi, Ana!" }]);
  const counted = await sql`select 1 from campaign where account_id = ${accountId}::uuid
    union all select 1 from campaign_day d join campaign c on c.id = d.campaign_id where c.account_id = ${accountId}::uuid`.execute(
    db,
  );
  expect(counted.rows).toEqual([]);
});

test("MS01 a test says {primeiro_nome} as the campaign would, and asks nothing about other placeholders", async () => {
  const { accountId, phone, send } = await linked();
  const { status } = await send({ number: phone, name: "Ana Rocha", text: "Oi, {primeiro_nome}, {{name}}!" });
  expect(status).toBe(201);
  expect(await rowsOf(accountId)).toMatchObject([{ text: "Oi, Ana, {{name}}!" }]);
});

test("a test has the line about leaving where the campaign would", async () => {
  const { accountId, phone, send } = await linked();
  expect((await send({ number: phone, name: "Ana", leaveHint: true })).status).toBe(201);
  expect(await rowsOf(accountId)).toMatchObject([{ text: `Oi, Ana!\n\n${LEAVE_HINT}` }]);
});

test("to another number: whatever the phone tells is shown, first that it arrived, then that it was read", async () => {
  const { phone, send, get } = await linked();
  const to = digits();
  const { body } = await send({ number: `(11) ${to.slice(4, 9)}-${to.slice(9)}` });
  const { messages } = await whatsapp.messages({ to, atLeast: 1 });
  expect(messages.map(({ text }) => text)).toEqual(["Oi!"]);
  await vi.waitFor(async () => expect((await get(body.id)).status).toBe("delivered"), 60_000);
  await whatsapp.receipts({ from: to, to: phone, ids: [messages[0]?.id ?? ""], type: "read" });
  await vi.waitFor(
    async () => expect(await get(body.id)).toMatchObject({ status: "read", phone: to }),
    60_000,
  );
});

test("a number without WhatsApp is an error with its cause, and a test changes no opt-out", async () => {
  const { accountId, send } = await linked();
  const stranger = digits();
  await whatsapp.people({ phones: [stranger], settings: { onWhatsApp: false } });
  const failed = await send({ number: stranger });
  expect([failed.status, failed.body]).toMatchObject([
    201,
    { status: "error", error: { code: "not_on_whatsapp", text: "este número não tem WhatsApp" } },
  ]);
  const left = digits();
  await sql`insert into opt_out (account_id, phone, source) values (${accountId}::uuid, ${left}::bigint, 'manual')`.execute(
    db,
  );
  expect((await send({ number: left })).body.status).toEqual(OUT);
  const kept =
    await sql`select phone::text as phone, source from opt_out where account_id = ${accountId}::uuid`.execute(
      db,
    );
  expect(kept.rows).toEqual([{ phone: left, source: "manual" }]);
});

test("F19 a look-up whose answer names no number is not remembered, and the message waits", async () => {
  const { send, get } = await linked();
  const to = digits();
  await whatsapp.faults({ bareLookups: { code: null, count: 1_000 } });
  const { body } = await send({ number: to }, hasty);
  const waits = () =>
    sql`select 1 from outbox where phone = ${to}::bigint and not_before is not null`.execute(db);
  await expect.poll(async () => (await waits()).rows.length, { timeout: 60_000 }).toBe(1);
  expect((await get(body.id)).error).toBeNull();
  const remembered = await sql`select 1 from wa_address where phone = ${to}::bigint`.execute(db);
  expect(remembered.rows).toEqual([]);
});

test("one key is one message, asked for as often as you like, also when the connection has gone", async () => {
  const { accountId, phone, connectionId, send } = await linked();
  const to = digits();
  const body = { number: to, name: "Ana", idempotencyKey: "aperto-1" };
  const first = await send(body, hasty);
  expect(first.status).toBe(201);
  expect((await send(body)).body).toMatchObject({ id: first.body.id, status: OUT });
  const other = await send<ErrorAnswer>({ ...body, text: "Outro texto" });
  expect([other.status, other.body.code]).toEqual([409, "idempotency_mismatch"]);
  await sql`update connection set desired = 'disconnected' where id = ${connectionId}`.execute(db);
  expect((await send(body)).body.id).toBe(first.body.id);
  const refused = await send<ErrorAnswer>({ number: phone, connectionId });
  expect([refused.status, refused.body.code]).toEqual([409, "device_not_connected"]);
  expect(await rowsOf(accountId)).toHaveLength(1);
  expect((await whatsapp.messages({ to, shown: false })).messages).toHaveLength(1);
});

describe("what a campaign would refuse is refused", () => {
  test.each([
    ["an empty message", { text: " " }, { text: "Escreva a mensagem." }],
    ["no number", { number: "" }, { number: "Falta o telefone." }],
    [
      "a number without its area code, and a name too long",
      { number: "90234-1187", nameFallback: "x".repeat(121) },
      {
        number: "Falta o DDD. Use DDD e número: 31 90234-1187",
        nameFallback: "Use no máximo 120 caracteres.",
      },
    ],
    ["half a character", { name: "\ud800" }, { name: "O texto contém caracteres inválidos." }],
  ])("%s", async (_what, body, fields) => {
    const accountId = await makeAccount(db);
    await makeConnection(db, accountId);
    const answer = await callsOf(accountId).send<ErrorAnswer>({ number: "11987654321", ...body });
    expect([answer.status, answer.body]).toMatchObject([422, { code: "invalid_fields", fields }]);
    expect(await rowsOf(accountId)).toEqual([]);
  });

  test("a caption that is too long for its picture", async () => {
    const accountId = await makeAccount(db);
    const attachmentId = await imageRow(db, accountId);
    const body = { number: "11987654321", text: "x".repeat(1_025), attachmentId };
    const answer = await callsOf(accountId).send<ErrorAnswer>(body);
    expect([answer.status, answer.body.fields]).toEqual([
      422,
      { text: "Com um arquivo, o texto vai até 1.024 caracteres." },
    ]);
  });

  test("no connection at all, and one that waits for a person", async () => {
    const accountId = await makeAccount(db);
    const { send } = callsOf(accountId);
    const none = await send<ErrorAnswer>({ number: "11987654321" });
    expect([none.status, none.body.code]).toEqual([422, "campaign_no_default_connection"]);
    const connectionId = await makeConnection(db, accountId, "instance");
    await sql`update connection set state = 'pending' where id = ${connectionId}`.execute(db);
    const waits = await send<ErrorAnswer>({ number: "11987654321", connectionId });
    expect([waits.status, waits.body.code]).toEqual([409, "device_not_connected"]);
    expect(await rowsOf(accountId)).toEqual([]);
  });
});

test("over an instance: the gateway gets it once, and its webhooks say that it was read", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const gateway = scriptedGateway({});
  await startGateway({ instance: () => gateway.transport, times: { ...QUICK }, resend: "never" });
  const { send, get } = callsOf(accountId);
  const { body } = await send({ number: "5531987654321", name: "Bia", connectionId });
  expect(body).toMatchObject({ connectionId, status: "accepted" });
  expect(gateway.held.map(({ text }) => text)).toEqual(["Oi, Bia!"]);
  await settleProviderReceipts(db, connectionId, [
    { messageId: gateway.held[0]?.id ?? "", status: "read", at: new Date() },
  ]);
  expect((await get(body.id)).status).toBe("read");
});

test("a test of several messages sends each after the one before, and a repeated request none again", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId, "instance");
  const gateway = scriptedGateway({ slots: 4 });
  await startGateway({ instance: () => gateway.transport, times: { ...QUICK }, resend: "never" });
  const { send } = callsOf(accountId);
  const moreAttachmentIds = [await imageRow(db, accountId), await imageRow(db, accountId)];
  const body = {
    number: "5531987654322",
    name: "Bia",
    connectionId,
    moreAttachmentIds,
    idempotencyKey: "t-1",
  };
  const first = await send(body);
  expect(first.body).toMatchObject({ status: "accepted" });
  expect((await send(body)).body.id).toBe(first.body.id);
  expect(gateway.held.map(({ text, kind }) => [text, kind])).toEqual([
    ["Oi, Bia!", "text"],
    ["", "image"],
    ["", "image"],
  ]);
});

test("only tests are found as tests, and only one's own", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, message_id, body_hash, status, origin)
    values (${accountId}::uuid, ${connectionId}, 5511987654321, 'Olá', 'T1', '', 6, 'chat') returning id`.execute(
    db,
  );
  const asked = await patient(accountId)("GET", `/api/campaigns/test/${rows[0]?.id}`);
  expect(asked.status).toBe(404);
});
