import { type RawBuilder, sql } from "kysely";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Variable } from "../../../domain/variables.ts";
import type { Db } from "../../db/client.ts";
import type { Owner } from "../../db/owner.ts";

type Of = { id: number; accountId: string; variables: readonly Variable[] };

/** SQL: texts of person `p` by key, with fallbacks; null without variables. */
export async function frozenValues(
  tx: Db,
  { accountId, variables }: Omit<Of, "id">,
): Promise<RawBuilder<unknown>> {
  if (variables.length === 0) return sql`null::jsonb`;
  const { rows } = await sql<{ key: string; kind: string }>`select key, kind from contact_field
    where account_id = ${accountId}::uuid order by id for key share`.execute(tx);
  const kinds = new Map(rows.map(({ key, kind }) => [key, kind]));
  const pairs = variables.map(
    ({ key, fallback }) => sql`${key}::text, coalesce(${textOf(key, kinds.get(key))}, ${fallback}::text)`,
  );
  return sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(pairs)}))`;
}

function textOf(key: string, kind: string | undefined): RawBuilder<unknown> {
  const value = sql`(p.fields ->> ${key}::text)`;
  if (kind === "date") return sql`regexp_replace(${value}, '^(\\d{4})-(\\d{2})-(\\d{2})$', '\\3/\\2/\\1')`;
  if (kind === "boolean") return sql`case ${value} when 'true' then 'sim' when 'false' then 'não' end`;
  if (kind !== "number") return value;
  return sql`reverse(regexp_replace(reverse(split_part(${value}, '.', 1)), '(\\d{3})(?=\\d)', '\\1.', 'g'))
    || case when ${value} like '%.%' then ',' || split_part(${value}, '.', 2) else '' end`;
}

/** Returns how many. */
export async function leaveOutLacking(tx: Db, { id, variables }: Of): Promise<number> {
  const needed = variables.flatMap(({ key, fallback }) => (fallback === null ? [key] : []));
  if (needed.length === 0) return 0;
  const { numAffectedRows } =
    await sql`update delivery set status = ${DELIVERY.skipped}, at = now(), error = 'missing_value'
    where campaign_id = ${id} and not jsonb_exists_all(vars, ${needed}::text[])`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Name of a campaign that will read the field at its start. */
export async function waitingForField({ db, accountId }: Owner, key: string): Promise<string | null> {
  const used = JSON.stringify([{ key }]);
  const { rows } = await sql<{ name: string }>`select name from campaign
    where account_id = ${accountId}::uuid and status in ('scheduled', 'starting', 'paused') and started_at is null
      and resends_id is null and variables @> ${used}::jsonb order by id limit 1`.execute(db);
  return rows[0]?.name ?? null;
}
