import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { FieldTexts } from "../../../domain/message-text.ts";
import { SURNAME, type TypedVariable, type Variable } from "../../../domain/variables.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";
import { surnameOf } from "./surname.ts";

type Of = { id: number; variables: readonly Variable[] };

/** SQL: texts of person `p` by key, with fallbacks; null without variables. */
export function frozenValues(variables: readonly TypedVariable[]): RawBuilder<unknown> {
  if (variables.length === 0) return sql`null::jsonb`;
  const pairs = variables.map(
    (variable) => sql`${variable.key}::text, coalesce(${textOf(variable)}, ${variable.fallback}::text)`,
  );
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(pairs)}))`;
}

/** Null: no such person. */
export async function findPersonTexts(
  { db, accountId }: Owner,
  phone: string,
  variables: readonly TypedVariable[],
): Promise<{ name: string; texts: FieldTexts | null } | null> {
  const { rows } = await sql<{ name: string; texts: FieldTexts | null }>`
    select p.name, ${frozenValues(variables)} as texts from person p
    where p.account_id = ${accountId}::uuid and p.phone = ${phone}::bigint`.execute(db);
  return rows[0] ?? null;
}

function textOf({ key, kind }: TypedVariable): RawBuilder<unknown> {
  if (key === SURNAME) return surnameOf();
  const value = sql`(p.fields ->> ${key}::text)`;
  return sql`case jsonb_typeof(p.fields -> ${key}::text)
    when 'boolean' then case ${value} when 'true' then 'sim' else 'não' end
    when 'number' then reverse(regexp_replace(reverse(split_part(${value}, '.', 1)), '(\\d{3})(?=\\d)', '\\1.', 'g'))
      || case when ${value} like '%.%' then ',' || split_part(${value}, '.', 2) else '' end
    else ${kind === "date" ? sql`regexp_replace(${value}, '^(\\d{4})-(\\d{2})-(\\d{2})$', '\\3/\\2/\\1')` : value} end`;
}

export async function leaveOutLacking(tx: Db, { id, variables }: Of): Promise<number> {
  const needed = variables.flatMap(({ key, fallback }) => (fallback === null ? [key] : []));
  if (needed.length === 0) return 0;
  const { numAffectedRows } =
    await sql`update delivery set status = ${DELIVERY.skipped}, at = now(), error = 'missing_value'
    where campaign_id = ${id} and status = ${DELIVERY.pending} and not jsonb_exists_all(vars, ${needed}::text[])`.execute(
      tx,
    );
  return Number(numAffectedRows ?? 0);
}

export async function waitingForField({ db, accountId }: Owner, key: string): Promise<string | null> {
  const used = JSON.stringify([{ key }]);
  const { rows } = await sql<{ name: string }>`select name from campaign
    where account_id = ${accountId}::uuid and status in ('scheduled', 'starting', 'paused') and started_at is null
      and resends_id is null and variables @> ${used}::jsonb order by id limit 1`.execute(db);
  return rows[0]?.name ?? null;
}
