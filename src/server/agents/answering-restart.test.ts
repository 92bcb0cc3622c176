import { sql } from "kysely";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { markSuspended, unmarkSuspended } from "../accounts/repo.ts";
import { type Failpoint, setFailpoint } from "../base/failpoint.ts";
import { ownerOf } from "../db/owner.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";

const database = await testDatabase();
const { db } = database;
const { mistral, arrange, open, settled } = await agentLab(database);
const ANA = "5511987654321";

afterEach(() => setFailpoint(null));

function breakAt(step: Failpoint): void {
  let left = 1;
  setFailpoint((name) => {
    if (name !== step || left === 0) return;
    left -= 1;
    throw new Error("on purpose");
  });
}

test.each(["answer_begun", "answer_thought", "answer_stored"] as const)(
  "broken off at %s and taken up again, it answers once",
  async (step) => {
    const { write, got, trace } = await arrange();
    breakAt(step);
    await write(ANA, "Oi");
    expect(await got()).toEqual(["Atendente: Oi (1)"]);
    expect(await trace()).toEqual(["sent"]);
  },
);

test("an answer whose beginning ends its process each time is given up, and said to be", async () => {
  const { write, got, trace, connectionId } = await arrange();
  let breaks = true;
  setFailpoint((name) => {
    if (breaks && name === "answer_begun") throw new Error("on purpose");
  });
  await write(ANA, "Oi");
  await expect.poll(trace).toEqual(["thinking"]);
  await sql`update agent_answer set tries = 8 where connection_id = ${connectionId}`.execute(db);
  breaks = false;
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual(["failed interrupted"]);
});

test("an answer aborted by our own stop is left to another process, not reported as Mistral's error", async () => {
  const own = await testDatabase();
  const lab = await agentLab(own);
  const { write, trace } = await lab.arrange();
  const asked = Promise.withResolvers<void>();
  lab.mistral.fail({ kind: "server_error" }, { times: 2, path: "/v1/agents/completions" });
  lab.mistral.answers(() => {
    asked.resolve();
    return new Promise<string>(() => undefined);
  });
  await write(ANA, "Oi");
  await asked.promise;
  await lab.close();
  const running = async () =>
    (await sql`select 1 from answer_job where taken_until is not null`.execute(own.db)).rows;
  await expect.poll(running, { timeout: 60_000 }).toEqual([]);
  expect(await trace()).toEqual(["thinking down"]);
});

test("an answer and its message are stored together or not at all", async () => {
  const { write, outbox, trace } = await arrange();
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$`.execute(
    db,
  );
  await sql`create trigger refuse before insert on outbox for each row
    when (new.origin = 'agent') execute function refuse()`.execute(db);
  const before = mistral.completions().length;
  await write(ANA, "Oi");
  while (mistral.completions().length === before) await new Promise((resolve) => setImmediate(resolve));
  expect([await trace(), await outbox()]).toEqual([["thinking"], []]);
  await sql`drop trigger refuse on outbox`.execute(db);
  await settled();
  expect([await trace(), (await outbox()).length]).toEqual([["sent"], 1]);
});

test("two processes, twenty people, every message delivered three times: each is answered once", async () => {
  await open();
  const { write, got, outbox } = await arrange();
  const people = Array.from({ length: 20 }, (_, i) => `55119876500${String(i).padStart(2, "0")}`);
  const incoming = people.map((phone) => ({ phone, message: { providerId: `3A${phone}`, text: "Oi" } }));
  await Promise.all([1, 2, 3].flatMap(() => incoming.map(({ phone, message }) => write(phone, message))));
  expect(await got()).toHaveLength(20);
  expect((await outbox()).map(({ phone }) => phone).toSorted()).toEqual(people);
});

test("while a chat becomes another's its answers go along", async () => {
  const { write, got, trace, chatOf, call } = await arrange();
  await write(ANA, { chat: ["70000000000009@lid"], text: "Oi" });
  await got();
  await write(ANA, "Olá");
  await got();
  await write(ANA, { chat: [`${ANA}@s.whatsapp.net`, "70000000000009@lid"], text: "Tudo bem?" });
  expect(await got()).toHaveLength(3);
  const { body } = await call<{ answers: unknown[] }>("GET", `/api/chats/${await chatOf(ANA)}/answers`);
  expect(body.answers).toHaveLength(3);
  expect(await trace()).toEqual(["sent", "sent", "sent"]);
});

test("what a process that died was thinking about is not shown as thought about once there is something newer", async () => {
  const { write, got, trace, account, agentId, chatOf, connectionId } = await arrange();
  await write(ANA, { kind: "image", text: "" });
  await sql`insert into agent_answer (account_id, connection_id, chat_id, message_id, question, chat_name, agent_id, agent_name, tries)
    values (${account}::uuid, ${connectionId}, ${await chatOf(ANA)}, -1, 'Oi', 'Ana', ${agentId}, 'Atendente', 1)`.execute(
    db,
  );
  expect(await trace()).toEqual(["thinking"]);
  await write(ANA, "Tem alguém?");
  expect(await got()).toHaveLength(1);
  expect(await trace()).toEqual(["skipped newer", "sent"]);
});

test.each([
  ["a person's answer", true, [], ["skipped human"]],
  ["a later question", false, ["segunda respondida"], ["skipped newer", "sent"]],
])(
  "%s stored by a process that died before publishing it is respected by the one still thinking",
  async (_, fromMe, answered, traced) => {
    const { write, got, trace, chatOf } = await arrange();
    const thought = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    mistral.answers(async ({ messages }) => {
      begun.resolve();
      await thought.promise;
      return `${String(messages.at(-1)?.content).split("\n").at(-1)} respondida`;
    });
    await write(ANA, "primeira");
    await begun.promise;
    await sql`insert into chat_message (chat_id, account_id, connection_id, provider_id, from_me, text, at)
      select id, account_id, connection_id, 'STORED', ${fromMe}, 'segunda', now() from chat where id = ${await chatOf(ANA)}`.execute(
      db,
    );
    thought.resolve();
    expect(await got()).toEqual(answered);
    expect(await trace()).toEqual(traced);
    mistral.reset();
  },
);

test("removing a connection while its answer is being sent does not deadlock", async () => {
  const { write, connectionId } = await arrange();
  const thought = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  mistral.answers(async () => {
    begun.resolve();
    await thought.promise;
    return "resposta";
  });
  await write(ANA, "Oi");
  await begun.promise;
  await unhurried(db, async (tx) => {
    await sql`select 1 from connection where id = ${connectionId} for update`.execute(tx);
    thought.resolve();
    await untilWaiting(db);
    await sql`set local lock_timeout = '300ms'`.execute(tx);
    await sql`delete from connection where id = ${connectionId}`.execute(tx);
  });
  mistral.reset();
  const { rows } = await sql`select 1 from outbox where connection_id = ${connectionId}`.execute(db);
  expect(rows).toEqual([]);
});

test("a held restored copy does not answer, as its original may have", async () => {
  const { write, got, trace } = await arrange();
  await writeRestoreLock(db, new Date().toISOString());
  onTestFinished(async () => void (await endRestoreLock(db)));
  await write(ANA, "Oi");
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual([]);
  await endRestoreLock(db);
  await write(ANA, "Tem alguém?");
  expect(await got()).toHaveLength(1);
});

test("27.F4 a suspended account's assistant does not answer, even after resuming", async () => {
  const { write, got, trace, account } = await arrange();
  const owner = ownerOf(db, account);
  await markSuspended(owner, new Date());
  await write(ANA, "Oi");
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual([]);
  await unmarkSuspended(owner);
  await settled();
  expect(await got()).toEqual([]);
  await write(ANA, "Tem alguém?");
  expect(await got()).toHaveLength(1);
});
