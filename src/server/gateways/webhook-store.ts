import type { Prepared } from "../db/client.ts";
import type { Envelope } from "./webhook-envelope.ts";
import { type Group, groupCommit } from "./webhook-group.ts";

/** An event on its way to the database: its body in JSON, without keys. */
export type EventRow = Envelope & { connectionId: number; body: string };

export type WebhookStore = {
  /** Resolves when the event is committed, or when it was already there. Rejects with `Busy` when too much waits. */
  put(row: EventRow): Promise<void>;
  idle(): Promise<void>;
};

export type StoreOptions = {
  prepared: Prepared;
  /** Something was committed. */
  stored(): void;
  maxWaiting?: number;
};

/** Between values of one parameter. JSON never contains it as it is, nor does a key: so nothing needs to be escaped. */
const SEPARATOR = "\x1e";
const BYTES = { maxBytes: 16 * 1024 * 1024, maxWaitingBytes: 64 * 1024 * 1024 };

const ROWS = `select connection_id, event, key, to_timestamp(stamp / 1000), body
  from unnest($1::bigint[], string_to_array($2, chr(30)), string_to_array($3, chr(30)), $4::float8[], string_to_array($5, chr(30)))
    as t(connection_id, event, key, stamp, body)`;
const INSERT = `insert into webhook_event (connection_id, event, key, stamp, body) ${ROWS}`;
const DROP_REPEATS = `${INSERT} on conflict (connection_id, key) do nothing`;
const KEEP_NEWEST = `${INSERT} on conflict (connection_id, key)
  do update set stamp = excluded.stamp, body = excluded.body, received_at = now(), tries = 0, not_before = null
  where webhook_event.stamp <= excluded.stamp`;

/**
 * Keeps events before the gateway is told that we have them. Two groups, so that messages never wait for the row that a looping
 * instance writes over and over.
 */
export function webhookStore({ prepared, stored, maxWaiting = 5_000 }: StoreOptions): WebhookStore {
  const insertWith = (name: string, text: string) => async (rows: readonly EventRow[]) => {
    await prepared(name, text, valuesOf(rows));
    stored();
  };
  const common = {
    ...BYTES,
    maxRows: 500,
    maxWaiting,
    bytesOf: (row: EventRow) => row.body.length,
  };
  const keepNewest = insertWith("webhook_newest", KEEP_NEWEST);
  const messages = groupCommit<EventRow>({
    ...common,
    insert: insertWith("webhook_store", DROP_REPEATS),
    nameOf: () => null,
    newer: (a) => a,
  });
  const states = groupCommit<EventRow>({
    ...common,
    // In one order: another process may be writing the same rows.
    insert: (rows) =>
      keepNewest(rows.toSorted((a, b) => a.connectionId - b.connectionId || (a.key < b.key ? -1 : 1))),
    nameOf: (row) => `${row.connectionId} ${row.key}`,
    newer: (a, b) => (b.stamp >= a.stamp ? b : a),
  });
  const groupOf = (row: EventRow): Group<EventRow> => (row.newestWins ? states : messages);
  return {
    put: (row) => groupOf(row).put(row),
    async idle() {
      await Promise.all([messages.idle(), states.idle()]);
    },
  };
}

function valuesOf(rows: readonly EventRow[]): unknown[] {
  return [
    `{${rows.map(({ connectionId }) => connectionId).join()}}`,
    rows.map(({ event }) => event).join(SEPARATOR),
    rows.map(({ key }) => key).join(SEPARATOR),
    `{${rows.map(({ stamp }) => stamp).join()}}`,
    rows.map(({ body }) => body).join(SEPARATOR),
  ];
}
