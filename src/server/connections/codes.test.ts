import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Connection } from "../../contract/connections.ts";
import { mountConnections } from "./routes.ts";
import { ConnectionService } from "./service.ts";

const { db } = await testDatabase();
const unused = async () => {
  throw new Error("not used here");
};
const deps = {
  changes: { mark: () => undefined },
  files: { uploadFrom: unused, kindOf: unused },
  outbox: { wait: unused, close: unused },
  answerMs: 0,
  ownerMs: 0,
};
const api = testApi(db, (app) => mountConnections(app, new ConnectionService(deps)));

let account = "";
let id = 0;
beforeEach(async () => {
  account = await accountRow(db);
  const { rows } = await sql<{ id: number }>`
    insert into connection (account_id, kind, device_id, name, desired, state)
    values (${account}, 'device', '5511987654321', 'Loja', 'disconnected', 'disconnected') returning id`.execute(
    db,
  );
  id = rows[0]?.id ?? 0;
});
const call = <T>(method: string, path: string) => api(account)<T>(method, path);

test("codes are shown for as long as they open something", async () => {
  const shown = async (ends: string) => {
    await sql`update connection set qr = 'qr', pairing_code = 'ABCD1234',
      qr_expires_at = now() + ${ends}::interval, pairing_code_expires_at = now() + ${ends}::interval`.execute(
      db,
    );
    const { body } = await call<{ connections: Connection[] }>("GET", "/api/connections");
    const [row] = body.connections;
    return [row?.qr, row?.pairingCode, row?.qrExpiresAt, row?.pairingCodeExpiresAt];
  };
  expect(await shown("1 minute")).toEqual(["qr", "ABCD1234", expect.any(String), expect.any(String)]);
  expect(await shown("-1 second")).toEqual([null, null, null, null]);
});

test("what WhatsApp's quota leaves is known until its cycle ends, and is unknown without a quota", async () => {
  const shown = async (quota: object | null) => {
    await sql`update connection set new_chats = ${quota && JSON.stringify(quota)}::jsonb`.execute(db);
    const { body } = await call<{ connections: Connection[] }>("GET", "/api/connections");
    return body.connections[0]?.newChats;
  };
  const readAt = "2026-11-20T12:00:00.000Z";
  const known = { total: 100, used: 63, until: "2099-12-14T03:00:00.000Z", readAt };
  expect(await shown({ ...known, capped: false })).toEqual({ ...known, left: 37 });
  expect(await shown({ ...known, capped: true })).toEqual({ ...known, left: 0 });
  expect(await shown({ ...known, capped: false, until: "2020-01-01T00:00:00.000Z" })).toBeNull();
  expect(await shown(null)).toBeNull();
});

test("a retry clears the ban and its end, and a requested pairing code still arrives", async () => {
  await sql`update connection set state_reason = 'temp_banned', state_reason_until = now() + interval '1 hour'`.execute(
    db,
  );
  const asked = await call("POST", `/api/connections/${id}/pairing-code`);
  expect(asked).toMatchObject({ status: 200, body: { state: "connecting", cause: null, causeUntil: null } });
  await call("POST", `/api/connections/${id}/qr`);
  const { rows } = await sql`select pairing_code_wanted as wanted from connection where id = ${id}`.execute(
    db,
  );
  expect(rows).toEqual([{ wanted: true }]);
});

test("a number abroad is named by its own digits, whatever number they would be in Brazil", async () => {
  const connect = async (deviceId: string) =>
    (await api(account)<{ deviceId: string }>("POST", "/api/whatsapp/connect", { deviceId })).body.deviceId;
  const listed = async () =>
    (await call<{ devices: { deviceId: string }[] }>("GET", "/api/whatsapp/devices")).body.devices.map(
      ({ deviceId }) => deviceId,
    );
  expect(await connect("(51) 98765-4321")).toBe("5551987654321");
  expect(await connect("+51 987 654 321")).toBe("51987654321");
  expect(await connect("51987654321")).toBe("51987654321");
  expect(await listed()).toHaveLength(3);

  await call("DELETE", "/api/whatsapp/devices/51987654321");
  expect(await listed()).toEqual(expect.arrayContaining(["5551987654321", "5511987654321"]));
  expect(await listed()).toHaveLength(2);
});

test("an answer to the digits of a conversation abroad goes there, not to Brazil", async () => {
  const other = await accountRow(db);
  for (const owner of [account, other])
    await sql`insert into connection (account_id, kind, device_id, name, desired, state)
      values (${owner}, 'device', '5511900000009', 'Loja', 'connected', 'connected')`.execute(db);
  await sql`insert into chat (account_id, connection_id, kind, phone, jid)
    select ${account}, id, 'person', 51987654321, '51987654321@s.whatsapp.net' from connection where id = ${id}`.execute(
    db,
  );
  const send = async (caller: string, number: string) => {
    await api(caller)("POST", "/api/whatsapp/send", { deviceId: "5511900000009", number, message: "Oi" });
    const { rows } = await sql<{ phone: string }>`select phone::text as phone from outbox
      where account_id = ${caller} order by id desc limit 1`.execute(db);
    return rows[0]?.phone;
  };
  expect(await send(account, "51987654321")).toBe("51987654321");
  expect(await send(account, "51 98765-4321")).toBe("5551987654321");
  expect(await send(other, "51987654321")).toBe("5551987654321");
});

test("a number that is connected once more without a name keeps the one it was given", async () => {
  const connect = (deviceId: string, connectionName: string) =>
    api(account)("POST", "/api/whatsapp/connect", { deviceId, connectionName });
  const names = async () =>
    (await call<{ connections: Connection[] }>("GET", "/api/connections")).body.connections.map(
      ({ name }) => name,
    );
  await connect("+55 11 98765-4321", "WhatsApp +55 11 98765-4321");
  await connect("+55 11 98765-1234", "WhatsApp +55 11 98765-1234");
  expect(await names()).toEqual(["Loja", "WhatsApp +55 11 98765-1234"]);
  await connect("11 98765-4321", "Matriz");
  expect(await names()).toEqual(["Matriz", "WhatsApp +55 11 98765-1234"]);
});

test("a number that is added again while it is being taken away comes without what it had, once that is done", async () => {
  const patient = new ConnectionService({ ...deps, ownerMs: 60_000 });
  const again = testApi(db, (app) => mountConnections(app, patient))(account);
  await sql`update connection set desired = 'removed', state = 'connected' where id = ${id}`.execute(db);
  const added = again<{ status: string }>("POST", "/api/whatsapp/connect", { deviceId: "5511987654321" });
  const waited = await Promise.race([added, setTimeout(300, "waits")]);
  expect(waited).toBe("waits");
  await sql`delete from connection where id = ${id}`.execute(db);
  expect(await added).toMatchObject({ status: 200, body: { status: "connecting" } });
  const { rows } = await sql<{ id: number; name: string }>`select id, name from connection
    where account_id = ${account}`.execute(db);
  expect(rows).toEqual([{ id: expect.any(Number), name: "WhatsApp 5511987654321" }]);
  expect(rows[0]?.id).not.toBe(id);
});
