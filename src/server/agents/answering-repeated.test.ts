import { sql } from "kysely";
import { expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { DELIVERY } from "../../domain/delivery.ts";

const lab = await agentLab(await testDatabase());
const { arrange } = lab;
const ANA = "5511987654321";

/** The gap check reads the last quarter of an hour every few minutes, so messages repeat. */
const textMessage = (text: string) => ({
  providerId: "3ATOLDAGAIN",
  text,
  at: new Date(Math.floor(lab.clock.now().getTime() / 1_000) * 1_000),
});

test("a message answered by hand is not answered when repeated after the pause, the next one is", async () => {
  const { write, got, call, connectionId, trace } = await arrange();
  await call("PATCH", `/api/connections/${connectionId}/assistant`, { pauseMinutes: 10 });
  await write(ANA, { fromMe: true, text: "Aqui é a Carla: fica pronto amanhã" });
  lab.pass(6 * 60_000);
  const thanks = textMessage("Perfeito, obrigada!");
  await write(ANA, thanks);
  lab.pass(5 * 60_000);
  await write(ANA, thanks);
  expect(await got()).toEqual([]);
  expect(await trace()).toEqual([]);
  await write(ANA, "A que horas?");
  expect(await got()).toEqual(["Atendente: Perfeito, obrigada!\nA que horas? (2)"]);
});

test.each([
  ["switched off", false],
  ["paused", true],
])(
  "a message written while the assistant was %s in the chat is not answered when repeated after activation",
  async (_, paused) => {
    const { write, got, call, chatOf } = await arrange();
    await write(ANA, { fromMe: true, text: "Bom dia" });
    const chat = `/api/chats/${await chatOf(ANA)}`;
    if (!paused) await call("PATCH", chat, { assistant: false });
    const question = textMessage("Tem em azul?");
    await write(ANA, question);
    lab.pass(2_000);
    const on = await call<{ assistant: object }>("PATCH", chat, { assistant: true });
    expect(on.body.assistant).toMatchObject({ state: "on", pausedUntil: null });
    await write(ANA, question);
    expect(await got()).toEqual([]);
    lab.pass(2_000);
    await write(ANA, "E em verde?");
    expect(await got()).toHaveLength(1);
  },
);

test("switching it on where it is on takes no question from it", async () => {
  const { write, got, call, chatOf } = await arrange();
  await write(ANA, { kind: "image", text: "" });
  const question = textMessage("Tem em azul?");
  lab.pass(2_000);
  await call("PATCH", `/api/chats/${await chatOf(ANA)}`, { assistant: true });
  await write(ANA, question);
  expect(await got()).toHaveLength(1);
});

test("an answer that never left is no part of what it goes on from", async () => {
  const { write, got, connectionId } = await arrange();
  await write(ANA, "Quanto custa?");
  expect(await got()).toHaveLength(1);
  await sql`update outbox set status = ${DELIVERY.error}, error = 'answer_late' where connection_id = ${connectionId}`.execute(
    lab.db,
  );
  await write(ANA, "E então?");
  expect(await got()).toEqual(["Atendente: Quanto custa? (1)", "Atendente: Quanto custa?\nE então? (1)"]);
});
