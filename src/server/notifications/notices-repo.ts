import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import { addSettingNow, deleteSetting, putSetting, readSetting } from "../db/settings.ts";
import {
  type DownConnection,
  type EndedCampaign,
  type PausedCampaign,
  sqlParts,
} from "../sending/sending.ts";

const SEEN = "notices_seen";

/** Database clock; now at the first call. */
export async function noticesSeen(db: Db): Promise<Date> {
  await addSettingNow(db, SEEN);
  const at = await readSetting(db, SEEN);
  return typeof at === "string" ? new Date(at) : new Date();
}

/** `at`: start of the look. Moves back too: after a clock reset, new ends would count as reported. */
export async function noteSeen(db: Db, at: Date): Promise<void> {
  await putSetting(db, SEEN, at);
}

/** Without a mail server nothing is looked for; later it starts at now. */
export async function pruneSeen(db: Db): Promise<void> {
  await deleteSetting(db, SEEN);
}

export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  if (!rows[0]) throw new Error("no time");
  return rows[0].now;
}

export const endedKey = (id: number) => `campaign/${id}/ended`;

/** Without an e-mail yet. */
export async function findEnded(db: Db, since: Date): Promise<EndedCampaign[]> {
  const { rows } = await sql<EndedCampaign>`
    select c.* from (${sqlParts().endedSince(since)}) c
    where not exists (select 1 from mail m where m.account_id = c."accountId"
        and m.kind in ('campaign_completed', 'delivery_issues') and m.key = 'campaign/' || c.id || '/ended')
    order by c.at limit 500`.execute(db);
  return rows;
}

/** Stopped by the product, not by a person. */
export async function findPaused(db: Db, since: Date): Promise<PausedCampaign[]> {
  const { rows } = await sql<PausedCampaign>`
    select c.* from (${sqlParts().pausedSince(since)}) c order by c.id limit 500`.execute(db);
  return rows;
}

/** Without an e-mail about this state yet. */
export async function findDown(
  db: Db,
  since: Date,
  causes: { resting: readonly string[]; patienceMs: number },
): Promise<DownConnection[]> {
  const { rows } = await sql<DownConnection>`
    select k.* from (${sqlParts().downSince(since, causes)}) k
    where not exists (select 1 from mail m where m.account_id = k."accountId" and m.kind = 'delivery_issues'
        and m.key = 'connection/' || k.id || '/' || floor(extract(epoch from k.at))::bigint)
    order by k.id limit 500`.execute(db);
  return rows;
}

export const downKey = ({ id, at }: DownConnection) => `connection/${id}/${Math.floor(at.getTime() / 1_000)}`;
