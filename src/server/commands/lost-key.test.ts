import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { allRows, runProgram, temporaryFolder } from "../../../tests/support/backup.ts";
import { accountRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { mistralKeyPlace } from "../agents/settings.ts";
import { checkSecretKey, createSecrets, type Secrets } from "../db/secrets.ts";
import { apiKeyPlace, tokenPlace } from "../gateways/access.ts";
import { hookSecretPlace } from "../gateways/webhook-secret.ts";
import { forgetLost } from "./lost-key.ts";

const { db, database, url } = await testDatabase();
const newKey = () => randomBytes(32).toString("base64");
const NOTHING = { devices: 0, gateways: 0, instances: 0, mistralKeys: 0, erased: 0 };

beforeEach(() => sql`truncate account, worker, gateway, setting cascade`.execute(db));

async function deviceRow(account: string, secrets: Secrets, creds = secrets): Promise<number> {
  const id = await connectionRow(db, account);
  await sql`insert into device_creds (connection_id, data)
    values (${id}, ${creds.seal("credentials", `device_key/${id}/creds/`)})`.execute(db);
  await sql`insert into device_key (connection_id, kind, id, data)
    values (${id}, 'session', '1', ${secrets.seal("ratchet", `device_key/${id}/session/1`)})`.execute(db);
  return id;
}

async function gatewayRow(account: string, secrets: Secrets): Promise<{ gateway: number; instance: number }> {
  const gateway = await serverRow(account, secrets);
  const instance = await connectionRow(db, account);
  await sql`update connection set kind = 'instance', device_id = ${`loja-${instance}`} where id = ${instance}`.execute(
    db,
  );
  await sql`insert into instance (connection_id, account_id, gateway_id, gateway_url, name, token, hook_id, hook_secret, hook_state)
    values (${instance}, ${account}, ${gateway}, 'https://loja.invalid', ${`loja-${instance}`},
      ${secrets.seal("own", tokenPlace(instance))}, ${`gancho-${instance}`},
      ${secrets.seal("hook", hookSecretPlace(instance))}, 'ours')`.execute(db);
  return { gateway, instance };
}

async function serverRow(account: string | null, secrets: Secrets): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into gateway (account_id, name, url, api_key, key_hint, check_state)
    values (${account}, 'Loja', ${`https://${randomBytes(4).toString("hex")}.invalid`}, '', 'abcd', 'ok') returning id`.execute(
    db,
  );
  const id = rows[0]?.id ?? 0;
  await sql`update gateway set api_key = ${secrets.seal("global", apiKeyPlace(id))} where id = ${id}`.execute(
    db,
  );
  return id;
}

async function mistralRow(account: string, secrets: Secrets): Promise<void> {
  await sql`insert into mistral_setting (account_id, api_key, key_hint)
    values (${account}, ${secrets.seal("mistral", mistralKeyPlace(account))}, 'tral')`.execute(db);
}

const connection = async (id: number) => {
  const { rows } = await sql<{ state: string; cause: string | null; sealed: number; fence: number }>`
    select state, state_reason as cause, fence, (select count(*)::int from device_creds where connection_id = ${id})
      + (select count(*)::int from device_key where connection_id = ${id}) as sealed
    from connection where id = ${id}`.execute(db);
  return rows[0];
};

test("what only a lost key opens is forgotten, what a key of ours opens stays, and the installation is the new key's", async () => {
  const gone = createSecrets(newKey());
  const kept = createSecrets(newKey());
  await checkSecretKey(db, gone);
  const [ana, bia] = [await accountRow(db), await accountRow(db)];
  const devices = [
    await deviceRow(ana, gone, kept),
    await deviceRow(ana, kept, gone),
    await deviceRow(bia, kept),
  ];
  const [lost, safe] = [await gatewayRow(ana, gone), await gatewayRow(bia, kept)];
  await serverRow(null, gone);
  await mistralRow(ana, gone);
  await mistralRow(bia, kept);
  await sql`insert into session (account_id, token, expires_at) values (${ana}, 't', now() + interval '1 day')`.execute(
    db,
  );

  for (const [{ keyIds }, hash] of [
    [gone, "\\x01"],
    [kept, "\\x02"],
  ] as const)
    await sql`insert into erased_person (account_id, hash, key_id) values (${ana}, ${hash}::bytea, ${keyIds[0]})`.execute(
      db,
    );

  expect(await forgetLost(db, kept, true)).toEqual({
    ...{ devices: 2, gateways: 1, instances: 1, mistralKeys: 1, erased: 1 },
  });
  const erased = await sql<{ hash: Buffer }>`select hash from erased_person`.execute(db);
  expect(erased.rows).toEqual([{ hash: Buffer.of(2) }]);

  const parted = { state: "disconnected", cause: "key_lost", sealed: 0, fence: 1 };
  expect(await Promise.all(devices.map(connection))).toEqual([
    parted,
    parted,
    { state: "connected", cause: null, sealed: 2, fence: 0 },
  ]);
  await checkSecretKey(db, kept);
  const gateways = await sql<{ id: number; key: Buffer; hint: string; checked: string }>`
    select id, api_key as key, key_hint as hint, check_state as checked from gateway order by id`.execute(db);
  expect(
    gateways.rows.map(({ id, key, ...rest }) => ({
      key: kept.open(key, apiKeyPlace(id)).toString(),
      ...rest,
    })),
  ).toEqual([
    { key: "lost", hint: "", checked: "wrong_key" },
    { key: "global", hint: "abcd", checked: "ok" },
    { key: "lost", hint: "", checked: "ok" },
  ]);
  const instances = await sql<{ id: number; token: Buffer | null; hook: Buffer; state: string }>`
    select connection_id as id, token, hook_secret as hook, hook_state as state from instance order by 1`.execute(
    db,
  );
  const opened = instances.rows.map(({ id, token, hook, state }) => ({
    id,
    state,
    hook: kept.open(hook, hookSecretPlace(id)).toString(),
    token: token && kept.open(token, tokenPlace(id)).toString(),
  }));
  expect(opened).toEqual([
    { id: lost.instance, token: null, state: "unset", hook: expect.not.stringMatching(/^hook$/) },
    { id: safe.instance, token: "own", state: "unset", hook: "hook" },
  ]);
  const mistral = await sql<{ account: string; key: Buffer }>`
    select account_id as account, api_key as key from mistral_setting order by account_id = ${bia}`.execute(
    db,
  );
  expect(mistral.rows.map(({ account, key }) => kept.open(key, mistralKeyPlace(account)).toString())).toEqual(
    ["lost", "mistral"],
  );
  const sessions = await sql`select from session`.execute(db);
  expect(sessions.rows).toHaveLength(0);
  const events = await sql<{ kind: string; actor: string }>`select kind, actor from audit_event`.execute(db);
  expect(events.rows).toEqual(Array(2).fill({ kind: "secret_key_lost", actor: "operator" }));
});

test("of several keys the lost one is forgotten, and the database is of those that are left", async () => {
  const [first, second, third] = [newKey(), newKey(), newKey()];
  await checkSecretKey(db, createSecrets(first));
  await checkSecretKey(db, createSecrets(`${second},${first}`));
  const left = createSecrets(`${third},${first}`);
  await expect(checkSecretKey(db, left)).rejects.toThrow(/Falta uma das chaves secretas/);
  await forgetLost(db, left, true);
  await checkSecretKey(db, left);
  await expect(checkSecretKey(db, createSecrets(first))).rejects.toThrow(/Falta uma das chaves secretas/);
});

test("a number that rested keeps its own cause, unless that was a restored copy's", async () => {
  const gone = createSecrets(newKey());
  await checkSecretKey(db, gone);
  const account = await accountRow(db);
  const [banned, restored] = [await deviceRow(account, gone), await deviceRow(account, gone)];
  await sql`update connection set state = 'disconnected', state_reason = case id when ${banned} then 'banned' else 'restored' end`.execute(
    db,
  );
  await forgetLost(db, createSecrets(newKey()), true);
  expect(await connection(banned)).toMatchObject({ cause: "banned", sealed: 0 });
  expect(await connection(restored)).toMatchObject({ cause: "key_lost", sealed: 0 });
});

test("without confirmation the losses are listed and nothing changes", async () => {
  const gone = createSecrets(newKey());
  await checkSecretKey(db, gone);
  const account = await accountRow(db);
  await deviceRow(account, gone);
  await gatewayRow(account, gone);
  const before = await allRows(db);
  const lost = await forgetLost(db, createSecrets(newKey()), false);
  expect(lost).toEqual({ ...NOTHING, devices: 1, gateways: 1, instances: 1 });
  expect(await allRows(db)).toEqual(before);
});

test("nor is a key made where there is none", async () => {
  const gone = createSecrets(newKey());
  await checkSecretKey(db, gone);
  await deviceRow(await accountRow(db), gone);
  const folder = temporaryFolder();
  const before = await allRows(db);
  expect(await runProgram("lost-key", [], { DATABASE_URL: url, RECADO_DATA: folder })).toMatchObject({
    code: 0,
    errors: "",
    output: expect.stringMatching(/sessões do WhatsApp: 1 .*--confirm/s),
  });
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await allRows(db)).toEqual(before);
});

test("while a process with a working key uses the database, nothing is deleted", async () => {
  const gone = createSecrets(newKey());
  await checkSecretKey(db, gone);
  await deviceRow(await accountRow(db), gone);
  await sql`insert into worker (id, kinds, lease_until) values (gen_random_uuid(), '{device}', now() + interval '1 minute')`.execute(
    db,
  );
  const before = await allRows(db);
  await expect(forgetLost(db, createSecrets(newKey()), true)).rejects.toThrow(/está rodando/);
  expect(await allRows(db)).toEqual(before);
});

test("nor while a process that only serves goes on with the lost key: what is typed there would be sealed by it", async () => {
  const gone = createSecrets(newKey());
  await checkSecretKey(db, gone);
  const serving = await database.listen("recado_changes", () => undefined);
  await expect(forgetLost(db, createSecrets(newKey()), true)).rejects.toThrow(/está rodando/);
  await serving.close();
  const left = () => forgetLost(db, createSecrets(newKey()), true).catch(String);
  await expect.poll(left, { timeout: 30_000 }).toEqual(NOTHING);
});
