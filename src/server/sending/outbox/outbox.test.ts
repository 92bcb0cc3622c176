import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeConnection } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting, waiting } from "../../../../tests/support/waiting.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { callersKey } from "../../../domain/direct-message.ts";
import { findListed } from "../../connections/repo.ts";
import { sendMessage } from "../../connections/send.ts";
import { ownerOf } from "../../db/owner.ts";
import { acquireConnection, removeConnection } from "../ownership/acquire.ts";
import {
  claimOutbox,
  enqueue,
  finishOutbox,
  type NewOutboxMessage,
  readOutbox,
  withdrawAnswers,
} from "./outbox.ts";
import { openOutboxWaiter } from "./waiter.ts";

const { db, database } = await testDatabase();

test("an assistant's answer that waited too long is not sent any more, and says why; what people wrote goes out however late", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const put = async (origin: NewOutboxMessage["origin"], minutesAgo: number) => {
    const to = { phone: "5531987654321" };
    const { id } = await enqueue(owner, {
      connectionId,
      to,
      text: `de ${origin}`,
      attachmentId: null,
      idempotencyKey: null,
      origin,
    });
    await sql`update outbox set created_at = now() - ${minutesAgo} * interval '1 minute' where id = ${id}`.execute(
      db,
    );
    return id;
  };
  const late = await put("agent", 16);
  const recent = await put("agent", 14);
  const typed = await put("chat", 600);
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);

  const claimed = await claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, 10, true);
  expect(claimed?.map(({ id }) => id)).toEqual([recent, typed]);
  expect(await readOutbox(owner, late)).toEqual({ id: late, state: "error", error: "answer_late" });
});

test("an answer that is withdrawn at the moment it is to be handed out stays withdrawn", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5531987654324" },
    text: "Sim",
    attachmentId: null,
    idempotencyKey: null,
    origin: "agent",
  });
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);
  const { claiming } = await unhurried(db, async (tx) => {
    await withdrawAnswers(owner.in(tx), { ids: [id] });
    const claim = claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, 10, true);
    claim.catch(() => undefined);
    await untilWaiting(db);
    return { claiming: claim };
  });
  expect(await claiming).toEqual([]);
  expect(await readOutbox(owner, id)).toEqual({ id, state: "error", error: "answer_withdrawn" });
});

test("who takes a connection over waits for what is being handed out there, and finds it", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5531987654330" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);
  let taken: unknown = null;
  const { both } = await unhurried(db, async (tx) => {
    await sql`select 1 from outbox where id = ${id} for update`.execute(tx);
    const claiming = claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, 10, true);
    await untilWaiting(db);
    const taking = acquireConnection(db, connectionId, randomUUID(), "resend").then((result) => {
      taken = result;
    });
    await expect.poll(async () => taken !== null || (await waiting(db)) === 2).toBe(true);
    return { both: Promise.all([claiming, taking]) };
  });
  const [claimed] = await both;
  expect(claimed?.map((one) => one.id)).toEqual([id]);
  const after = await sql`select status, ambiguous from outbox where id = ${id}`.execute(db);
  expect(after.rows).toEqual([{ status: DELIVERY.waiting, ambiguous: true }]);
  expect(await claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, 10, true)).toBeNull();
});

test("what is to be tried again later is handed out at its time", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5531987654331" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: null,
    origin: "chat",
  });
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);
  const dueIn = async (seconds: number) => {
    await sql`update outbox set status = 2, not_before = now() + ${seconds} * interval '1 second' where id = ${id}`.execute(
      db,
    );
    const claimed = await claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, 10, true);
    return claimed?.map((one) => one.id);
  };
  expect(await dueIn(600)).toEqual([]);
  expect(await dueIn(0)).toEqual([id]);
  expect(await dueIn(86_400)).toEqual([id]);
});

test("what programs store goes after what people write and are answered, and each of them in its order", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const put = async (origin: NewOutboxMessage["origin"]) => {
    const to = { phone: "5531987654323" };
    const rest = { attachmentId: null, idempotencyKey: null, origin };
    return (await enqueue(owner, { connectionId, to, text: `de ${origin}`, ...rest })).id;
  };
  const programs = [await put("api"), await put("api"), await put("api")];
  const people = [await put("chat"), await put("agent"), await put("opt_out"), await put("test")];
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);
  const claim = (want: number) => claimOutbox(db, { connectionId, fence: rows[0]?.fence ?? -1 }, want, true);
  expect((await claim(5))?.map(({ id }) => id)).toEqual([...people, programs[0]]);
  expect((await claim(5))?.map(({ id }) => id)).toEqual(programs.slice(1));
});

test("an answer that may have left already stays in doubt, however old", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const { id } = await enqueue(owner, {
    connectionId,
    to: { phone: "5531987654322" },
    text: "Sim",
    attachmentId: null,
    idempotencyKey: null,
    origin: "agent",
  });
  await sql`update outbox set created_at = now() - interval '1 day', status = 2, ambiguous = true where id = ${id}`.execute(
    db,
  );
  const { rows } = await sql<{
    fence: number;
  }>`select fence from connection where id = ${connectionId}`.execute(db);
  const lane = { connectionId, fence: rows[0]?.fence ?? -1 };
  expect(await claimOutbox(db, lane, 10, false)).toEqual([]);
  expect((await readOutbox(owner, id))?.state).toBe("waiting");
  await withdrawAnswers(owner, { ids: [id] });
  expect((await readOutbox(owner, id))?.state).toBe("waiting");
  await sql`update outbox set status = 1, ambiguous = false where id = ${id}`.execute(db);
  expect(await claimOutbox(db, lane, 10, false)).toEqual([]);
  expect((await readOutbox(owner, id))?.state).toBe("sending");
});

test("what a former owner knows of a message, or an answer that its receipt overtook, is no news of it", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const put = async (status: number) => {
    const rest = { attachmentId: null, idempotencyKey: null, origin: "api" as const };
    const { id } = await enqueue(owner, {
      connectionId,
      to: { phone: "5531987654329" },
      text: "Oi",
      ...rest,
    });
    await sql`update outbox set status = ${status}, fence = 2, at = now() where id = ${id}`.execute(db);
    return id;
  };
  const refused = { at: Date.now(), error: "wa_463", attempts: 1, ambiguous: false, delayMs: 0 };
  const onTheWire = await put(DELIVERY.sending);
  await finishOutbox(db, 1, onTheWire, { ...refused, status: DELIVERY.error });
  expect(await readOutbox(owner, onTheWire)).toMatchObject({ state: "sending", error: null });
  const delivered = await put(DELIVERY.delivered);
  await finishOutbox(db, 2, delivered, { ...refused, error: null, status: DELIVERY.sent });
  expect((await readOutbox(owner, delivered))?.state).toBe("delivered");
  await finishOutbox(db, 2, onTheWire, { ...refused, status: DELIVERY.error });
  expect(await readOutbox(owner, onTheWire)).toMatchObject({ state: "error", error: "wa_463" });
});

test("another account neither writes through a connection, nor reads or takes back what goes through it", async () => {
  const [owner, other] = [ownerOf(db, await makeAccount(db)), ownerOf(db, await makeAccount(db))];
  const connectionId = await makeConnection(db, owner.accountId);
  const message: NewOutboxMessage = {
    connectionId,
    to: { phone: "5531987654328" },
    text: "Oi",
    attachmentId: null,
    idempotencyKey: "a",
    origin: "agent",
  };
  await expect(enqueue(other, message)).rejects.toMatchObject({ code: "not_found" });
  const { id } = await enqueue(owner, message);
  await expect(enqueue(other, message)).rejects.toMatchObject({ code: "not_found" });
  expect(await readOutbox(other, id)).toBeUndefined();
  await withdrawAnswers(other, { ids: [id] });
  await withdrawAnswers(other, { connectionId });
  expect((await readOutbox(owner, id))?.state).toBe("pending");
  await withdrawAnswers(owner, { ids: [id] });
  expect(await readOutbox(owner, id)).toMatchObject({ error: "answer_withdrawn" });
});

test("no key of a caller's is one of our own, and two of a caller's are never one", async () => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const to = { phone: "5531987654323" };
  const put = (idempotencyKey: string, text: string) =>
    enqueue(owner, { connectionId, to, text, attachmentId: null, idempotencyKey, origin: "agent" });
  const ours = ["agent:7", "chat_retry:7", "test:pedido", `opt_out:${to.phone}:1795219200000`];
  for (const key of ours) await put(callersKey(key), "de quem chama");
  for (const key of ours) expect(await put(key, "nossa")).toMatchObject({ existing: false });
  const theirs = [...ours, ...ours.map((key) => callersKey(key)), "pedido-1", "pedido:1"];
  expect(new Set(theirs.map((key) => callersKey(key))).size).toBe(theirs.length);
  expect(callersKey("pedido-1")).toBe("pedido-1");
});

test.each([
  ["not sent yet", DELIVERY.pending, { code: "device_not_connected" }],
  ["tried again later, for it has surely not left", DELIVERY.waiting, { code: "device_not_connected" }],
  ["on the wire", DELIVERY.sending, { code: "send_uncertain" }],
])("who waits for a message hears at once that its connection was removed: %s", async (_, status, end) => {
  const owner = ownerOf(db, await makeAccount(db));
  const connectionId = await makeConnection(db, owner.accountId);
  const device = await findListed(owner, connectionId);
  if (!device) throw new Error("no connection");
  const waiter = await openOutboxWaiter(database);
  onTestFinished(() => waiter.close());
  const uploadFrom = () => Promise.reject(new Error("no picture"));
  const listens = Promise.withResolvers<void>();
  const wait: typeof waiter.wait = (...asked) => {
    const result = waiter.wait(...asked);
    listens.resolve();
    return result;
  };
  const deps = { files: { uploadFrom, kindOf: uploadFrom }, outbox: { wait }, answerMs: 3_600_000 };
  const body = { deviceId: device.device_id, number: "5531987654327", message: "Oi" };
  const refused = expect(sendMessage(deps, owner, device, body)).rejects.toMatchObject(end);
  await listens.promise;
  await sql`update outbox set status = ${status}, fence = 0 where connection_id = ${connectionId}`.execute(
    db,
  );
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  await removeConnection(db, { connectionId, fence: 0 });
  await refused;
});
