import { sql } from "kysely";
import type { Database, Db } from "../db/client.ts";
import type { Secrets } from "../secrets.ts";
import { hashHookSecret, hookSecretPlace, isHookSecret, makeHookSecret } from "./webhook-secret.ts";

/** Whose events a webhook brings. */
export type Hook = {
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
  close(): Promise<void>;
};

const CHANNEL = "recado_hook";

/** An instance's webhook, its secret, its name or the person's own address changed, or it is gone. Told when the transaction commits. */
export async function hookChanged(tx: Db, connectionId: number): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${String(connectionId)})`.execute(tx);
}

type Entry = { hook: Hook; hashed: Buffer };
type Row = { connectionId: number; instance: string; relays: boolean; sealed: Buffer };

const FIND = `select connection_id as "connectionId", name as instance, relay_url is not null as relays, hook_secret as sealed
  from instance where hook_id = $1`;

/** Remembers webhooks that have opened once: sixty events a second must not ask the database who they are. */
export async function openHooks(database: Database, secrets: Secrets): Promise<Hooks> {
  const entries = new Map<string, Entry>();
  const listener = await database.listen(CHANNEL, forget, () => entries.clear());
  const decoy = { connectionId: 0, sealed: secrets.seal(makeHookSecret(), hookSecretPlace(0)) };
  let changes = 0;

  function forget(connectionId: string): void {
    changes += 1;
    for (const [id, { hook }] of entries) if (hook.connectionId === Number(connectionId)) entries.delete(id);
  }

  return {
    known(hookId, secret) {
      const entry = entries.get(hookId);
      return entry && isHookSecret(secret, entry.hashed) ? entry.hook : null;
    },
    async find(hookId, secret) {
      const before = changes;
      const { rows } = await database.prepared<Row>("webhook_hook", FIND, [hookId]);
      // Opened and compared for nobody as well: the time must not tell which webhooks there are.
      const { connectionId, sealed } = rows[0] ?? decoy;
      const hashed = hashHookSecret(secrets.open(sealed, hookSecretPlace(connectionId)).toString());
      const opens = isHookSecret(secret, hashed);
      const [row] = rows;
      if (!row || !opens) return null;
      const hook: Hook = { connectionId, instance: row.instance, relays: row.relays };
      // Changed while we asked: what we know may be what it was.
      if (changes === before) entries.set(hookId, { hook, hashed });
      return hook;
    },
    close: () => listener.close(),
  };
}
