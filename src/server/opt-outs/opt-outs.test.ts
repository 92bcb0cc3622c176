import { sql } from "kysely";
import { expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { campaignRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { placePeople } from "../../../tests/support/people-rows.ts";
import { makeAccount, makeConnection } from "../../../tests/support/sending.ts";
import { undoForTests } from "../../../tests/support/undo.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import { ownerOf } from "../db/owner.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";
import { whyLeftOut } from "../sending/ledger/left-out.ts";
import { mountOptOuts } from "./routes.ts";
import { optOutService } from "./service.ts";

const database = await testDatabase();
const { db } = database;
const clock = manualClock();
const marks: string[] = [];
const changes = { mark: (_: string, topic: string) => void marks.push(topic) };
const service = optOutService({ changes, undo: undoForTests(clock) });
const callAs = testApi(db, (app) => mountOptOuts(app, service));
const contacts = contactsApp(database);

type Listed = {
  optOuts: { phone: string; name: string | null; source: string; at: string }[];
  total: number;
  next: string | null;
};

const confirmations = async (accountId: string) =>
  (
    await sql<{
      phone: string;
      text: string;
    }>`select phone::text as phone, text from outbox where account_id = ${accountId}::uuid`.execute(db)
  ).rows;

test("an opt-out reply is confirmed once, shown with the name, and reversible", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const lists = contacts.as(accountId);
  await lists.call("POST", "/api/contacts", { name: "Rafaela", phone: "31 98765-4321" });
  const unnamed = await listRow(db, accountId, 0);
  await placePeople(db, unnamed, sql`select 0 as seq, 5531987654321 as phone, '' as name`);
  const reply = { phone: "5531987654321", connectionId, text: "Sair." };
  await service.replied(owner, reply);
  await service.replied(owner, reply);

  expect(await confirmations(accountId)).toEqual([{ phone: reply.phone, text: OPT_OUT_CONFIRMATION }]);
  const { body } = await ana<Listed>("GET", "/api/opt-outs?search=rafa");
  expect(body).toMatchObject({
    optOuts: [
      { phone: reply.phone, name: "Rafaela", source: "reply", text: "Sair.", connectionName: "Matriz" },
    ],
    total: 1,
    next: null,
  });
  const first = async () =>
    (await lists.call<{ items: { first: unknown[] }[] }>("GET", "/api/contact-lists")).body.items[1]?.first;
  expect(await first()).toEqual([{ name: "Rafaela", phone: reply.phone, optedOut: true }]);

  expect((await ana("DELETE", `/api/opt-outs/${reply.phone}`)).status).toBe(200);
  expect((await ana("DELETE", `/api/opt-outs/${reply.phone}`)).status).toBe(404);
  expect(await first()).toEqual([{ name: "Rafaela", phone: reply.phone }]);
  await service.replied(owner, reply);
  expect(await confirmations(accountId)).toHaveLength(2);
});

test("the account's own words confirm, with the person's name where it is known", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  await sql`update account set opt_out_confirmation = 'Até logo, {nome}!' where id = ${accountId}::uuid`.execute(
    db,
  );
  await contacts.as(accountId).call("POST", "/api/contacts", { name: "Rafaela", phone: "31 98765-4321" });
  for (const phone of ["5531987654321", "5531987654322"])
    await service.replied(owner, { phone, connectionId, text: "SAIR" });
  await callAs(accountId)("POST", "/api/opt-outs", { phone: "31 98765-4323" });
  expect(await confirmations(accountId)).toEqual([
    { phone: "5531987654321", text: "Até logo, Rafaela!" },
    { phone: "5531987654322", text: "Até logo!" },
  ]);
});

test("a number is added by hand in any writing; what is no number gets a reason, nothing is stored", async () => {
  const ana = callAs(await makeAccount(db));
  expect((await ana("POST", "/api/opt-outs", { phone: "(31) 98765-0001" })).status).toBe(201);
  expect((await ana("POST", "/api/opt-outs", { phone: "5531987650001" })).status).toBe(201);
  const refused = await ana<{ code: string }>("POST", "/api/opt-outs", { phone: "98765" });
  expect([refused.status, refused.body.code]).toEqual([422, "invalid_fields"]);
  expect((await ana<Listed>("GET", "/api/opt-outs")).body.total).toBe(1);
});

test("a foreign opt-out is reversed by its listed digits, not for a Brazilian", async () => {
  const ana = callAs(await makeAccount(db));
  const remove = async (phone: string) =>
    (await ana("DELETE", `/api/opt-outs/${encodeURIComponent(phone)}`)).status;
  const listed = async () =>
    (await ana<Listed>("GET", "/api/opt-outs")).body.optOuts.map(({ phone }) => phone);
  const abroad = [
    "+51 987 654 321",
    "+56 9 6123 4567",
    "+1 786 555 0123",
    "+33 6 12 34 56 78",
    "+47 40 61 23 45",
  ];
  for (const phone of ["(51) 98765-4321", ...abroad])
    expect((await ana("POST", "/api/opt-outs", { phone })).status).toBe(201);

  for (const phone of (await listed()).slice(0, -1))
    expect([phone, await remove(phone)]).toEqual([phone, 200]);
  expect(await remove("+51987654321")).toBe(404);
  expect(await listed()).toEqual(["5551987654321"]);
  expect(await remove("(51) 98765-4321")).toBe(200);
});

test("a foreign contact opts out by its known digits, not a Brazilian", async () => {
  const accountId = await makeAccount(db);
  const ana = callAs(accountId);
  const connectionId = await makeConnection(db, accountId);
  await sql`insert into chat (account_id, connection_id, kind, phone, jid)
    values (${accountId}::uuid, ${connectionId}, 'person', 51987654321, '51987654321@s.whatsapp.net')`.execute(
    db,
  );
  await contacts.as(accountId).call("POST", "/api/contacts", { name: "Zoé", phone: "+33 6 12 34 56 78" });
  const leaves = async (call: typeof ana, phone: string) => {
    const { status, body } = await call<{ phone: string }>("POST", "/api/opt-outs", { phone });
    return [status, body.phone];
  };

  expect(await leaves(ana, "51987654321")).toEqual([201, "51987654321"]);
  expect(await leaves(ana, "33612345678")).toEqual([201, "33612345678"]);
  expect(await leaves(ana, "(51) 98765-4321")).toEqual([201, "5551987654321"]);
  const bia = callAs(await makeAccount(db));
  expect(await leaves(bia, "51987654321")).toEqual([201, "5551987654321"]);
  expect(await leaves(bia, "33612345678")).toEqual([422, undefined]);
});

test("pages neither repeat nor lose anybody, and a cursor that is none is refused", async () => {
  const accountId = await makeAccount(db);
  await sql`insert into opt_out (account_id, phone, source, created_at)
    select ${accountId}::uuid, 5531900000000 + i, 'manual', now() - (i / 3) * interval '1 microsecond' from generate_series(1, 250) i`.execute(
    db,
  );
  const ana = callAs(accountId);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body }: { body: Listed } = await ana<Listed>(
      "GET",
      `/api/opt-outs${cursor ? `?cursor=${cursor}` : ""}`,
    );
    seen.push(...body.optOuts.map((one) => one.phone));
    cursor = body.next;
  }
  expect(seen).toHaveLength(250);
  expect(new Set(seen).size).toBe(250);
  expect((await ana("GET", "/api/opt-outs?cursor=x'")).status).toBe(422);
  for (const skip of [0, 120, 249, 250]) {
    const { body } = await ana<Listed>("GET", `/api/opt-outs?skip=${skip}&limit=20`);
    expect(body.optOuts.map((one) => one.phone)).toEqual(seen.slice(skip, skip + 20));
  }
  const { body } = await ana<Listed>("GET", "/api/opt-outs?search=5531900000&skip=245");
  expect(body.optOuts.map((one) => one.phone)).toEqual(seen.slice(245));
  for (const wrong of ["skip=-1", "skip=x", "limit=0", "limit=201"])
    expect((await ana("GET", `/api/opt-outs?${wrong}`)).status).toBe(422);
});

const rowsOf = async (accountId: string) =>
  (
    await sql<{ row: string }>`select o::text as row from opt_out o where account_id = ${accountId}::uuid
      order by phone`.execute(db)
  ).rows.map(({ row }) => row);

type Removed = { undo: string };

test("a removal is taken back: the same row to the microsecond, with its words and its connection", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const phone = "5531987654321";
  await service.replied(ownerOf(db, accountId), { phone, connectionId, text: "Sair." });
  const before = await rowsOf(accountId);
  const { undo } = (await ana<Removed>("DELETE", `/api/opt-outs/${phone}`)).body;
  expect(await rowsOf(accountId)).toEqual([]);
  const restored = await ana("POST", "/api/opt-outs/restore", { undo });
  expect(restored).toMatchObject({ status: 200, body: { phone, source: "reply", text: "Sair." } });
  expect(await rowsOf(accountId)).toEqual(before);
  expect((await ana("POST", "/api/opt-outs/restore", { undo })).status).toBe(200);
  expect(await rowsOf(accountId)).toEqual(before);
  expect(await confirmations(accountId)).toHaveLength(1);
});

test("a newer opt-out survives undo; a deleted connection does not prevent it", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const reply = { phone: "5531987650002", connectionId, text: "PARAR" };
  await service.replied(owner, reply);
  const first = (await ana<Removed>("DELETE", `/api/opt-outs/${reply.phone}`)).body;
  await service.replied(owner, { ...reply, text: "SAIR" });
  await ana("POST", "/api/opt-outs/restore", { undo: first.undo });
  expect((await ana<Listed>("GET", "/api/opt-outs")).body.optOuts).toMatchObject([{ text: "SAIR" }]);

  const second = (await ana<Removed>("DELETE", `/api/opt-outs/${reply.phone}`)).body;
  await sql`delete from outbox where account_id = ${accountId}::uuid`.execute(db);
  const { restored } = await unhurried(db, async (tx) => {
    await sql`delete from connection where id = ${connectionId}`.execute(tx);
    const asked = ana("POST", "/api/opt-outs/restore", { undo: second.undo });
    await untilWaiting(db);
    return { restored: asked };
  });
  expect(await restored).toMatchObject({
    status: 200,
    body: { text: "SAIR", connectionName: null },
  });
});

test("what can no longer be undone says so: another account's, an altered one, one of long ago", async () => {
  const accountId = await makeAccount(db);
  const ana = callAs(accountId);
  const bruno = callAs(await makeAccount(db));
  await ana("POST", "/api/opt-outs", { phone: "31 98765-0003" });
  const { undo } = (await ana<Removed>("DELETE", "/api/opt-outs/5531987650003")).body;
  const late = { status: 409, body: { code: "undo_too_late", error: "Não dá mais para desfazer." } };
  expect(await bruno("POST", "/api/opt-outs/restore", { undo })).toMatchObject(late);
  for (const wrong of [`${undo.slice(0, -4)}AAAA`, "x", "ç 😀", undo.slice(0, 30)])
    expect(await ana("POST", "/api/opt-outs/restore", { undo: wrong })).toMatchObject(late);
  clock.advance(10 * 60_000 + 1);
  expect(await ana("POST", "/api/opt-outs/restore", { undo })).toMatchObject(late);
  expect(await rowsOf(accountId)).toEqual([]);
});

test("a manual entry can be undone only if nothing followed from it", async () => {
  const accountId = await makeAccount(db);
  const ana = callAs(accountId);
  const add = async (phone: string) =>
    (await ana<{ reversible: boolean }>("POST", "/api/opt-outs", { phone })).body.reversible;
  expect(await add("31 98765-0004")).toBe(true);
  expect(await add("31 98765-0004")).toBe(false);
  const phone = "5531987650005";
  const id = await campaignRow(db, accountId, { status: "sending", people: { pending: 1 } });
  await sql`update delivery set phone = ${phone}::bigint where campaign_id = ${id}`.execute(db);
  expect(await add(phone)).toBe(false);
});

test("who says it themselves after having been entered by hand has left for good: confirmed, and the hand undoes nothing", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const phone = "5531987654399";
  await ana("POST", "/api/opt-outs", { phone });
  await sql`update opt_out set created_at = now() - interval '1 minute' where account_id = ${accountId}::uuid`.execute(
    db,
  );
  const listed = async () => (await ana<Listed>("GET", "/api/opt-outs")).body.optOuts[0];
  const entered = await listed();
  await service.replied(owner, { phone, connectionId, text: "PARAR" });
  await service.replied(owner, { phone, connectionId, text: "SAIR" });

  expect(await ana("DELETE", `/api/opt-outs/${phone}?at=${entered?.at}`)).toMatchObject({
    status: 409,
    body: { code: "undo_too_late" },
  });
  const left = await listed();
  expect(left).toMatchObject({ phone, source: "reply", text: "PARAR" });
  expect(await confirmations(accountId)).toEqual([{ phone, text: OPT_OUT_CONFIRMATION }]);
  expect(await ana("DELETE", `/api/opt-outs/${phone}?at=0000-02-29T00:00:00Z`)).toMatchObject({
    status: 409,
    body: { code: "undo_too_late" },
  });
  expect((await ana("DELETE", `/api/opt-outs/${phone}?at=${left?.at}`)).status).toBe(200);
  expect((await ana("DELETE", `/api/opt-outs/${phone}?at=${left?.at}`)).status).toBe(404);
});

test("several who leave at once take their campaigns in the order of a pause at the limit: neither waits for the other", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const people = { status: "sending", people: { pending: 1 } } as const;
  const [first, second] = [
    await campaignRow(db, accountId, people),
    await campaignRow(db, accountId, people),
  ];
  const phoneOf = (campaign: number) => String(5_531_987_000_000 + campaign);
  await sql`update delivery set phone = 5531987000000 + campaign_id where campaign_id in (${first}, ${second})`.execute(
    db,
  );
  const replies = [second, first].map((one) => ({ phone: phoneOf(one), connectionId, text: "SAIR" }));
  const leaving = await unhurried(db, async (pause) => {
    const take = (id: number) =>
      sql`select 1 from campaign where id = ${id} for no key update nowait`.execute(pause);
    await take(first);
    const left = service.replied(ownerOf(db, accountId), ...replies);
    await untilWaiting(db);
    await take(second);
    return { left };
  });
  await leaving.left;
  const { rows } = await sql`select error from delivery where campaign_id in (${first}, ${second})`.execute(
    db,
  );
  expect(rows).toEqual([{ error: "opted_out" }, { error: "opted_out" }]);
});

test("F26 who leaves while a restored copy is held is out, and gets no second confirmation beside the original's", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  await writeRestoreLock(db, new Date().toISOString());
  await service.replied(owner, { phone: "5531987654321", connectionId, text: "SAIR" });
  await endRestoreLock(db);
  expect(await whyLeftOut(owner, "5531987654321")).toBe("opted_out");
  expect(await confirmations(accountId)).toEqual([]);
});

test("connection pages refresh when the last recipient of a waiting campaign opts out", async () => {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const id = await campaignRow(db, accountId, { status: "sending", connectionId, people: { waiting: 1 } });
  const { rows } = await sql<{
    phone: string;
  }>`with c as (update campaign set cursor = total where id = ${id})
    select phone::text as phone from delivery where campaign_id = ${id}`.execute(db);
  marks.length = 0;
  await callAs(accountId)("POST", "/api/opt-outs", { phone: `+${rows[0]?.phone}` });
  const lives = await sql`select status from campaign where id = ${id}`.execute(db);
  expect(lives.rows).toEqual([{ status: "ended" }]);
  expect(marks).toContain("connections");
});

test("OP02 doubtful opt-outs are listed with their words; both decisions are recorded and reversible", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const asked = (phone: string) => ({ phone, connectionId, text: "me tira dessa lista", doubtful: true });
  await service.replied(owner, asked("5531987650021"), asked("5531987650022"));
  await service.replied(owner, { phone: "5531987650023", connectionId, text: "SAIR" });
  expect((await confirmations(accountId)).map(({ phone }) => phone)).toEqual(["5531987650023"]);

  type Undecided = Listed & { undecided: number };
  const listed = async (state: string) => (await ana<Undecided>("GET", `/api/opt-outs?state=${state}`)).body;
  const { optOuts, total, undecided } = await listed("undecided");
  expect([total, undecided]).toEqual([2, 2]);
  expect(optOuts[0]).toMatchObject({
    source: "asked",
    text: "me tira dessa lista",
    connectionName: "Matriz",
  });
  expect(await listed("left")).toMatchObject({ total: 1, undecided: 2 });

  const [second, first] = optOuts.map(({ phone, at }) => ({ phone, at }));
  const confirm = (phone: string, at: string) => ana("POST", `/api/opt-outs/${phone}/confirm`, { at });
  marks.length = 0;
  const stale = "2020-01-01T00:00:00.000Z";
  expect((await confirm(first?.phone ?? "", stale)).status).toBe(404);
  expect(
    (await callAs(await makeAccount(db))("POST", `/api/opt-outs/${first?.phone}/confirm`, {})).status,
  ).toBe(404);
  expect((await confirm(first?.phone ?? "", first?.at ?? "")).body).toMatchObject({
    phone: first?.phone,
    source: "reply",
    text: "me tira dessa lista",
  });
  expect((await confirm(first?.phone ?? "", first?.at ?? "")).status).toBe(404);
  expect(marks).toContain("contacts");
  const stays = await ana<{ undo: string }>("DELETE", `/api/opt-outs/${second?.phone}?at=${second?.at}`);
  expect(stays.status).toBe(200);
  expect((await listed("undecided")).total).toBe(0);
  expect((await listed("left")).total).toBe(2);
  const { rows } = await sql<{ kind: string }>`select kind from audit_event
    where account_id = ${accountId}::uuid order by id`.execute(db);
  expect(rows.map(({ kind }) => kind)).toEqual(["leaving_confirmed", "leaving_dismissed"]);

  expect((await ana("POST", "/api/opt-outs/restore", { undo: stays.body.undo })).body).toMatchObject({
    phone: second?.phone,
    source: "asked",
  });
  expect((await ana("POST", "/api/opt-outs", { phone: second?.phone })).body).toMatchObject({
    source: "reply",
    text: "me tira dessa lista",
    reversible: false,
  });
});
