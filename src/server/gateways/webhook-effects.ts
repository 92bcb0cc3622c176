import type { Logger } from "pino";
import { LEAVING_READS } from "../../domain/leaving.ts";
import type { Db } from "../db/client.ts";
import { isDatabaseDown } from "../db/errors.ts";
import { readWebhook, type WebhookContent } from "../transports/gateway/webhook-events.ts";
import type { IncomingMessage, Receipt } from "../transports/transport.ts";
import { addRelays } from "./relay-repo.ts";
import { storeUnrecognized, type UnrecognizedReason } from "./unrecognized-events.ts";
import {
  dropEvents,
  type EventToRead,
  holding,
  postponeEvent,
  type StateToRead,
  unreadPhones,
} from "./webhook-repo.ts";

/** Each must be safe to repeat in any order. */
export type Intake = {
  receiveMessages(
    of: { accountId: string; connectionId: number },
    messages: readonly IncomingMessage[],
  ): Promise<unknown>;
  /** Also finds messages whose acknowledgement was lost. */
  recordOutgoing(connectionId: number, messages: readonly IncomingMessage[]): Promise<unknown>;
  settleReceipts(connectionId: number, receipts: readonly Receipt[]): Promise<unknown>;
  readElsewhere(
    of: { accountId: string; connectionId: number },
    messageIds: readonly string[],
  ): Promise<unknown>;
};

export type EffectDeps = Intake & {
  log: Logger;
  /** For a possible opt-out that cannot be read, until someone decides. */
  leaveOut(of: { accountId: string; connectionId: number }, phone: string, text: string): Promise<unknown>;
};

const TRIES = 5;

type Read = { row: EventToRead; content: WebhookContent };

const FIRST_PART = 16;

/** Until `mayGoOn` is false; returns them. Failed ones are postponed, others deleted at the commit. */
export async function takeIn(
  deps: EffectDeps,
  tx: Db,
  rows: readonly EventToRead[],
  mayGoOn: () => boolean = () => true,
): Promise<EventToRead[]> {
  const rest = [...rows];
  const taken: EventToRead[] = [];
  const ends: Ends = { done: [], late: [] };
  for (let most = FIRST_PART; rest.length > 0 && (taken.length === 0 || mayGoOn()); most *= 2) {
    const leaving = rest.filter((row) => row.leaving).length;
    const part = rest.splice(0, leaving > 0 ? Math.min(leaving, most) : most);
    await takeInPart(deps, tx, part, ends);
    taken.push(...part);
  }
  // Last: a webhook repeating a deleted event waits for this commit and delays others.
  await dropEvents(tx, ends.done);
  for (const [row, error] of ends.late) await postpone(deps, tx, row, error);
  return taken;
}

type Ends = { done: number[]; late: [EventToRead, unknown][] };

async function takeInPart(deps: EffectDeps, tx: Db, rows: readonly EventToRead[], ends: Ends): Promise<void> {
  const byConnection = Map.groupBy(rows, ({ connectionId }) => connectionId);
  for (const all of byConnection.values()) {
    // By arrival: of two messages in one second the first stays above.
    const read = all.toSorted((a, b) => a.id - b.id).map((row) => ({ row, content: contentOf(row) }));
    const failed = await holding(tx, () => takeInTogether(deps, read));
    const done = read.filter((one) => !failed.has(one));
    ends.done.push(...done.map(({ row }) => row.id));
    ends.late.push(...[...failed].map(([{ row }, error]): [EventToRead, unknown] => [row, error]));
    for (const { row, content } of done) await storeIfUnrecognized(tx, row, content);
    // Also unknown events: the user's address expects them.
    await addRelays(
      tx,
      read.flatMap(({ row }) => (row.relays && row.event === "messages.upsert" ? [row] : [])),
    );
  }
}

function contentOf({ body, receivedAt }: StateToRead): WebhookContent {
  try {
    return readWebhook(JSON.parse(body), receivedAt).content;
  } catch {
    return { kind: "malformed" };
  }
}

/** One by one after an error, so that one event does not fail the others. */
async function takeInTogether(deps: EffectDeps, read: readonly Read[]): Promise<Map<Read, unknown>> {
  const failed = new Map<Read, unknown>();
  try {
    await effects(deps, read);
  } catch (error) {
    if (isDatabaseDown(error)) throw error;
    if (read.length === 1 && read[0]) return failed.set(read[0], error);
    for (const one of read)
      for (const [each, reason] of await takeInTogether(deps, [one])) failed.set(each, reason);
  }
  return failed;
}

async function effects(deps: EffectDeps, read: readonly Read[]): Promise<void> {
  const { accountId = null, connectionId = 0 } = read[0]?.row ?? {};
  if (accountId === null) return;
  const messages = read.flatMap(({ content }) => (content.kind === "messages" ? content.messages : []));
  const receipts = read.flatMap(({ content }) => (content.kind === "receipts" ? content.receipts : []));
  const seen = read.flatMap(({ content }) => (content.kind === "receipts" ? content.read : []));
  const echoes = messages.filter(({ fromMe }) => fromMe);
  if (echoes.length > 0) await deps.recordOutgoing(connectionId, echoes);
  if (messages.length > 0) await deps.receiveMessages({ accountId, connectionId }, messages);
  if (receipts.length > 0) await deps.settleReceipts(connectionId, receipts);
  if (seen.length > 0) await deps.readElsewhere({ accountId, connectionId }, seen);
}

const ODD: Partial<Record<WebhookContent["kind"], UnrecognizedReason>> = {
  unknown: "unknown_event",
  malformed: "malformed",
};

export async function storeIfUnrecognized(tx: Db, row: StateToRead, content: WebhookContent): Promise<void> {
  const reason = ODD[content.kind];
  if (reason) await storeUnrecognized(tx, row.connectionId, reason, row.event, row.body);
}

async function postpone(deps: EffectDeps, tx: Db, row: EventToRead, error: unknown): Promise<void> {
  const { id, connectionId, event } = row;
  const tries = row.tries + 1;
  deps.log.warn({ err: error, connectionId, event, tries }, "a webhook's event could not be taken in");
  if (tries < TRIES) return postponeEvent(tx, id, tries);
  // Dropping it would lose a possible opt-out.
  if (row.leaving && !(await leaveInDoubt(deps, tx, row))) return postponeEvent(tx, id, TRIES - 1);
  await storeUnrecognized(tx, connectionId, "malformed", event, row.body);
  await dropEvents(tx, [id]);
}

async function leaveInDoubt(deps: EffectDeps, tx: Db, row: EventToRead): Promise<boolean> {
  const { accountId, connectionId } = row;
  if (accountId === null) return true;
  const content = contentOf(row);
  const [message] = content.kind === "messages" ? content.messages : [];
  const phones = await unreadPhones(tx, row.id);
  try {
    await holding(tx, async () => {
      for (const phone of phones)
        await deps.leaveOut({ accountId, connectionId }, phone, message?.text.slice(0, LEAVING_READS) ?? "");
    });
    return true;
  } catch (error) {
    if (isDatabaseDown(error)) throw error;
    deps.log.error(
      { err: error, connectionId },
      "a person who may ask to leave could not be left out, trying again",
    );
    return false;
  }
}
