import { chatNumbers } from "../chat/service.ts";
import type { Prepared } from "../db/client.ts";
import { sqlParts } from "../sending/sending.ts";
import type { Envelope } from "./webhook-envelope.ts";
import { GroupCommit } from "./webhook-group.ts";

/** `body`: JSON without keys. `leaving`: possibly opting out; campaigns skip them until it is processed. */
export type EventRow = Envelope & {
  accountId: string;
  connectionId: number;
  body: string;
  leaving: readonly string[];
};

export type WebhookStore = {
  /** Resolves when committed or already stored. Rejects with `Busy`. */
  put(row: EventRow): Promise<void>;
  idle(): Promise<void>;
};

export type StoreOptions = {
  prepared: Prepared;
  stored(accountIds: ReadonlySet<string>): void;
  maxWaiting?: number;
};

/** JSON and keys never contain it raw. */
const SEPARATOR = "\x1e";
/** Contains an image; as much disk time as a thousand others. */
const LARGE = 128 * 1024;
const SHARE = 1 / 4;
const BYTES = { maxBytes: 16 * 1024 * 1024, maxWaitingBytes: 64 * 1024 * 1024 };

const DROP_REPEATS = `insert into webhook_event (connection_id, key, body, account_id)
  select * from unnest($1::bigint[], string_to_array($2, chr(30)), string_to_array($3, chr(30)), $4::uuid[])
  on conflict (connection_id, key) do nothing`;
const KEEP_LEAVING = `with stored as (${DROP_REPEATS} returning id, account_id, connection_id, key),
  named as (
    select s.id, s.account_id, s.connection_id, t.address
    from stored s join unnest($5::bigint[], string_to_array($6, chr(30)), string_to_array($7, chr(30)))
      as t(connection_id, key, address) on t.connection_id = s.connection_id and t.key = s.key),
  ${sqlParts().keepUnread(chatNumbers.PHONES_OF_NAMED)}`;
const KEEP_NEWEST = `insert into webhook_state as s (connection_id, event, body, stamp)
  select connection_id, event, body, to_timestamp(stamp / 1000)
  from unnest($1::bigint[], string_to_array($2, chr(30)), string_to_array($3, chr(30)), $4::float8[])
    as t(connection_id, event, body, stamp)
  on conflict (connection_id, event)
  do update set stamp = excluded.stamp, body = excluded.body, received_at = now() where s.stamp <= excluded.stamp`;

/** Three groups, so that messages wait neither for looping instances nor for images. */
export function webhookStore({ prepared, stored, maxWaiting = 5_000 }: StoreOptions): WebhookStore {
  async function dropRepeats(rows: readonly EventRow[]): Promise<void> {
    const values = [...valuesOf(rows), `{${rows.map(({ accountId }) => accountId).join()}}`];
    const leaving = rows.flatMap((row) => row.leaving.map((address) => ({ ...row, address })));
    if (leaving.length === 0) await prepared("webhook_store", DROP_REPEATS, values);
    else await prepared("webhook_store_leaving", KEEP_LEAVING, [...values, ...addressesOf(leaving)]);
    stored(new Set(rows.map(({ accountId }) => accountId)));
  }
  async function keepNewest(rows: readonly EventRow[]): Promise<void> {
    // Same order everywhere; otherwise deadlock.
    const sorted = rows.toSorted((a, b) => a.connectionId - b.connectionId || (a.key < b.key ? -1 : 1));
    await prepared("webhook_newest", KEEP_NEWEST, [
      ...valuesOf(sorted),
      `{${sorted.map(({ stamp }) => stamp).join()}}`,
    ]);
    stored(new Set());
  }
  const common = {
    ...BYTES,
    maxRows: 500,
    maxWaiting,
    share: SHARE,
    ownerOf: ({ accountId }: EventRow) => accountId,
    bytesOf: (row: EventRow) => row.body.length,
  };
  const kept = { ...common, insert: dropRepeats, nameOf: () => null, newer: (a: EventRow) => a };
  const messages = new GroupCommit<EventRow>(kept);
  const pictures = new GroupCommit<EventRow>(kept);
  const states = new GroupCommit<EventRow>({
    ...common,
    insert: keepNewest,
    nameOf: (row) => `${row.connectionId} ${row.key}`,
    newer: (a, b) => (b.stamp >= a.stamp ? b : a),
  });
  const groupOf = (row: EventRow): GroupCommit<EventRow> => {
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

function addressesOf(leaving: readonly (EventRow & { address: string })[]): unknown[] {
  return [
    `{${leaving.map(({ connectionId }) => connectionId).join()}}`,
    leaving.map(({ key }) => key).join(SEPARATOR),
    leaving.map(({ address }) => address).join(SEPARATOR),
  ];
}

function valuesOf(rows: readonly EventRow[]): unknown[] {
  return [
    `{${rows.map(({ connectionId }) => connectionId).join()}}`,
    rows.map(({ key }) => key).join(SEPARATOR),
    rows.map(({ body }) => body).join(SEPARATOR),
  ];
}
