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
/** Beyond this a body has a picture in it, and takes the disk as long as a thousand others. */
const LARGE = 128 * 1024;
const BYTES = { maxBytes: 16 * 1024 * 1024, maxWaitingBytes: 64 * 1024 * 1024 };

const DROP_REPEATS = `insert into webhook_event (connection_id, key, body)
  select * from unnest($1::bigint[], string_to_array($2, chr(30)), string_to_array($3, chr(30)))
  on conflict (connection_id, key) do nothing`;
const KEEP_NEWEST = `insert into webhook_state as s (connection_id, event, body, stamp)
  select connection_id, event, body, to_timestamp(stamp / 1000)
  from unnest($1::bigint[], string_to_array($2, chr(30)), string_to_array($3, chr(30)), $4::float8[])
    as t(connection_id, event, body, stamp)
  on conflict (connection_id, event)
  do update set stamp = excluded.stamp, body = excluded.body, received_at = now() where s.stamp <= excluded.stamp`;

/**
 * Keeps events before the gateway is told that we have them. Three groups, so that messages wait neither for the row that a looping
 * instance writes over and over nor for pictures.
 */
export function webhookStore({ prepared, stored, maxWaiting = 5_000 }: StoreOptions): WebhookStore {
  async function dropRepeats(rows: readonly EventRow[]): Promise<void> {
    await prepared("webhook_store", DROP_REPEATS, valuesOf(rows));
    stored();
  }
  async function keepNewest(rows: readonly EventRow[]): Promise<void> {
    // In one order: another process may be writing the same rows.
    const sorted = rows.toSorted((a, b) => a.connectionId - b.connectionId || (a.key < b.key ? -1 : 1));
    await prepared("webhook_newest", KEEP_NEWEST, [
      ...valuesOf(sorted),
      `{${sorted.map(({ stamp }) => stamp).join()}}`,
    ]);
    stored();
  }
  const common = {
    ...BYTES,
    maxRows: 500,
    maxWaiting,
    bytesOf: (row: EventRow) => row.body.length,
  };
  const kept = { ...common, insert: dropRepeats, nameOf: () => null, newer: (a: EventRow) => a };
  const messages = groupCommit<EventRow>(kept);
  const pictures = groupCommit<EventRow>(kept);
  const states = groupCommit<EventRow>({
    ...common,
    insert: keepNewest,
    nameOf: (row) => `${row.connectionId} ${row.key}`,
    newer: (a, b) => (b.stamp >= a.stamp ? b : a),
  });
  const groupOf = (row: EventRow): Group<EventRow> => {
    if (row.newestWins) return states;
    return row.body.length > LARGE ? pictures : messages;
  };
  return {
    put: (row) => groupOf(row).put(row),
    async idle() {
      await Promise.all([messages.idle(), pictures.idle(), states.idle()]);
    },
  };
}

function valuesOf(rows: readonly EventRow[]): unknown[] {
  return [
    `{${rows.map(({ connectionId }) => connectionId).join()}}`,
    rows.map(({ key }) => key).join(SEPARATOR),
    rows.map(({ body }) => body).join(SEPARATOR),
  ];
}
