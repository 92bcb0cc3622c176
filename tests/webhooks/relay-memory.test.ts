import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { RelayWorker } from "../../src/server/gateways/relay.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { makeInstance } from "./lab.ts";

const { db } = await testDatabase();
const MB = 1024 * 1024;

test("however many pictures wait for addresses that do not answer, only some are in memory, and small messages get by", async () => {
  const holding = new Set<number>();
  let most = 0;
  let small = 0;
  const answers: (() => void)[] = [];
  const fetch = async (_: string, { body }: { body?: string | Uint8Array }) => {
    const one = body?.length ?? 0;
    if (one < MB) {
      small += 1;
      return { status: 200, headers: {}, body: Buffer.alloc(0) };
    }
    const place = answers.length;
    holding.add(place);
    most = Math.max(most, holding.size * one);
    await new Promise<void>((resolve) => answers.push(resolve));
    holding.delete(place);
    return { status: 200, headers: {}, body: Buffer.alloc(0) };
  };
  for (let i = 0; i < 12; i++) {
    const { connectionId } = await makeInstance(db, { relayUrl: "https://loja.exemplo/gancho" });
    const size = i === 11 ? 10 : 8 * MB;
    await sql`insert into webhook_relay (connection_id, key, body)
      select ${connectionId}, n::text, '{"data":"' || repeat('x', ${size}) || '"}' from generate_series(1, 1) n`.execute(
      db,
    );
  }
  const relay = new RelayWorker({
    db,
    log: testLog,
    guardedFetch: { fetch },
    mark: () => undefined,
    times: { first: 20, longest: 80, timeout: 60_000, poll: 20, stop: 100 },
  });
  await vi.waitFor(() => expect(small).toBe(1), 60_000);
  await vi.waitFor(() => expect(holding.size).toBeGreaterThan(3), 60_000);
  const waiting = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from webhook_relay where done_at is null`.execute(db))
      .rows[0]?.n;
  await vi.waitFor(
    async () => {
      for (const answer of answers) answer();
      expect(await waiting()).toBe(0);
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(most).toBeLessThanOrEqual(72 * MB);
  await relay.close();
});
