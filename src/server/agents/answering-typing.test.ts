import { expect, test } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { LANE_CHANNEL } from "../sending/ledger/signals.ts";

const database = await testDatabase();
const { mistral, arrange } = await agentLab(database);
const ANA = "5511987654321";
const BIA = "5511987654322";

test("the other side sees typing exactly as long as an answer is being prepared", async () => {
  const { write, got } = await arrange();
  const seen: string[] = [];
  const listener = await database.database.listen(LANE_CHANNEL, (payload) => void seen.push(payload));
  const typing = (phone: string) => seen.filter((one) => one.endsWith(`:${phone}@s.whatsapp.net`)).length;
  await write(ANA, "Oi");
  expect(await got()).toHaveLength(1);
  const thought = Promise.withResolvers<void>();
  mistral.answers(async () => {
    await thought.promise;
    return "resposta";
  });
  await write(BIA, "Oi");
  await expect.poll(() => typing(BIA)).toBeGreaterThan(0);
  const before = typing(ANA);
  await expect.poll(() => typing(BIA)).toBeGreaterThan(8);
  expect(typing(ANA)).toBeLessThan(before + 2);
  thought.resolve();
  expect(await got()).toHaveLength(2);
  mistral.reset();
  await listener.close();
});
