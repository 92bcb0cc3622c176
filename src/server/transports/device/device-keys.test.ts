import { randomBytes } from "node:crypto";
import { initAuthCreds, proto } from "baileys";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../../tests/support/database.ts";
import {
  acquireConnection,
  type SeededConnection,
  seedConnection,
} from "../../../../tests/support/lane-host.ts";
import type { Database } from "../../db/client.ts";
import { createSecrets } from "../../db/secrets.ts";
import { DeviceKeys, FenceLost } from "./device-keys.ts";

const { db, database } = await testDatabase();
const secrets = createSecrets(randomBytes(32).toString("base64"));

let number = 5511900000900;
const connection = () => seedConnection(db, String(number++));

async function keysOf({ connectionId }: SeededConnection) {
  let losses = 0;
  const fence = await acquireConnection(db, connectionId);
  const keys = new DeviceKeys({
    database,
    secrets,
    log: testLog,
    connectionId,
    fence,
    onFenceLost: () => {
      losses += 1;
    },
  });
  return { keys, store: keys.ofPairing(), losses: () => losses };
}

const SESSION = Buffer.from("a session with its ratchets");

test("what is stored comes back as it was, each kind in its class", async () => {
  const { store } = await keysOf(await connection());
  const keyData = proto.Message.AppStateSyncKeyData.fromObject({ keyData: randomBytes(32), timestamp: 17 });
  await store.set({
    session: { "5511.0": SESSION, "5512.0": SESSION },
    "pre-key": { "1": { public: randomBytes(32), private: randomBytes(32) } },
    "app-state-sync-key": { k1: keyData },
    "device-list": { "5511": ["0", "3"] },
  });
  const sessions = await store.get("session", ["5511.0", "5512.0", "5513.0"]);
  expect(Object.keys(sessions).sort()).toEqual(["5511.0", "5512.0"]);
  expect(Buffer.from(sessions["5511.0"] ?? []).equals(SESSION)).toBe(true);
  const { k1 } = await store.get("app-state-sync-key", ["k1"]);
  expect(k1).toBeInstanceOf(proto.Message.AppStateSyncKeyData);
  expect(Buffer.from(k1?.keyData ?? []).equals(Buffer.from(keyData.keyData ?? []))).toBe(true);
  expect(await store.get("device-list", ["5511"])).toEqual({ "5511": ["0", "3"] });
});

test("F45 null deletes, and a set is all or nothing", async () => {
  const one = await connection();
  const { store } = await keysOf(one);
  await store.set({ session: { a: SESSION, b: SESSION } });
  await store.set({ session: { a: null, c: SESSION } });
  const { rows } = await sql<{ id: string }>`
    select id from device_key where connection_id = ${one.connectionId} order by id`.execute(db);
  expect(rows.map(({ id }) => id)).toEqual(["b", "c"]);
});

test("nothing in the database shows a key to who reads it, and a row moved elsewhere does not open", async () => {
  const one = await connection();
  const { store, keys } = await keysOf(one);
  await store.set({ session: { a: SESSION } });
  keys.saveCreds(initAuthCreds());
  await keys.flush();
  const { rows } = await sql<{ data: Buffer }>`
    select data from device_key where connection_id = ${one.connectionId}
    union all select data from device_creds where connection_id = ${one.connectionId}`.execute(db);
  expect(rows).toHaveLength(2);
  for (const { data } of rows) {
    expect(data.includes(SESSION.toString("base64"))).toBe(false);
    expect(data.includes("noiseKey")).toBe(false);
  }
  await sql`update device_key set id = 'b' where connection_id = ${one.connectionId}`.execute(db);
  await expect(store.get("session", ["b"])).rejects.toThrow();
  const another = await connection();
  await sql`insert into device_key (connection_id, kind, id, data)
    select ${another.connectionId}, kind, 'a', data from device_key where connection_id = ${one.connectionId}`.execute(
    db,
  );
  await expect((await keysOf(another)).store.get("session", ["a"])).rejects.toThrow();
});

test("a raised fence refuses keys and credentials, once and for all, and writes nothing", async () => {
  const one = await connection();
  const former = await keysOf(one);
  await former.store.set({ session: { a: SESSION } });
  const successor = await keysOf(one);
  await expect(former.store.set({ session: { a: Buffer.from("stale") } })).rejects.toThrow(FenceLost);
  former.keys.saveCreds(initAuthCreds());
  await former.keys.flush();
  await expect(former.keys.forget()).rejects.toThrow(FenceLost);
  expect(former.losses()).toBe(1);
  expect(await successor.keys.loadCreds()).toBeNull();
  const { a } = await successor.store.get("session", ["a"]);
  expect(Buffer.from(a ?? []).equals(SESSION)).toBe(true);
});

test("a write waits for a take-over in progress and is refused after it", async () => {
  const one = await connection();
  const { store } = await keysOf(one);
  let writing: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await acquireConnection(tx, one.connectionId);
    writing = Promise.resolve(store.set({ session: { a: SESSION } })).then(
      () => "written",
      (error: unknown) => error,
    );
    const early = await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 100, "waits"))]);
    expect(early).toBe("waits");
  });
  expect(await writing).toBeInstanceOf(FenceLost);
});

test("F45 many changes of credentials become few writes, the last one stays, and closing waits for it", async () => {
  const { keys } = await keysOf(await connection());
  const creds = initAuthCreds();
  for (let id = 1; id <= 50; id++) {
    creds.nextPreKeyId = id;
    keys.saveCreds(creds);
  }
  await keys.close();
  expect((await keys.loadCreds())?.nextPreKeyId).toBe(50);
});

test("credentials that could not be stored do not overwrite newer ones", async () => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writes = 0;
  const firstFails: Pick<Database, "prepared"> = {
    async prepared<Row>(name: string, text: string, values: unknown[]) {
      if (name !== "device_creds_set" || ++writes > 1) return database.prepared<Row>(name, text, values);
      begun.resolve();
      await held.promise;
      throw new Error("Connection terminated");
    },
  };
  const { connectionId } = await connection();
  const fence = await acquireConnection(db, connectionId);
  const keys = new DeviceKeys({
    database: firstFails,
    secrets,
    log: testLog,
    connectionId,
    fence,
    onFenceLost: () => undefined,
  });
  keys.saveCreds({ ...initAuthCreds(), nextPreKeyId: 1 });
  await begun.promise;
  keys.saveCreds({ ...initAuthCreds(), nextPreKeyId: 2 });
  held.resolve();
  await keys.flush();
  expect((await keys.loadCreds())?.nextPreKeyId).toBe(2);
});

test("after the pairing is forgotten, what its socket still writes is dropped", async () => {
  const { keys, store } = await keysOf(await connection());
  await store.set({ session: { a: SESSION } });
  keys.saveCreds(initAuthCreds());
  const late = Promise.resolve(store.set({ session: { b: SESSION } }));
  await keys.forget();
  await late;
  await store.set({ session: { c: SESSION } });
  expect(await keys.loadCreds()).toBeNull();
  const fresh = keys.ofPairing();
  expect(await fresh.get("session", ["a", "b", "c"])).toEqual({});
  await fresh.set({ session: { d: SESSION } });
  expect(Object.keys(await fresh.get("session", ["d"]))).toEqual(["d"]);
});

test("a pairing is forgotten after what was being written of it, not beside it", async () => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const overtaking: Promise<unknown>[] = [];
  const slow: Pick<Database, "prepared"> = {
    async prepared<Row>(name: string, text: string, values: unknown[]) {
      if (name === "device_keys_set") {
        begun.resolve();
        await held.promise;
      }
      const asked = database.prepared<Row>(name, text, values);
      if (name === "device_forget") overtaking.push(asked);
      return asked;
    },
  };
  const { connectionId } = await connection();
  const fence = await acquireConnection(db, connectionId);
  const keys = new DeviceKeys({
    database: slow,
    secrets,
    log: testLog,
    connectionId,
    fence,
    onFenceLost: () => undefined,
  });
  const writing = keys.ofPairing().set({ session: { a: SESSION } });
  await begun.promise;
  const forgotten = keys.forget();
  await Promise.all(overtaking);
  held.resolve();
  await Promise.all([writing, forgotten]);
  expect(await keys.ofPairing().get("session", ["a"])).toEqual({});
});

test("F6 closing does not wait for an unavailable database: unsaved writes are lost and the process can stop", async () => {
  const { connectionId } = await connection();
  const keys = new DeviceKeys({
    database: { prepared: async () => Promise.reject(new Error("Connection terminated")) },
    secrets,
    log: testLog,
    connectionId,
    fence: 1,
    onFenceLost: () => undefined,
  });
  keys.saveCreds(initAuthCreds());
  const start = performance.now();
  await keys.close();
  expect(performance.now() - start).toBeLessThan(5_000);
});
