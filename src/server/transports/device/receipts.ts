import { areJidsSameUser, type BinaryNode, type WASocket } from "baileys";
import type { Logger } from "pino";
import { failpoint } from "../../base/failpoint.ts";
import type { LaneHost, Receipt } from "../transport.ts";
import { takeListener } from "./hand-over.ts";
import { isIgnored } from "./ignored.ts";
import type { Me } from "./incoming-message.ts";
import { readOn, stopReading } from "./reading.ts";

type ReceiptsDeps = {
  host: Pick<LaneHost, "receipts" | "readElsewhere">;
  log: Logger;
  now: () => Date;
  heard?: (receipt: Receipt) => void;
  batchMs: number;
  retryMs: number;
  /** At this number, reading from WhatsApp stops. */
  limit?: number;
};

const HELD_LIMIT = 5_000;

/** No type means delivered; `played` is a voice message's read. */
const STATUS_OF_TYPE: Readonly<Record<string, Receipt["status"]>> = {
  delivered: "delivered",
  read: "read",
  played: "read",
};

/** A stranger's phone may send any id; one the database cannot compare would block all receipts. */
const PLAUSIBLE_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * A combined receipt of group members names messages in `participants`, and its own id is no message's (as
 * whatsmeow).
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

/** Exported for its test. */
export function receiptsIn(node: BinaryNode, now: Date): Receipt[] {
  const status = STATUS_OF_TYPE[node.attrs.type ?? "delivered"];
  // Another device of ours read or sent it.
  if (!status || node.attrs.recipient) return [];
  const stamp = new Date(Number(node.attrs.t) * 1000);
  const at = stamp.getTime() > 0 ? stamp : now;
  return idsOf(node).map((messageId) => ({ messageId, status, at }));
}

/** `read-self`: the sender is not notified. */
const READING = new Set(["read", "read-self"]);

/**
 * Read on another device of ours; `recipient` names the chat or, in a group, the writer (as whatsmeow).
 * Exported for its test.
 */
export function readElsewhereIn(node: BinaryNode, me: Me): string[] {
  const { type = "", from = "", participant, recipient } = node.attrs;
  if (!READING.has(type) || !recipient || isIgnored(from) || isIgnored(recipient)) return [];
  const reader = participant ?? from;
  const isOurs = [me.id, me.lid].some((own) => own !== undefined && areJidsSameUser(own, reader));
  return isOurs ? idsOf(node) : [];
}

type Held = {
  receipts: readonly Receipt[];
  read: readonly string[];
  from: WASocket | null;
  done: () => void;
};

/**
 * Baileys acknowledges at once, and WhatsApp repeats only unacknowledged receipts, so they are stored first.
 * Read from stanzas, because Baileys merges updates after login.
 */
export class Receipts {
  readonly #deps: ReceiptsDeps;
  readonly #limit: number;
  #queue: Held[] = [];
  #beingStored = 0;
  #paused: WASocket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ReceiptsDeps) {
    this.#deps = deps;
    this.#limit = deps.limit ?? HELD_LIMIT;
  }

  listen(sock: WASocket): void {
    this.#shed();
    this.#paused = null;
    const handOver = takeListener(sock, "CB:receipt");
    sock.ws.on("CB:receipt", (node: BinaryNode) => this.#onReceipt(sock, node, handOver));
  }

  /** WhatsApp sends it only once. */
  add(receipt: Receipt): void {
    this.#hold({ receipts: [receipt], read: [], from: null, done: () => undefined });
  }

  whenStored(done: () => void): void {
    this.#hold({ receipts: [], read: [], from: null, done });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#storing = this.#storing.then(() => this.#store());
    await this.#storing;
  }

  #onReceipt(sock: WASocket, node: BinaryNode, handOver: (node: BinaryNode) => void): void {
    const { heard, now } = this.#deps;
    const receipts = receiptsIn(node, now());
    const { me } = sock.authState.creds;
    const read = me ? readElsewhereIn(node, me) : [];
    if (receipts.length + read.length === 0) {
      handOver(node);
      return;
    }
    if (heard) for (const one of receipts) heard(one);
    this.#hold({ receipts, read, from: sock, done: () => handOver(node) });
    if (this.#isFull()) this.#pause(sock);
  }

  #isFull(): boolean {
    return this.#queue.length + this.#beingStored >= this.#limit;
  }

  #hold(one: Held): void {
    this.#queue.push(one);
    this.#schedule(this.#deps.batchMs);
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#storing = this.#storing.then(() => this.#store());
    }, delayMs);
  }

  async #store(): Promise<void> {
    const batch = this.#queue;
    this.#queue = [];
    this.#beingStored = batch.length;
    try {
      await this.#write(batch);
    } catch (error) {
      this.#deps.log.warn({ err: error, receipts: batch.length }, "receipts not stored, trying again");
      this.#queue = batch.concat(this.#queue);
      if (!this.#closed) this.#schedule(this.#deps.retryMs);
      return;
    } finally {
      this.#beingStored = 0;
    }
    for (const one of batch) one.done();
    if (!this.#isFull()) this.#resume();
  }

  async #write(batch: readonly Held[]): Promise<void> {
    const { host } = this.#deps;
    const receipts = batch.flatMap((one) => one.receipts);
    const read = batch.flatMap((one) => one.read);
    if (receipts.length > 0) {
      failpoint("receipt_read");
      await host.receipts(receipts);
      failpoint("receipt_stored");
    }
    if (read.length > 0) await host.readElsewhere(read);
  }

  #pause(sock: WASocket): void {
    if (this.#paused === sock) return;
    this.#deps.log.warn({ held: this.#limit }, "too many receipts to be stored, reading no more");
    this.#paused = sock;
    stopReading(sock, this);
  }

  #resume(): void {
    if (this.#paused) readOn(this.#paused, this);
    this.#paused = null;
  }

  /** What exceeds the limit arrives again on the next socket. */
  #shed(): void {
    let left = this.#limit;
    this.#queue = this.#queue.filter(({ from }) => from === null || left-- > 0);
  }
}
