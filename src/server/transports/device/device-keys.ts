import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from "baileys";
import type { Logger } from "pino";
import type { Database } from "../../db/client.ts";
import { isDataError } from "../../db/errors.ts";
import type { Secrets } from "../../db/secrets.ts";

/** The lane lost the connection to another process; nothing was written. */
export class FenceLost extends Error {
  constructor() {
    super("the connection belongs to another process");
    this.name = "FenceLost";
  }
}

export type DeviceKeys = {
  /** For one socket. After `forget`, its later writes are dropped. */
  ofPairing(): SignalKeyStore;
  loadCreds(): Promise<AuthenticationCreds | null>;
  /** Stores the state at the start of the write; requests during a write are merged. */
  saveCreds(creds: AuthenticationCreds): void;
  /** Failed reads and writes, except those the database can never accept. */
  failures(): number;
  flush(): Promise<void>;
  forget(): Promise<void>;
  /** Retries failed writes for 2 s, then ignores them, because the socket is being closed. */
  close(): Promise<void>;
};

type DeviceKeysDeps = {
  database: Pick<Database, "prepared">;
  secrets: Secrets;
  log: Logger;
  connectionId: number;
  fence: number;
  onFenceLost: () => void;
};

const CLOSE_MS = 2_000;

/** Waits for a running acquire and is refused after it. */
const OWNED = "owned as materialized (select id from connection where id = $1 and fence = $2 for share)";

const GET_KEYS = {
  name: "device_keys_get",
  text: "select id, data from device_key where connection_id = $1 and kind = $2 and id = any($3::text[])",
};
const SET_KEYS = {
  name: "device_keys_set",
  text: `with ${OWNED},
gone as (
  delete from device_key k using owned, unnest($3::text[], $4::text[]) as t(kind, id)
  where k.connection_id = owned.id and k.kind = t.kind and k.id = t.id),
kept as (
  insert into device_key (connection_id, kind, id, data)
  select owned.id, t.kind, t.id, t.data from owned, unnest($5::text[], $6::text[], $7::bytea[]) as t(kind, id, data)
  on conflict (connection_id, kind, id) do update set data = excluded.data)
select id from owned`,
};
const GET_CREDS = {
  name: "device_creds_get",
  text: "select data from device_creds where connection_id = $1",
};
const SET_CREDS = {
  name: "device_creds_set",
  text: `with ${OWNED}
insert into device_creds (connection_id, data) select id, $3 from owned
on conflict (connection_id) do update set data = excluded.data, updated_at = now() returning connection_id as id`,
};
const FORGET = {
  name: "device_forget",
  text: `with ${OWNED},
keys as (delete from device_key k using owned where k.connection_id = owned.id),
creds as (delete from device_creds c using owned where c.connection_id = owned.id)
select id from owned`,
};

type Columns = { goneKinds: string[]; goneIds: string[]; kinds: string[]; ids: string[]; data: Buffer[] };

/**
 * In PostgreSQL, encrypted, one statement per write. Each write checks the fence: two processes writing
 * ratchets of one account would make its messages unreadable for good.
 */
export function openDeviceKeys(deps: DeviceKeysDeps): DeviceKeys {
  const { database, secrets, log, connectionId, fence, onFenceLost } = deps;
  const running = new Set<Promise<unknown>>();
  let lost = false;
  let closed = false;
  let saving = false;
  let pairing = 0;
  let failures = 0;
  let wantedCreds: AuthenticationCreds | null = null;

  const place = (kind: string, id: string) => `device_key/${connectionId}/${kind}/${id}`;
  const seal = (kind: string, id: string, value: unknown): Buffer =>
    secrets.seal(Buffer.from(JSON.stringify(value, BufferJSON.replacer)), place(kind, id));
  const open = (kind: string, id: string, data: Buffer): unknown =>
    JSON.parse(secrets.open(data, place(kind, id)).toString(), BufferJSON.reviver);

  function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
    return work;
  }

  async function ask<Row>({ name, text }: { name: string; text: string }, values: unknown[]) {
    try {
      return await database.prepared<Row>(name, text, [connectionId, ...values]);
    } catch (error) {
      if (!isDataError(error)) failures += 1;
      throw error;
    }
  }

  async function write(statement: { name: string; text: string }, values: unknown[]): Promise<void> {
    const { rows } = await ask(statement, [fence, ...values]);
    if (rows.length > 0) return;
    if (!lost) {
      lost = true;
      onFenceLost();
    }
    throw new FenceLost();
  }

  function columnsOf(set: SignalDataSet): Columns {
    const columns: Columns = { goneKinds: [], goneIds: [], kinds: [], ids: [], data: [] };
    for (const [kind, entries] of Object.entries(set)) {
      for (const [id, value] of Object.entries(entries ?? {})) {
        if (value === null || value === undefined) {
          columns.goneKinds.push(kind);
          columns.goneIds.push(id);
        } else {
          columns.kinds.push(kind);
          columns.ids.push(id);
          columns.data.push(seal(kind, id, value));
        }
      }
    }
    return columns;
  }

  async function writeCreds(): Promise<void> {
    while (wantedCreds) {
      const creds = wantedCreds;
      wantedCreds = null;
      try {
        await write(SET_CREDS, [seal("creds", "", creds)]);
      } catch (error) {
        if (error instanceof FenceLost || closed) break;
        log.warn({ err: error, connectionId }, "credentials not stored, trying again");
        wantedCreds ??= creds;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
    // A request between this and the last check would wait for ever.
    saving = false;
  }

  const storeOf = (own: number): SignalKeyStore => ({
    async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
      const { rows } = await ask<{ id: string; data: Buffer }>(GET_KEYS, [kind, ids]);
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const { id, data } of rows) found[id] = revive(kind, open(kind, id, data));
      return found;
    },
    async set(set) {
      // Keys of two pairings mixed would make messages unreadable.
      if (own !== pairing) return;
      const { goneKinds, goneIds, kinds, ids, data } = columnsOf(set);
      try {
        await tracked(write(SET_KEYS, [goneKinds, goneIds, kinds, ids, data]));
      } catch (error) {
        if (!closed) throw error;
        log.debug({ err: error, connectionId }, "late keys not stored");
      }
    },
  });

  async function flush(): Promise<void> {
    while (running.size > 0) await Promise.allSettled([...running]);
  }

  return {
    ofPairing: () => storeOf(pairing),
    failures: () => failures,
    flush,
    async loadCreds() {
      const { rows } = await ask<{ data: Buffer }>(GET_CREDS, []);
      const [row] = rows;
      return row ? { ...initAuthCreds(), ...(open("creds", "", row.data) as AuthenticationCreds) } : null;
    },
    saveCreds(creds) {
      wantedCreds = creds;
      if (saving) return;
      saving = true;
      void tracked(writeCreds());
    },
    async forget() {
      pairing += 1;
      wantedCreds = null;
      await flush();
      await tracked(write(FORGET, []));
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([flush(), enough]);
      clearTimeout(timer);
      closed = true;
      await flush();
    },
  };
}

/** Baileys needs its protobuf class, not JSON's plain object. */
function revive<T extends keyof SignalDataTypeMap>(kind: T, value: unknown): SignalDataTypeMap[T] {
  const typed = value as SignalDataTypeMap[T];
  if (kind !== "app-state-sync-key") return typed;
  const key: unknown = proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>);
  return key as SignalDataTypeMap[T];
}
