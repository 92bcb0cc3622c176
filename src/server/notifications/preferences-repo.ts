import { type RawBuilder, sql } from "kysely";
import type { NotificationPreferences } from "../../contract/settings.ts";
import type { Owner } from "../db/owner.ts";

type Name = keyof NotificationPreferences;

/** Columns, and the specification's defaults. */
const PREFERENCES: Readonly<Record<Name, { column: string; preset: boolean }>> = {
  emailCampaignCompleted: { column: "email_campaign_completed", preset: true },
  emailDeliveryIssues: { column: "email_delivery_issues", preset: true },
  emailAccountUpdates: { column: "email_account_updates", preset: true },
  emailMarketing: { column: "email_marketing", preset: false },
  emailProduct: { column: "email_product", preset: false },
  browserCampaignStatus: { column: "browser_campaign_status", preset: true },
  browserNewMessage: { column: "browser_new_message", preset: true },
};
const ENTRIES = Object.entries(PREFERENCES) as [Name, { column: string; preset: boolean }][];

/** SQL with account row `a` and optional preferences row `p`. */
export const preferred = (name: Name): RawBuilder<boolean> =>
  sql`coalesce(p.${sql.ref(PREFERENCES[name].column)}, ${sql.lit(PREFERENCES[name].preset)})`;

export async function findPreferences(owner: Owner): Promise<NotificationPreferences | undefined> {
  const columns = ENTRIES.map(([name]) => sql`${preferred(name)} as ${sql.ref(name)}`);
  const { rows } = await sql<NotificationPreferences>`
    select ${sql.join(columns)} from account a left join notification_preference p on p.account_id = a.id
    where a.id = ${owner.accountId} and a.removed_at is null`.execute(owner.db);
  return rows[0];
}

/** Undefined: unchanged. */
export async function savePreferences(
  owner: Owner,
  change: { [name in Name]?: boolean | undefined },
  now: Date,
): Promise<void> {
  const given = ENTRIES.filter(([name]) => change[name] !== undefined);
  if (given.length === 0) return;
  const columns = sql.join(given.map(([, { column }]) => sql.ref(column)));
  const values = sql.join(given.map(([name]) => sql`${change[name]}`));
  const updates = sql.join(
    given.map(([, { column }]) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`),
  );
  await sql`
    insert into notification_preference (account_id, ${columns}, updated_at)
    values (${owner.accountId}, ${values}, ${now})
    on conflict (account_id) do update set ${updates}, updated_at = excluded.updated_at`.execute(owner.db);
}
