import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Database } from "../../db/client.ts";
import type { Secrets } from "../../db/secrets.ts";
import type { DeviceTiming } from "./timing.ts";
import type { WaVersion } from "./wa-version.ts";

/** What devices are built with. */
export type DeviceDeps = {
  database: Pick<Database, "db" | "prepared">;
  secrets: Secrets;
  clock: Clock;
  /** A number in [0, 1), for the spread of reconnections. */
  random: () => number;
  log: Logger;
  waVersion: WaVersion;
  /** Logins of all devices, in turns by account: one account's thousand that lost their connection keep no other's waiting. */
  logins: { run(accountId: string, logIn: () => Promise<void>, signal: AbortSignal): Promise<void> };
  timing?: Partial<DeviceTiming>;
};
