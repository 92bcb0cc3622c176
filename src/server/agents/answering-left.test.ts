import { sql } from "kysely";
import { expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { rememberAddress } from "../sending/addresses/addresses.ts";

const database = await testDatabase();
const { db } = database;
const lab = await agentLab(database);
const { arrange } = lab;

const ANA = "5511987654321";
const HIDDEN = "70000000000041@lid";

const sentAt = async (connectionId: number) =>
  (
    await sql<{
      one: string;
    }>`select origin || ' ' || status || ' ' || coalesce(error, '-') as one from outbox
      where connection_id = ${connectionId} order by id`.execute(db)
  ).rows.map(({ one }) => one);

const WITHDRAWN = `agent ${DELIVERY.error} answer_withdrawn`;
const WAITS = `agent ${DELIVERY.pending} -`;

test("an answer waiting for its connection is not sent to a person who has since opted out", async () => {
  const { write, got, answers, connectionId } = await arrange();
  await write(ANA, "Quanto custa?");
  expect(await got()).toHaveLength(1);
  await write(ANA, "Sair!");
  expect(await sentAt(connectionId)).toEqual([WITHDRAWN, `opt_out ${DELIVERY.pending} -`]);
  expect((await answers())[0]).toMatchObject({ state: "failed", reason: { code: "answer_withdrawn" } });
});

test("so it is where they correct a message into a word of leaving, and where WhatsApp hides their number", async () => {
  const { write, got, connectionId } = await arrange();
  await write(ANA, { providerId: "3ACORRECTED", text: "Quanto custa?" });
  await write(ANA, { chat: [HIDDEN], text: "Oi" });
  expect(await got()).toHaveLength(2);
  await write(ANA, { edits: "3ACORRECTED", text: "Parar" });
  await write(ANA, { chat: [HIDDEN], text: "SAIR" });
  expect((await sentAt(connectionId)).filter((one) => one.startsWith("agent"))).toEqual([
    WITHDRAWN,
    WITHDRAWN,
  ]);
});

test("an opt-out later resolved from a hidden address withdraws earlier answers only", async () => {
  for (const source of ["message", "receipt"] as const) {
    const { write, got, account, connectionId } = await arrange();
    await write(ANA, "Quanto custa?");
    expect(await got()).toHaveLength(1);
    await write(ANA, { chat: [HIDDEN], text: "SAIR" });
    await write(ANA, "Na verdade, vocês abrem amanhã?");
    expect(await got()).toHaveLength(2);
    expect(await sentAt(connectionId)).toEqual([WAITS, WAITS]);
    if (source === "message")
      await write(ANA, { chat: [`${ANA}@s.whatsapp.net`, HIDDEN], kind: "image", text: "" });
    else {
      await rememberAddress(db, ANA, { jid: `${ANA}@s.whatsapp.net`, lid: HIDDEN }, account);
      await lab.hidden(connectionId, [HIDDEN]);
    }
    expect(await sentAt(connectionId), source).toEqual([WITHDRAWN, WAITS, `opt_out ${DELIVERY.pending} -`]);
  }
});

test("a repeated opt-out withdraws no answer to later messages", async () => {
  const { write, got, connectionId } = await arrange();
  const left = { providerId: "3ALEFT", text: "Sair" };
  await write(ANA, left);
  await write(ANA, "Na verdade, vocês abrem amanhã?");
  expect(await got()).toHaveLength(1);
  await write(ANA, left);
  expect((await sentAt(connectionId)).at(-1)).toBe(WAITS);
});

test("OP02 an assistant keeps silent on what may mean leaving, and answers what is asked after it", async () => {
  const { write, got, connectionId } = await arrange();
  await write(ANA, "Já chega, não quero mais receber isso");
  expect(await got()).toEqual([]);
  await write(ANA, "Vocês abrem amanhã?");
  expect(await got()).toHaveLength(1);
  expect(await sentAt(connectionId)).toEqual([WAITS]);
});
