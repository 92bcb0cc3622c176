import sharp from "sharp";
import { expect, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { systemClock } from "../base/clock.ts";
import { ownerOf } from "../db/owner.ts";
import { type FairQueueOptions, FairQueues } from "../jobs/fair-queue.ts";
import { PictureTurns } from "./picture-turns.ts";

const { db } = await testDatabase();
const png = await sharp({ create: { width: 20, height: 10, channels: 3, background: "#146b3c" } })
  .png()
  .toBuffer();

class ShortQueues extends FairQueues {
  override open(options: FairQueueOptions) {
    return super.open({ ...options, waitingOfAccount: 1 });
  }
}

test("27.1 a full share of pictures refuses uploads of that account alone, and what was sent to it waits", async () => {
  const turns = new PictureTurns(new ShortQueues(systemClock));
  const drawn = [turns.draw("a", png), turns.draw("a", png)];
  await expect(turns.draw("a", png)).rejects.toMatchObject({ code: "too_many_requests" });
  const pictures = await Promise.all([...drawn, turns.drawReceived("a", png), turns.draw("b", png)]);
  expect(pictures.map(({ width }) => width)).toEqual([20, 20, 20, 20]);
});

test("27.4 of an account four pictures are fetched at once, so that no more wait in memory", async () => {
  const account = await accountRow(db);
  let asked = 0;
  let most = 0;
  const files = testFiles({
    fetch: async () => {
      asked += 1;
      most = Math.max(most, asked);
      await new Promise((resolve) => setImmediate(resolve));
      asked -= 1;
      return { status: 200, headers: {}, body: png };
    },
  });
  const owner = ownerOf(db, account);
  const stored = await Promise.all(
    Array.from({ length: 30 }, () => files.uploadFrom(owner, "https://exemplo.com.br/foto.png")),
  );
  expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
  expect(most).toBe(4);
});

test("27.4 a caller who hangs up leaves the queue of pictures", async () => {
  const turns = new PictureTurns(new FairQueues(systemClock));
  const first = turns.draw("a", png);
  const caller = new AbortController();
  const second = turns.draw("a", png, { signal: caller.signal });
  caller.abort(new Error("hung up"));
  await expect(second).rejects.toThrow("hung up");
  expect(await first).toMatchObject({ width: 20 });
});
