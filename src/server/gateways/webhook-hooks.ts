import { sql } from "kysely";
import type { Database, Db } from "../db/client.ts";
import type { Listener } from "../db/listen.ts";
import type { Secrets } from "../db/secrets.ts";
import { hashHookSecret, hookSecretPlace, isHookSecret, makeHookSecret } from "./webhook-secret.ts";

/** Whose events a webhook brings. */
export type Hook = {
  accountId: string;
  connectionId: number;
  /** The instance's name at its gateway: what stands in the events. */
  instance: string;
  /** The person has an address of their own, to which messages are passed on as they came. */
  relays: boolean;
};

export type Hooks = {
  /** The webhook that this id and secret open, where they are remembered; null says nothing yet. */
  known(hookId: string, secret: string): Hook | null;
  /** The same from the database. Takes as long for an id that nobody has as for a wrong secret. */
  find(hookId: string, secret: string): Promise<Hook | null>;
  /** True for a webhook of an instance, whatever secret came with it: strangers' do not take its place in the row. */
  isInUse(hookId: string): boolean;
  close(): Promise<void>;
};

const CHANNEL = "recado_hook";

/** An instance's webhook, its secret, its name or the person's own address changed, or it is gone. Told when the transaction commits. */
export async function hookChanged(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${String(connectionId)})`.execute(tx);
}

type Entry = { hook: Hook; hashed: Buffer };
type Row = Hook & { hookId: string; sealed: Buffer };

const COLUMNS = `i.hook_id as "hookId", i.connection_id as "connectionId", i.account_id as "accountId", i.name as instance,
  i.relay_url is not null as relays, i.hook_secret as sealed`;
const FIND = `select ${COLUMNS} from instance i where i.hook_id = $1`;
/** Webhooks of instances that are being removed need not be remembered. */
const USED = `from instance i join connection k on k.id = i.connection_id and k.desired <> 'removed'`;
const FIND_CHANGED = `select ${COLUMNS} ${USED} where i.connection_id = $1`;
const FIND_NEXT = `select ${COLUMNS} ${USED} where i.connection_id > $1 order by i.connection_id limit $2`;
const PAGE = 1_000;

/**
 * Remembers all webhooks: sixty events a second must not ask the database whose they are, and after a start a flood of unknown ones must not
 * keep the known ones waiting for that.
 */
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
  /** By connection. They stay known where what they open must be asked for again. */
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
    // Opened and compared for nobody as well: the time must not tell which webhooks there are.
    const entry = this.#entryOf(
      row ?? { ...this.#decoy, hookId, accountId: "", instance: "", relays: false },
    );
    const opens = isHookSecret(secret, entry.hashed);
    if (!row || !opens) return null;
    // Changed while we asked: what we know may be what it was.
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

  /** One after the other. What fails is looked up when an event comes. */
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
      // Another change has its own look behind this one.
      if (this.#changes !== before) continue;
      try {
        this.#remember(row, this.#entryOf(row));
      } catch (error) {
        // Its secret cannot be opened; its own events say so as well.
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
