import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { isSealedByOtherKey, type Secrets } from "../db/secrets.ts";

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

export async function findUnreadableSettings(tx: Db, secrets: Pick<Secrets, "keyIds">): Promise<string[]> {
  const { rows } = await sql<{ account: string }>`select account_id as account from mistral_setting
    where ${isSealedByOtherKey(sql`api_key`, secrets)}`.execute(tx);
  return rows.map(({ account }) => account);
}

export async function replaceKey(tx: Db, account: string, sealed: Buffer): Promise<void> {
  await sql`update mistral_setting set api_key = ${sealed}, key_hint = '' where account_id = ${account}`.execute(
    tx,
  );
}
