import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { makeCampaign, readLedger } from "../../../../tests/support/sending.ts";
import { startNext } from "../campaigns/audience.ts";
import { pauseCampaign } from "../campaigns/campaign-status.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

const ANSWER_MS = 50;

async function arrangeTwo(at: (nth: number, small: number) => Promise<void>) {
  let nth = 0;
  const it = await arrange({
    people: 300,
    text: "A",
    answer: async ({ messageId, text }) => {
      it.clock.advance(ANSWER_MS);
      if (text === "A") await at(++nth, small);
      return { kind: "accepted", providerId: messageId, at: Date.now() };
    },
  });
  const { accountId, connectionId } = it;
  const small: number = await makeCampaign(db, accountId, { people: 6, text: "B", connectionId });
  await startNext(database);
  return { ...it, small };
}

test("the last outcomes of a campaign are recorded though another one goes on and on beside it", async () => {
  const lives: string[] = [];
  const it = await arrangeTwo(async (nth, small) => {
    if (nth === 200) lives.push((await readLedger(db, small)).status);
  });
  await it.run();
  await it.finishes();
  expect(lives).toEqual(["ended"]);
});

test("claimed people of a paused campaign are returned while another campaign keeps going", async () => {
  const rows: number[][] = [];
  const it = await arrangeTwo(async (nth, small) => {
    if (nth === 3) {
      await pauseCampaign(it.owner, small);
      lane.wake();
    }
    if (nth === 200) rows.push((await readLedger(db, small)).rows);
  });
  const lane = await it.run();
  await it.finishes();
  const [[, sending] = []] = rows;
  expect(sending).toBe(0);
});
