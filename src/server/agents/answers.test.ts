import { sql } from "kysely";
import { expect, test } from "vitest";
import { type Answer, agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";

const database = await testDatabase();
const { db } = database;
const lab = await agentLab(database);
const ANA = "5511987654321";

type Page = { answers: Answer[]; next: string | null };

test("the trace of a connection comes page by page, each answer once, the newest first", async () => {
  const { call, connectionId, write, got, chatOf } = await lab.arrange();
  await write(ANA, "Oi");
  await got();
  const chat = await chatOf(ANA);
  await sql`insert into agent_answer (account_id, connection_id, chat_id, chat_name, message_id, question, agent_id, agent_name, state)
    select account_id, connection_id, chat_id, chat_name, message_id + n, 'P' || n, agent_id, agent_name, 'failed'
    from agent_answer, generate_series(1, 119) n where chat_id = ${chat}`.execute(db);
  const path = `/api/connections/${connectionId}/assistant/answers`;
  const pages: Page[] = [];
  for (let next: string | null = ""; next !== null; next = pages.at(-1)?.next ?? null)
    pages.push((await call<Page>("GET", next === "" ? path : `${path}?cursor=${next}`)).body);
  expect(pages.map(({ answers }) => answers.length)).toEqual([50, 50, 20]);
  const ids = pages.flatMap(({ answers }) => answers.map(({ id }) => id));
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
  expect((await call("GET", `${path}?cursor=abc`)).status).toBe(400);
  expect((await call<Page>("GET", `/api/chats/${chat}/answers`)).body.answers).toHaveLength(100);
});

test("an answer refused or of unknown outcome has failed; one of a dead process was interrupted", async () => {
  const { answers, write, got, connectionId } = await lab.arrange();
  await write(ANA, "Oi");
  await got();
  const settle = (status: number, error: string | null) =>
    sql`update outbox set status = ${status}, error = ${error} where connection_id = ${connectionId}`.execute(
      db,
    );
  const seen = async () => {
    const [answer] = await answers();
    return [answer?.state, answer?.reason?.code, answer?.reason?.text];
  };
  await settle(DELIVERY.error, "not_on_whatsapp");
  expect(await seen()).toEqual(["failed", "not_on_whatsapp", "este número não tem WhatsApp"]);
  await settle(DELIVERY.uncertain, null);
  expect(await seen()).toEqual(["failed", "no_ack", "o WhatsApp não confirmou este envio"]);
  await settle(DELIVERY.read, null);
  expect(await seen()).toEqual(["sent", undefined, undefined]);
  await sql`update agent_answer set state = 'thinking', reason = 'down' where connection_id = ${connectionId}`.execute(
    db,
  );
  expect((await seen()).slice(0, 2)).toEqual(["thinking", "down"]);
  lab.pass(3_700_000);
  expect((await seen()).slice(0, 2)).toEqual(["failed", "interrupted"]);
});
