import { sql } from "kysely";
import type { Logger } from "pino";
import { DEFAULT_TIME_ZONE, isTimeZone } from "../../domain/account.ts";
import type { Db } from "../db/client.ts";
import { findUnknownZones } from "../db/time-zones.ts";
import { upkeepOf } from "../sending/sending.ts";

/**
 * One campaign in a zone unknown to database or Node (old data, restores) stops its lane for all. Accounts
 * get the default zone, campaigns their account's.
 */
export async function repairTimeZones(db: Db, log: Logger): Promise<void> {
  const { rows } = await sql<{ zone: string }>`select distinct time_zone as zone from account`.execute(db);
  const stored = new Set([...rows.map(({ zone }) => zone), ...(await upkeepOf(db).zones())]);
  const unknown = new Set(await findUnknownZones(db, [...stored]));
  const zones = [...stored].filter((zone) => unknown.has(zone) || !isTimeZone(zone));
  if (zones.length === 0) return;
  await sql`update account set time_zone = ${DEFAULT_TIME_ZONE} where time_zone = any(${zones}::text[])`.execute(
    db,
  );
  const campaigns = await upkeepOf(db).replaceZones(zones);
  log.warn({ zones, campaigns }, "time zones that cannot be counted in, replaced by the account's");
}
