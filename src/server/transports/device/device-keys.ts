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

type Statement = { name: string; text: string };
type Columns = { goneKinds: string[]; goneIds: string[]; kinds: string[]; ids: string[]; data: Buffer[] };

/**
 * In PostgreSQL, encrypted, one statement per write. Each write checks the fence: two processes writing
 * ratchets of one account would make its messages unreadable for good.
 */
export class DeviceKeys {
  readonly #deps: DeviceKeysDeps;
  readonly #running = new Set<Promise<unknown>>();
  #lost = false;
  #closed = false;
  #saving = false;
  #pairing = 0;
  #failures = 0;
  #wantedCreds: AuthenticationCreds | null = null;

  constructor(deps: DeviceKeysDeps) {
    this.#deps = deps;
  }

  /** For one socket. After `forget`, its later writes are dropped. */
  ofPairing(): SignalKeyStore {
    const pairing = this.#pairing;
    return {
      get: (kind, ids) => this.#getKeys(kind, ids),
      set: (keys) => this.#setKeys(pairing, keys),
    };
  }

  async loadCreds(): Promise<AuthenticationCreds | null> {
    const { rows } = await this.#ask<{ data: Buffer }>(GET_CREDS, []);
    const [row] = rows;
    if (!row) return null;
    return { ...initAuthCreds(), ...(this.#open("creds", "", row.data) as AuthenticationCreds) };
  }

  /** Stores the state at the start of the write; requests during a write are merged. */
  saveCreds(creds: AuthenticationCreds): void {
    this.#wantedCreds = creds;
    if (this.#saving) return;
    this.#saving = true;
    void this.#tracked(this.#writeCreds());
  }

  /** Failed reads and writes, except those the database can never accept. */
  failures(): number {
    return this.#failures;
  }

  async flush(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  async forget(): Promise<void> {
    this.#pairing += 1;
    this.#wantedCreds = null;
    await this.flush();
    await this.#tracked(this.#write(FORGET, []));
  }

  /** Retries failed writes for 2 s, then ignores them, because the socket is being closed. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([this.flush(), enough]);
    clearTimeout(timer);
    this.#closed = true;
    await this.flush();
  }

  async #getKeys<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
    const { rows } = await this.#ask<{ id: string; data: Buffer }>(GET_KEYS, [kind, ids]);
    const found: { [id: string]: SignalDataTypeMap[T] } = {};
    for (const { id, data } of rows) found[id] = revive(kind, this.#open(kind, id, data));
    return found;
  }

  async #setKeys(pairing: number, keys: SignalDataSet): Promise<void> {
    // Keys of two pairings mixed would make messages unreadable.
    if (pairing !== this.#pairing) return;
    const { goneKinds, goneIds, kinds, ids, data } = this.#columnsOf(keys);
    try {
      await this.#tracked(this.#write(SET_KEYS, [goneKinds, goneIds, kinds, ids, data]));
    } catch (error) {
      if (!this.#closed) throw error;
      const { log, connectionId } = this.#deps;
      log.debug({ err: error, connectionId }, "late keys not stored");
    }
  }

  #columnsOf(keys: SignalDataSet): Columns {
    const columns: Columns = { goneKinds: [], goneIds: [], kinds: [], ids: [], data: [] };
    for (const [kind, entries] of Object.entries(keys)) {
      for (const [id, value] of Object.entries(entries ?? {})) {
        if (value === null || value === undefined) {
          columns.goneKinds.push(kind);
          columns.goneIds.push(id);
        } else {
          columns.kinds.push(kind);
          columns.ids.push(id);
          columns.data.push(this.#seal(kind, id, value));
        }
      }
    }
    return columns;
  }

  async #writeCreds(): Promise<void> {
    const { log, connectionId } = this.#deps;
    while (this.#wantedCreds) {
      const creds = this.#wantedCreds;
      this.#wantedCreds = null;
      try {
        await this.#write(SET_CREDS, [this.#seal("creds", "", creds)]);
      } catch (error) {
        if (error instanceof FenceLost || this.#closed) break;
        log.warn({ err: error, connectionId }, "credentials not stored, trying again");
        this.#wantedCreds ??= creds;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
    // A request between this and the last check would wait for ever.
    this.#saving = false;
  }

  async #write(statement: Statement, values: unknown[]): Promise<void> {
    const { fence, onFenceLost } = this.#deps;
    const { rows } = await this.#ask(statement, [fence, ...values]);
    if (rows.length > 0) return;
    if (!this.#lost) {
      this.#lost = true;
      onFenceLost();
    }
    throw new FenceLost();
  }

  async #ask<Row>({ name, text }: Statement, values: unknown[]) {
    const { database, connectionId } = this.#deps;
    try {
      return await database.prepared<Row>(name, text, [connectionId, ...values]);
    } catch (error) {
      if (!isDataError(error)) this.#failures += 1;
      throw error;
    }
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const done = () => this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  #seal(kind: string, id: string, value: unknown): Buffer {
    const json = JSON.stringify(value, BufferJSON.replacer);
    return this.#deps.secrets.seal(Buffer.from(json), this.#place(kind, id));
  }

  #open(kind: string, id: string, data: Buffer): unknown {
    return JSON.parse(this.#deps.secrets.open(data, this.#place(kind, id)).toString(), BufferJSON.reviver);
  }

  #place(kind: string, id: string): string {
    return `device_key/${this.#deps.connectionId}/${kind}/${id}`;
  }
}

/** Baileys needs its protobuf class, not JSON's plain object. */
function revive<T extends keyof SignalDataTypeMap>(kind: T, value: unknown): SignalDataTypeMap[T] {
  const typed = value as SignalDataTypeMap[T];
  if (kind !== "app-state-sync-key") return typed;
  const key: unknown = proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>);
  return key as SignalDataTypeMap[T];
}
