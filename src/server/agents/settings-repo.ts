import { sql } from "kysely";
import type { Owner } from "../db/owner.ts";

export type SettingRow = { api_key: Buffer; key_hint: string; base_url: string | null };

export async function findSetting(owner: Owner): Promise<SettingRow | undefined> {
  const { rows } = await sql<SettingRow>`select api_key, key_hint, base_url from mistral_setting
    where account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return rows[0];
}

export async function storeSetting(owner: Owner, { api_key, key_hint, base_url }: SettingRow): Promise<void> {
  await sql`insert into mistral_setting (account_id, api_key, key_hint, base_url)
    values (${owner.accountId}::uuid, ${api_key}, ${key_hint}, ${base_url})
    on conflict (account_id) do update set api_key = excluded.api_key, key_hint = excluded.key_hint,
      base_url = excluded.base_url, updated_at = now()`.execute(owner.db);
}

export async function deleteSetting(owner: Owner): Promise<boolean> {
  const { numAffectedRows } =
    await sql`delete from mistral_setting where account_id = ${owner.accountId}::uuid`.execute(owner.db);
  return numAffectedRows !== 0n;
}
