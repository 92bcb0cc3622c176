import { sql } from "kysely";
import type { Database, Db } from "../db/client.ts";
import type { Listener } from "../db/listen.ts";
import type { Secrets } from "../db/secrets.ts";
import { hashHookSecret, hookSecretPlace, isHookSecret, makeHookSecret } from "./webhook-secret.ts";

export type Hook = {
  accountId: string;
  connectionId: number;
  instance: string;
  relays: boolean;
};

export type Hooks = {
  known(hookId: string, secret: string): Hook | null;
  /** Equal time for an unknown id and a wrong secret. */
  find(hookId: string, secret: string): Promise<Hook | null>;
  /** Whatever the secret: strangers do not take its queue slots. */
  isInUse(hookId: string): boolean;
  close(): Promise<void>;
};

const CHANNEL = "recado_hook";

export async function hookChanged(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${String(connectionId)})`.execute(tx);
}

type Entry = { hook: Hook; hashed: Buffer };
type Row = Hook & { hookId: string; sealed: Buffer };

const COLUMNS = `i.hook_id as "hookId", i.connection_id as "connectionId", i.account_id as "accountId", i.name as instance,
  i.relay_url is not null as relays, i.hook_secret as sealed`;
const FIND = `select ${COLUMNS} from instance i where i.hook_id = $1`;
const USED = `from instance i join connection k on k.id = i.connection_id and k.desired <> 'removed'`;
const FIND_CHANGED = `select ${COLUMNS} ${USED} where i.connection_id = $1`;
const FIND_NEXT = `select ${COLUMNS} ${USED} where i.connection_id > $1 order by i.connection_id limit $2`;
const PAGE = 1_000;

/** Caches all: sixty events a second need no lookups, and unknown ones do not delay known ones. */
export async function openHooks(
  database: Database,
  secrets: Secrets,
  failed: (error: unknown) => void = () => undefined,
): Promise<Hooks> {
  const hooks = new RememberedHooks(database, secrets, failed);
  await hooks.open();
  return hooks;
}

class RememberedHooks implements Hooks {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #failed: (error: unknown) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #ids = new Map<number, string>();
  readonly #idsInUse = new Set<string>();
  readonly #decoy: Pick<Row, "connectionId" | "sealed">;
  #listener: Listener | undefined;
  #changes = 0;
  #loading: Promise<void> = Promise.resolve();

  constructor(database: Database, secrets: Secrets, failed: (error: unknown) => void) {
    this.#database = database;
    this.#secrets = secrets;
    this.#failed = failed;
    this.#decoy = { connectionId: 0, sealed: secrets.seal(makeHookSecret(), hookSecretPlace(0)) };
  }

  async open(): Promise<void> {
    this.#listener = await this.#database.listen(
      CHANNEL,
      (connectionId) => this.#changed(Number(connectionId)),
      () => this.#missed(),
    );
    await this.#load();
  }

  known(hookId: string, secret: string): Hook | null {
    const entry = this.#entries.get(hookId);
    return entry && isHookSecret(secret, entry.hashed) ? entry.hook : null;
  }

  isInUse(hookId: string): boolean {
    return this.#idsInUse.has(hookId);
  }

  async find(hookId: string, secret: string): Promise<Hook | null> {
    const before = this.#changes;
    const { rows } = await this.#database.prepared<Row>("webhook_hook", FIND, [hookId]);
    const [row] = rows;
    // Timing must not reveal which webhooks exist.
    const entry = this.#entryOf(
      row ?? { ...this.#decoy, hookId, accountId: "", instance: "", relays: false },
    );
    const opens = isHookSecret(secret, entry.hashed);
    if (!row || !opens) return null;
    // A change during the read may make it stale.
    if (this.#changes === before) this.#remember(row, entry);
    return entry.hook;
  }

  async close(): Promise<void> {
    await this.#loading;
    await this.#listener?.close();
  }

  #changed(connectionId: number): void {
    this.#changes += 1;
    const id = this.#ids.get(connectionId);
    if (id !== undefined) this.#entries.delete(id);
    this.#then(async () => {
      const rows = await this.#ask("webhook_hook_changed", FIND_CHANGED, [connectionId]);
      if (rows.length > 0 || id === undefined) return;
      this.#ids.delete(connectionId);
      this.#idsInUse.delete(id);
    });
  }

  #missed(): void {
    this.#changes += 1;
    this.#entries.clear();
    this.#then(() => this.#load());
  }

  #then(work: () => Promise<unknown>): void {
    this.#loading = this.#loading.then(work).then(undefined, this.#failed);
  }

  async #load(): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await this.#ask("webhook_hooks", FIND_NEXT, [after, PAGE]);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return;
      after = last.connectionId;
    }
  }

  async #ask(name: string, text: string, values: unknown[]): Promise<Row[]> {
    const before = this.#changes;
    const { rows } = await this.#database.prepared<Row>(name, text, values);
    for (const row of rows) {
      this.#ids.set(row.connectionId, row.hookId);
      this.#idsInUse.add(row.hookId);
      if (this.#changes !== before) continue;
      try {
        this.#remember(row, this.#entryOf(row));
      } catch (error) {
        this.#failed(error);
      }
    }
    return rows;
  }

  #entryOf(row: Row): Entry {
    const { connectionId, accountId, instance, relays, sealed } = row;
    const secret = this.#secrets.open(sealed, hookSecretPlace(connectionId)).toString();
    return { hook: { accountId, connectionId, instance, relays }, hashed: hashHookSecret(secret) };
  }

  #remember(row: Row, entry: Entry): void {
    this.#ids.set(row.connectionId, row.hookId);
    this.#idsInUse.add(row.hookId);
    this.#entries.set(row.hookId, entry);
  }
}
