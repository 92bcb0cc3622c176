import { DEFAULT_CONNECTION_CONFIG, fetchLatestWaWebVersion, type WAVersion } from "baileys";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import type { Db } from "../../db/client.ts";
import { putSetting, readSetting } from "../../db/settings.ts";

const SETTING = "wa_version";
const STALE_MS = 24 * 60 * 60 * 1000;

const Version = z.tuple([z.number().int(), z.number().int(), z.number().int()]);
const Stored = z.object({ version: Version, checkedAt: z.string() });

/** Shared within a process. */
export type WaVersion = {
  /** The operator's, else the last fetched, else Baileys' own. */
  current(): WAVersion;
  /** True when it changed. Never throws. */
  refresh(): Promise<boolean>;
  /** In the background, if older than a day. */
  refreshIfStale(): void;
};

export type FetchVersion = () => Promise<{ version: number[]; isLatest: boolean }>;

type WaVersionDeps = {
  db: Db;
  clock: Clock;
  log: Logger;
  /** The operator's (`2.3000.1043857760`); nothing overrides it. */
  fixed?: WAVersion | null;
  fetchLatest?: FetchVersion;
};

/** At most 10 s. */
const askWhatsApp: FetchVersion = () => fetchLatestWaWebVersion({ signal: AbortSignal.timeout(10_000) });

/**
 * WhatsApp refuses old clients when linking (405), and Baileys' version ages; start-up does not wait for the
 * network.
 */
export async function loadWaVersion(deps: WaVersionDeps): Promise<WaVersion> {
  const { db, clock, log, fixed = null, fetchLatest = askWhatsApp } = deps;
  const bundled: WAVersion = [...DEFAULT_CONNECTION_CONFIG.version];
  const parsed = Stored.safeParse(await readSetting(db, SETTING));
  let cached: WAVersion | null = parsed.success ? parsed.data.version : null;
  let checkedAt = parsed.success ? Date.parse(parsed.data.checkedAt) : 0;
  let running: Promise<boolean> | null = null;

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
      await putSetting(db, SETTING, { version: cached, checkedAt: clock.now().toISOString() });
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
