import type { NotificationPreferences } from "../../contract/settings.ts";
import type { Owner } from "../db/owner.ts";
import { dropWaiting, type MailKind } from "./mail-repo.ts";
import { savePreferences } from "./preferences-repo.ts";

type Change = { [Name in keyof NotificationPreferences]?: boolean | undefined };

const KINDS: readonly [keyof NotificationPreferences, MailKind][] = [
  ["emailCampaignCompleted", "campaign_completed"],
  ["emailDeliveryIssues", "delivery_issues"],
  ["emailAccountUpdates", "account_updates"],
  ["emailMarketing", "marketing"],
  ["emailProduct", "product"],
];

/** Also drops waiting e-mails that are not wanted. */
export async function changePreferences(owner: Owner, change: Change, now: Date): Promise<void> {
  await owner.db.transaction().execute(async (tx) => {
    await savePreferences(owner.in(tx), change, now);
    const unwanted = KINDS.filter(([name]) => change[name] === false).map(([, kind]) => kind);
    if (unwanted.length > 0) await dropWaiting(owner.in(tx), unwanted);
  });
}
