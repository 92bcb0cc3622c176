import type { NotificationPreferences } from "../../contract/settings.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import { mayUse } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";
import type { DownConnection, EndedCampaign, PausedCampaign } from "../sending/sending.ts";
import { downEmail, endedEmail, pausedEmail } from "./emails.ts";
import { findReader, insertEmail, type MailKind, type Reader } from "./mail-repo.ts";
import {
  databaseNow,
  downKey,
  endedKey,
  findDown,
  findEnded,
  findPaused,
  noteSeen,
  noticesSeen,
} from "./notices-repo.ts";
import { findPreferences } from "./preferences-repo.ts";

/** Overlap for late commits and unfinished notices of dead processes; keys prevent duplicates. */
const OVERLAP_MS = 10 * 60_000;
/** Shorter drops recover before an e-mail is read. */
const PATIENCE_MS = 10 * 60_000;
/** State reasons that need a person. */
const RESTING = [
  "logged_out",
  "ended_there",
  "banned",
  "temp_banned",
  "replaced",
  "client_outdated",
  "key_lost",
  "gone",
  "wrong_key",
  "license_required",
  "withdrawn",
];

export type NoticeDeps = { db: Db; clock: Pick<Clock, "now">; url: string | null };

type Notice = { kind: MailKind; key: string; subject: string; body: string };

export async function lookForNotices(deps: NoticeDeps): Promise<void> {
  const { db } = deps;
  const now = await databaseNow(db);
  const since = new Date((await noticesSeen(db)).getTime() - OVERLAP_MS);
  for (const one of await findEnded(db, since)) await tell(deps, one, ended(deps, one));
  for (const one of await findPaused(db, since)) await tell(deps, one, paused(deps, one));
  const down = await findDown(db, since, { resting: RESTING, patienceMs: PATIENCE_MS });
  for (const one of down) await tell(deps, one, stopped(deps, one));
  await noteSeen(db, now);
}

type Write = (reader: Reader, wants: NotificationPreferences) => Notice | null;

async function tell(deps: NoticeDeps, { accountId }: { accountId: string }, write: Write): Promise<void> {
  const owner = ownerOf(deps.db, accountId);
  const preferences = await findPreferences(owner);
  const reader = await findReader(owner);
  const email = reader && preferences && write(reader, preferences);
  // An operator service, unlike security e-mails.
  if (email && (await mayUse(owner, "mail"))) await insertEmail(owner, email, deps.clock.now());
}

/** One e-mail per end: with both boxes ticked it includes the failures. */
const ended =
  ({ url }: NoticeDeps, { id, name, at, ...counts }: EndedCampaign): Write =>
  (reader, wants) => {
    const trouble = counts.error > 0 || counts.uncertain > 0 || counts.accepted > 0;
    const kind = wants.emailCampaignCompleted ? "campaign_completed" : "delivery_issues";
    if (kind === "delivery_issues" && !(trouble && wants.emailDeliveryIssues)) return null;
    return { kind, key: endedKey(id), ...endedEmail(reader, { id, name, at, url, counts }) };
  };

const paused =
  ({ url }: NoticeDeps, one: PausedCampaign): Write =>
  (reader, wants) => {
    if (!wants.emailDeliveryIssues) return null;
    // The same pause reason within a day is one occasion.
    const day = one.at.toISOString().slice(0, 10);
    const key = `campaign/${one.id}/${one.cause}/${day}`;
    return { kind: "delivery_issues", key, ...pausedEmail(reader, { ...one, url }) };
  };

const stopped =
  ({ url }: NoticeDeps, one: DownConnection): Write =>
  (reader, wants) =>
    wants.emailDeliveryIssues
      ? { kind: "delivery_issues", key: downKey(one), ...downEmail(reader, { ...one, url }) }
      : null;
