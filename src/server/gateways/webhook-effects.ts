import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import { isDatabaseDown } from "../db/faults.ts";
import { readWebhook, type WebhookContent } from "../transports/gateway/webhook-events.ts";
import type { IncomingMessage, Receipt } from "../transports/transport.ts";
import { addRelays } from "./relay-repo.ts";
import { keepOddity, type OddityReason } from "./webhook-oddities.ts";
import { dropEvents, type EventToRead, holding, postponeEvent, type StateToRead } from "./webhook-repo.ts";

/** Where what gateways tell goes. Each is safe to repeat, in any order: an event may be told, or taken in, more than once. */
export type Intake = {
  receiveMessages(
    of: { accountId: string; connectionId: number },
    messages: readonly IncomingMessage[],
  ): Promise<unknown>;
  /** Of our own messages: among them those whose answer we never got are found again. */
  recordEchoes(connectionId: number, messages: readonly IncomingMessage[]): Promise<unknown>;
  settleReceipts(connectionId: number, receipts: readonly Receipt[]): Promise<unknown>;
  /** Others' messages that were read on the phone. */
  readElsewhere(
    of: { accountId: string; connectionId: number },
    messageIds: readonly string[],
  ): Promise<unknown>;
};

export type EffectDeps = Intake & { log: Logger };

/** Faults of one event after which nobody tries any more. */
const TRIES = 5;

type Read = { row: EventToRead; content: WebhookContent };

/** Takes in events that `tx` holds. What cannot be taken in now is postponed; everything else is gone from the table at its commit. */
export async function takeIn(deps: EffectDeps, tx: Db, rows: readonly EventToRead[]): Promise<void> {
  const byConnection = Map.groupBy(rows, ({ connectionId }) => connectionId);
  const ended: number[] = [];
  const late: [EventToRead, unknown][] = [];
  for (const all of byConnection.values()) {
    // As they came: of two messages of one second the first stands above the second, also where it is a picture.
    const read = all.toSorted((a, b) => a.id - b.id).map((row) => ({ row, content: contentOf(row) }));
    const failed = await holding(tx, () => takeInTogether(deps, read));
    const done = read.filter((one) => !failed.has(one));
    ended.push(...done.map(({ row }) => row.id));
    late.push(...[...failed].map(([{ row }, error]): [EventToRead, unknown] => [row, error]));
    for (const { row, content } of done) await keepIfOdd(tx, row, content);
    // Also what we cannot take in: it came, and whoever has an address of their own waits for it.
    await addRelays(
      tx,
      read.flatMap(({ row }) => (row.relays && row.event === "messages.upsert" ? [row] : [])),
    );
  }
  // Last of all: who stores an event again that is being deleted waits for this commit, and with it whatever else comes in.
  await dropEvents(tx, ended);
  for (const [row, error] of late) await postpone(deps, tx, row, error);
}

function contentOf({ body, receivedAt }: StateToRead): WebhookContent {
  try {
    return readWebhook(JSON.parse(body), receivedAt).content;
  } catch {
    return { kind: "malformed" };
  }
}

/** All of an instance at once; one by one when that fails, so that one event's fault is not the others'. Answers those that failed. */
async function takeInTogether(deps: EffectDeps, read: readonly Read[]): Promise<Map<Read, unknown>> {
  const failed = new Map<Read, unknown>();
  try {
    await effects(deps, read);
  } catch (error) {
    if (isDatabaseDown(error)) throw error;
    if (read.length === 1 && read[0]) return failed.set(read[0], error);
    for (const one of read)
      for (const [each, fault] of await takeInTogether(deps, [one])) failed.set(each, fault);
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
  if (echoes.length > 0) await deps.recordEchoes(connectionId, echoes);
  if (messages.length > 0) await deps.receiveMessages({ accountId, connectionId }, messages);
  if (receipts.length > 0) await deps.settleReceipts(connectionId, receipts);
  if (seen.length > 0) await deps.readElsewhere({ accountId, connectionId }, seen);
}

const ODD: Partial<Record<WebhookContent["kind"], OddityReason>> = {
  unknown: "unknown_event",
  malformed: "malformed",
};

/** Unknown and malformed ones are for the person to see. */
export async function keepIfOdd(tx: Db, row: StateToRead, content: WebhookContent): Promise<void> {
  const reason = ODD[content.kind];
  if (reason) await keepOddity(tx, row.connectionId, reason, row.event, row.body);
}

async function postpone({ log }: EffectDeps, tx: Db, row: EventToRead, error: unknown): Promise<void> {
  const { id, connectionId, event } = row;
  const tries = row.tries + 1;
  log.warn({ err: error, connectionId, event, tries }, "a webhook's event could not be taken in");
  if (tries < TRIES) return postponeEvent(tx, id, tries);
  await keepOddity(tx, connectionId, "malformed", event, row.body);
  await dropEvents(tx, [id]);
}
