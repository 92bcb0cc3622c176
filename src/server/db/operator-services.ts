import { type RawBuilder, sql } from "kysely";
import type { OperatorService } from "../../domain/limits.ts";
import type { Db } from "./client.ts";
import type { Owner } from "./owner.ts";

/** Every account, or only the named ones. */
export type ServicePolicy = Readonly<Record<OperatorService, "all" | "named">>;

const POLICY_KEY = "operator_services";

/** SQL. Before this version's first start only named accounts. */
export const isOpenTo = (service: OperatorService, account: RawBuilder<unknown>) => sql<boolean>`(
  exists (select from setting p where p.key = ${sql.lit(POLICY_KEY)} and p.value ->> ${sql.lit(service)} = 'all')
  or exists (select from operator_service s where s.account_id = ${account} and s.service = ${sql.lit(service)}))`;

export async function mayUse(owner: Owner, service: OperatorService): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select ${isOpenTo(service, sql`${owner.accountId}::uuid`)} as open`.execute(owner.db);
  return rows[0]?.open === true;
}

/** Stores the environment's setting, since worker processes may have another one. */
export async function keepServicePolicy(db: Db, policy: ServicePolicy): Promise<void> {
  await sql`insert into setting (key, value) values (${POLICY_KEY}, ${JSON.stringify(policy)}::jsonb)
    on conflict (key) do update set value = excluded.value, updated_at = now()
    where setting.value is distinct from excluded.value`.execute(db);
}

/** False: unchanged. */
export async function setServiceOpen(
  owner: Owner,
  service: OperatorService,
  open: boolean,
): Promise<boolean> {
  const { rows } = open
    ? await sql`insert into operator_service (account_id, service) values (${owner.accountId}::uuid, ${service})
        on conflict do nothing returning service`.execute(owner.db)
    : await sql`delete from operator_service where account_id = ${owner.accountId}::uuid and service = ${service}
        returning service`.execute(owner.db);
  return rows.length > 0;
}

export async function readServicePolicy(db: Db, service: OperatorService): Promise<"all" | "named"> {
  const { rows } = await sql<{ policy: "all" | "named" | null }>`select value ->> ${service} as policy
    from setting where key = ${POLICY_KEY}`.execute(db);
  return rows[0]?.policy ?? "named";
}
