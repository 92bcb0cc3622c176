import { DEFAULT_CONNECTION_CONFIG, fetchLatestWaWebVersion, type WAVersion } from "baileys";
import { sql } from "kysely";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";

const SETTING = "wa_version";
const STALE_MS = 24 * 60 * 60 * 1000;

const Version = z.tuple([z.number().int(), z.number().int(), z.number().int()]);
const Stored = z.object({ version: Version, checkedAt: z.string() });

/** The version of WhatsApp Web that devices claim to be: shared by all of them in a process. */
export type WaVersion = {
  /** At once and without network: the operator's, else the last one fetched, else the one that came with Baileys. */
  current(): WAVersion;
  /** Asks WhatsApp for its present one, at most once at a time. True when it changed. Never throws. */
  refresh(): Promise<boolean>;
  /** As `refresh`, in the background and only when the last answer is older than a day. */
  refreshIfStale(): void;
};

export type FetchVersion = () => Promise<{ version: number[]; isLatest: boolean }>;

type WaVersionDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  /** The operator's choice (`2.3000.1043857760`), which nothing overrides. */
  fixed?: WAVersion | null;
  fetchLatest?: FetchVersion;
};

/** WhatsApp's own page, 10 s at most. */
const askWhatsApp: FetchVersion = () => fetchLatestWaWebVersion({ signal: AbortSignal.timeout(10_000) });

/**
 * Loads the cached version. An old client is refused when linking (405), and the version bundled with Baileys ages, but no start-up
 * waits for the network.
 */
export async function loadWaVersion(deps: WaVersionDeps): Promise<WaVersion> {
  const { db, clock, log, fixed = null, fetchLatest = askWhatsApp } = deps;
  const bundled: WAVersion = [...DEFAULT_CONNECTION_CONFIG.version];
  const stored = await sql<{ value: unknown }>`select value from setting where key = ${SETTING}`.execute(db);
  const parsed = Stored.safeParse(stored.rows[0]?.value);
  let cached: WAVersion | null = parsed.success ? parsed.data.version : null;
  let checkedAt = parsed.success ? Date.parse(parsed.data.checkedAt) : 0;
  let running: Promise<boolean> | null = null;

  // The cache may be older than a newly installed Baileys.
  const newer = (a: WAVersion, b: WAVersion) => (a[2] >= b[2] ? a : b);
  const current = (): WAVersion => fixed ?? (cached ? newer(cached, bundled) : bundled);

  async function fetchAndStore(): Promise<boolean> {
    const before = current().join(".");
    checkedAt = clock.now().getTime();
    try {
      const answer = await fetchLatest();
      const version = Version.safeParse(answer.version);
      if (!answer.isLatest || !version.success) return false;
      cached = version.data;
      const value = JSON.stringify({ version: cached, checkedAt: clock.now().toISOString() });
      await sql`insert into setting (key, value) values (${SETTING}, ${value}::jsonb)
        on conflict (key) do update set value = excluded.value, updated_at = now()`.execute(db);
    } catch (error) {
      log.info({ err: error }, "WhatsApp's present version could not be fetched; the known one stays");
    }
    return current().join(".") !== before;
  }

  function refresh(): Promise<boolean> {
    running ??= fetchAndStore().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    current,
    refresh,
    refreshIfStale: () => {
      if (fixed || clock.now().getTime() - checkedAt < STALE_MS) return;
      void refresh();
    },
  };
}
