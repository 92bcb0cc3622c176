import { type RawBuilder, sql } from "kysely";
import type { Owner } from "../../db/owner.ts";
import type { LeftOut } from "./signals.ts";

/** `sql`, whose values are bound, or `String.raw` for column names. */
type Tag<T> = (text: TemplateStringsArray, ...values: T[]) => T;

const condition = <T>(tag: Tag<T>, account: T, phone: T): T =>
  tag`o.account_id = ${account} and o.phone = ${phone}`;

/** SQL: row `o` of `opt_out` is of this person, doubtful ones included. The only place that says so. */
export const isOptOutOf = (account: RawBuilder<unknown>, phone: RawBuilder<unknown>): RawBuilder<unknown> =>
  condition<RawBuilder<unknown>>(sql, account, phone);

/** SQL: this person has opted out. */
export const hasOptedOut = (account: RawBuilder<unknown>, phone: RawBuilder<unknown>) =>
  sql<boolean>`exists (select 1 from opt_out o where ${isOptOutOf(account, phone)})`;

/** `hasOptedOut` as text, of column names. */
export const hasOptedOutText = (account: string, phone: string): string =>
  `exists (select 1 from opt_out o where ${condition<string>(String.raw, account, phone)})`;

/** SQL rows of people who have opted out, doubtful ones included, to join by `account_id` and `phone`. */
export const OPT_OUTS = sql`(select account_id, phone, source, text, created_at from opt_out)`;

export const WHY_LEFT = sql<LeftOut>`(case when o.source = 'asked' then 'asked_to_leave' else 'opted_out' end)`;

export async function whyLeftOut(owner: Owner, phone: string): Promise<LeftOut | null> {
  const { rows } = await sql<{ why: LeftOut }>`select ${WHY_LEFT} as why from opt_out o
    where ${isOptOutOf(sql`${owner.accountId}::uuid`, sql`${phone}::bigint`)}`.execute(owner.db);
  return rows[0]?.why ?? null;
}
