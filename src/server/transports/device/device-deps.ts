import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Database } from "../../db/client.ts";
import type { Secrets } from "../../db/secrets.ts";
import type { DeviceTiming } from "./timing.ts";
import type { WaVersion } from "./wa-version.ts";

export type DeviceDeps = {
  database: Pick<Database, "db" | "prepared">;
  secrets: Secrets;
  clock: Clock;
  random: () => number;
  log: Logger;
  waVersion: WaVersion;
  /** By turns of accounts: one account's thousand reconnections must not block others. */
  logins: { run(accountId: string, logIn: () => Promise<void>, signal: AbortSignal): Promise<void> };
  timing?: Partial<DeviceTiming>;
};
