import { expect, test } from "vitest";
import type { Campaign } from "../../contract/campaigns.ts";
import { CampaignWatch } from "./campaigns.ts";

const SINCE = Date.parse("2026-11-20T12:00:00Z");
const BEFORE = "2026-11-20T11:59:59Z";
const AFTER = "2026-11-20T12:00:01Z";

type Sketch = Pick<Campaign, "status"> & Partial<Campaign>;

function product(rows: Record<number, Sketch>) {
  const all = () =>
    Object.entries(rows).map(
      ([id, row]) => ({ startedAt: BEFORE, endedAt: null, cause: null, ...row, id: Number(id) }) as Campaign,
    );
  const notified: string[] = [];
  const source = {
    active: async () => all().filter(({ status }) => ["scheduled", "sending", "paused"].includes(status)),
    get: async (id: number) => all().find((each) => each.id === id) ?? null,
  };
  const watch = new CampaignWatch(source, SINCE, ({ id, status }) => void notified.push(`${id} ${status}`));
  return { rows, notified, watch };
}

test("an end and a stop notify once, however often the change arrives", async () => {
  const { rows, notified, watch } = product({ 1: { status: "sending" }, 2: { status: "sending" } });
  await watch.changed(1);
  expect(notified).toEqual([]);
  rows[1] = { status: "completed", endedAt: AFTER };
  rows[2] = { status: "paused", cause: "connection" };
  for (const id of [1, 2, 1, 2]) await watch.changed(id);
  expect(notified).toEqual(["1 completed", "2 paused"]);
  rows[2] = { status: "sending" };
  await watch.changed(2);
  rows[2] = { status: "paused", cause: "connection" };
  await watch.changed(2);
  expect(notified).toEqual(["1 completed", "2 paused", "2 paused"]);
});

test("what its owner did is no news, nor what was so before", async () => {
  const { rows, notified, watch } = product({
    1: { status: "sending" },
    2: { status: "paused", cause: "connection" },
    3: { status: "completed", endedAt: BEFORE },
    4: { status: "scheduled" },
  });
  await watch.changed(2);
  await watch.changed(3);
  rows[1] = { status: "paused", cause: "user" };
  rows[4] = { status: "cancelled", endedAt: AFTER };
  for (const id of [1, 4, null]) await watch.changed(id);
  expect(notified).toEqual([]);
});

test("a campaign that was begun since is met at its end", async () => {
  const { rows, notified, watch } = product({});
  rows[7] = { status: "failed", startedAt: AFTER, endedAt: AFTER };
  await watch.changed(7);
  expect(notified).toEqual(["7 failed"]);
});

test("after a lost line everything that was moving is looked at", async () => {
  const { rows, notified, watch } = product({ 1: { status: "sending" }, 2: { status: "sending" } });
  await watch.changed(null);
  rows[1] = { status: "partially_completed", endedAt: AFTER };
  rows[2] = { status: "paused", cause: "limit" };
  await watch.changed(null);
  expect(notified.toSorted()).toEqual(["1 partially_completed", "2 paused"]);
});

test("changes that come while one is asked for are one question more, which hears the last word", async () => {
  let status: Campaign["status"] = "sending";
  const answers: (() => void)[] = [];
  const notified: string[] = [];
  const read = () => ({ id: 1, status, cause: null }) as Campaign;
  const source = {
    active: async () => [read()],
    get: (): Promise<Campaign> => {
      const campaign = read();
      return new Promise((resolve) => answers.push(() => resolve(campaign)));
    },
  };
  const watch = new CampaignWatch(source, SINCE, (campaign) => void notified.push(campaign.status));
  const first = watch.changed(1);
  await expect.poll(() => answers.length).toBe(1);
  status = "completed";
  await Promise.all([watch.changed(1), watch.changed(1), watch.changed(1)]);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await first;
  expect(notified).toEqual(["completed"]);
});

test("a beginning that failed is made up for with the next change", async () => {
  const rows: Sketch[] = [{ id: 1, status: "sending", startedAt: BEFORE } as Sketch];
  const notified: string[] = [];
  let answers = false;
  const source = {
    active: async () => {
      if (!answers) throw new Error("not reached");
      return rows.filter(({ status }) => status === "sending") as Campaign[];
    },
    get: async () => (rows[0] ?? null) as Campaign | null,
  };
  const watch = new CampaignWatch(source, SINCE, ({ id, status }) => void notified.push(`${id} ${status}`));
  await expect(watch.changed(1)).rejects.toThrow("not reached");
  answers = true;
  await watch.changed(1);
  rows[0] = { ...rows[0], status: "completed", endedAt: AFTER };
  await watch.changed(1);
  expect(notified).toEqual(["1 completed"]);
});
