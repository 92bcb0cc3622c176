import { areJidsSameUser, type BinaryNode, type WASocket } from "baileys";
import type { Logger } from "pino";
import { failpoint } from "../../base/failpoint.ts";
import type { LaneHost, Receipt } from "../transport.ts";
import { acquireConnection } from "./hand-over.ts";
import { isIgnored } from "./ignored.ts";
import type { Me } from "./incoming-message.ts";
import { readOn, stopReading } from "./reading.ts";

export type Receipts = {
  /** Stands between this socket and Baileys for every receipt. */
  listen(sock: WASocket): void;
  /** Takes what WhatsApp says of a message otherwise; it says that only once. */
  add(receipt: Receipt): void;
  /** Calls back once all that arrived so far is stored. */
  whenStored(done: () => void): void;
  /** Tries once more to store what is left. */
  close(): Promise<void>;
};

type ReceiptsDeps = {
  host: Pick<LaneHost, "receipts" | "readElsewhere">;
  log: Logger;
  now: () => Date;
  /** Told of each receipt of our messages as it arrives. */
  heard?: (receipt: Receipt) => void;
  batchMs: number;
  retryMs: number;
  /** Stanzas kept in memory until they are stored; with so many, nothing more is read from WhatsApp. */
  limit?: number;
};

/** About 5 MB of stanzas. */
const HELD_LIMIT = 5_000;

/** WhatsApp names delivery by leaving the type out; `played` is a voice message's read. The rest is not about our recipients. */
const STATUS_OF_TYPE: Readonly<Record<string, Receipt["status"]>> = {
  delivered: "delivered",
  read: "read",
  played: "read",
};

/** A stranger's phone may put anything into an id; what the database cannot even compare would hold up everybody's receipts. */
const PLAUSIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * Every id of a receipt stanza: one in its attributes, further ones in a list. What several members of a group tell at once names its
 * messages in `participants`, and its own id is none of a message, as whatsmeow reads it.
 */
function idsOf(node: BinaryNode): string[] {
  const children = Array.isArray(node.content) ? node.content : [];
  const gathered = children.flatMap(({ tag, attrs }) => (tag === "participants" ? (attrs.key ?? []) : []));
  const ids = gathered.length > 0 ? gathered : [node.attrs.id ?? ""];
  const [list] = children;
  if (list && Array.isArray(list.content)) {
    for (const item of list.content) if (item.tag === "item" && item.attrs.id) ids.push(item.attrs.id);
  }
  return ids.filter((id) => PLAUSIBLE_ID.test(id));
}

/** The receipts in a stanza, empty when it is none of ours. Exported for its test. */
export function receiptsIn(node: BinaryNode, now: Date): Receipt[] {
  const status = STATUS_OF_TYPE[node.attrs.type ?? "delivered"];
  // `recipient` says that another device of ours read or sent something.
  if (!status || node.attrs.recipient) return [];
  const told = new Date(Number(node.attrs.t) * 1000);
  const at = told.getTime() > 0 ? told : now;
  return idsOf(node).map((messageId) => ({ messageId, status, at }));
}

/** As other devices of ours tell that somebody has read on them: `read-self` where nobody else is told. */
const READING = new Set(["read", "read-self"]);

/**
 * The others' messages that were read on the phone or another device of ours: the stanza comes from there, and `recipient` says with whom
 * the conversation is, or in a group who wrote them. As whatsmeow reads it. Exported for its test.
 */
export function readElsewhereIn(node: BinaryNode, me: Me): string[] {
  const { type = "", from = "", participant, recipient } = node.attrs;
  if (!READING.has(type) || !recipient || isIgnored(from) || isIgnored(recipient)) return [];
  const reader = participant ?? from;
  const isOurs = [me.id, me.lid].some((own) => own !== undefined && areJidsSameUser(own, reader));
  return isOurs ? idsOf(node) : [];
}

/** What waits to be stored, and what follows then. */
type Held = {
  receipts: readonly Receipt[];
  read: readonly string[];
  from: WASocket | null;
  done: () => void;
};

/**
 * Hands receipts to the lane in batches, and to Baileys only when they are stored: Baileys acknowledges a receipt as soon as it hears
 * of it, and WhatsApp repeats, at the next login, only what was not acknowledged. Read from the stanzas themselves rather than from
 * Baileys' events, which merge several updates of a message while it buffers after a login.
 */
export function trackReceipts(deps: ReceiptsDeps): Receipts {
  const { host, log, now, heard, batchMs, retryMs, limit = HELD_LIMIT } = deps;
  let queue: Held[] = [];
  let beingStored = 0;
  let paused: WASocket | null = null;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  let closed = false;

  const isFull = () => queue.length + beingStored >= limit;

  function hold(one: Held): void {
    queue.push(one);
    schedule(batchMs);
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      storing = storing.then(store);
    }, delayMs);
  }

  async function store(): Promise<void> {
    const batch = queue;
    queue = [];
    beingStored = batch.length;
    const receipts = batch.flatMap((one) => one.receipts);
    const read = batch.flatMap((one) => one.read);
    try {
      if (receipts.length > 0) {
        failpoint("receipt_read");
        await host.receipts(receipts);
        failpoint("receipt_stored");
      }
      if (read.length > 0) await host.readElsewhere(read);
    } catch (error) {
      log.warn({ err: error, receipts: batch.length }, "receipts not stored, trying again");
      queue = batch.concat(queue);
      if (!closed) schedule(retryMs);
      return;
    } finally {
      beingStored = 0;
    }
    for (const one of batch) one.done();
    if (!isFull()) resume();
  }

  function pause(sock: WASocket): void {
    if (paused === sock) return;
    log.warn({ held: limit }, "too many receipts to be stored, reading no more");
    paused = sock;
    stopReading(sock, host);
  }

  function resume(): void {
    if (paused) readOn(paused, host);
    paused = null;
  }

  /** A socket lost while nothing could be stored: what is over the limit comes again on the next one. */
  function shed(): void {
    let left = limit;
    queue = queue.filter(({ from }) => from === null || left-- > 0);
  }

  return {
    add: (receipt) => hold({ receipts: [receipt], read: [], from: null, done: () => undefined }),
    whenStored: (done) => hold({ receipts: [], read: [], from: null, done }),
    listen: (sock) => {
      shed();
      paused = null;
      const handOver = acquireConnection(sock, "CB:receipt");
      sock.ws.on("CB:receipt", (node: BinaryNode) => {
        const receipts = receiptsIn(node, now());
        const { me } = sock.authState.creds;
        const read = me ? readElsewhereIn(node, me) : [];
        if (receipts.length + read.length === 0) {
          handOver(node);
          return;
        }
        if (heard) for (const one of receipts) heard(one);
        hold({ receipts, read, from: sock, done: () => handOver(node) });
        if (isFull()) pause(sock);
      });
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      storing = storing.then(store);
      await storing;
    },
  };
}
