import type {
  BaileysEventMap,
  BinaryNode,
  SignalKeyStoreWithTransaction,
  WAMessage,
  WASocket,
} from "baileys";
import type { Logger } from "pino";
import { failpoint } from "../../base/failpoint.ts";
import { isDataError } from "../../db/errors.ts";
import type { IncomingMessage, LaneHost } from "../transport.ts";
import { takeListener } from "./hand-over.ts";
import { readIncoming } from "./incoming-message.ts";
import { isOpened, openedNode, readSealed, type Sealed } from "./open-message.ts";
import { readOn, stopReading } from "./reading.ts";
import { sealedEdits } from "./sealed-edits.ts";
import { sealedVotes } from "./sealed-votes.ts";

type MessagesDeps = {
  host: Pick<LaneHost, "messages">;
  log: Logger;
  keyFailures: () => number;
  batchMs: number;
  retryMs: number;
  /** At this number, reading from WhatsApp stops. */
  limit?: number;
};

/** One commit of keys and one of messages. */
const BATCH = 50;
const HELD_LIMIT = 1_000;
/** Then dropped, or it would block the others for ever. */
const MAX_TRIES = 5;

/** A stanza to open, a message Baileys obtained itself, or a callback. */
type Held = { sock: WASocket; node: BinaryNode; handOver: (node: BinaryNode) => void; tries: number };
type Waiting = Held | { sock: WASocket; message: WAMessage; tries: number } | { done: () => void };

type Opened = { held: Held; sealed: Sealed | null; incoming: IncomingMessage | null };

/**
 * Baileys acknowledges before storage; a crash in between loses the message. Here it is stored first, then
 * keys are committed and Baileys gets the stanza; after a crash it arrives again.
 */
export class Messages {
  readonly #deps: MessagesDeps;
  readonly #limit: number;
  readonly #editOf = sealedEdits();
  readonly #voteOf = sealedVotes();
  #queue: Waiting[] = [];
  #inHand = 0;
  #batchSize = BATCH;
  #paused: WASocket | null = null;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: MessagesDeps) {
    this.#deps = deps;
    this.#limit = deps.limit ?? HELD_LIMIT;
  }

  listen(sock: WASocket): void {
    this.#queue = this.#queue.filter((one) => !("node" in one));
    this.#paused = null;
    const handOver = takeListener(sock, "CB:message");
    sock.ws.on("CB:message", (node: BinaryNode) => {
      this.#hold({ sock, node, handOver, tries: 0 });
      if (this.#isFull()) this.#pause(sock);
    });
    onResent(sock, (message) => this.#hold({ sock, message, tries: 0 }));
  }

  whenStored(done: () => void): void {
    this.#hold({ done });
  }

  /** Unstored messages arrive again at the next login. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #isFull(): boolean {
    return this.#queue.length + this.#inHand >= this.#limit;
  }

  #hold(one: Waiting): void {
    this.#queue.push(one);
    this.#schedule(this.#deps.batchMs);
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#working = this.#working.then(() => this.#work());
    }, delayMs);
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0 && !this.#closed) {
      const batch = this.#queue.slice(0, this.#batchSize);
      this.#queue = this.#queue.slice(this.#batchSize);
      this.#inHand = batch.length;
      try {
        await this.#take(batch);
        this.#batchSize = BATCH;
      } catch (error) {
        this.#deps.log.warn({ err: error, messages: batch.length }, "messages not stored, trying again");
        this.#batchSize = 1;
        this.#queue = this.#afterError(batch, error).concat(this.#queue);
        this.#schedule(this.#deps.retryMs);
        return;
      } finally {
        this.#inHand = 0;
      }
      if (!this.#isFull()) this.#resume();
    }
  }

  #afterError(batch: Waiting[], error: unknown): Waiting[] {
    const [only] = batch;
    if (batch.length > 1 || !only || "done" in only || !isDataError(error)) return batch;
    only.tries += 1;
    if (only.tries < MAX_TRIES) return batch;
    const messageId = "node" in only ? only.node.attrs.id : only.message.key.id;
    this.#deps.log.error({ err: error, messageId }, "a message cannot be stored and is left out");
    if ("node" in only) only.handOver(only.node);
    return [];
  }

  /** Unacknowledged messages of an ended socket arrive again. */
  async #take(batch: readonly Waiting[]): Promise<void> {
    const held = batch.flatMap((one) => ("node" in one && one.sock.ws.isOpen ? one : []));
    const others = batch.flatMap((one) => ("message" in one ? one : []));
    const opened: Opened[] = [];
    for (const one of held) {
      const sealed = await this.#withKeys(() => readSealed(one.sock, one.node, this.#deps.log));
      opened.push({ held: one, sealed, incoming: null });
    }
    await this.#openAndStore(opened, others);
    for (const { held: one, sealed } of opened)
      one.handOver(sealed && isOpened(sealed) ? openedNode(one.node, sealed) : one.node);
    for (const one of batch) if ("done" in one) one.done();
  }

  /** Throws, to try again, if the database caused it. Baileys gets other undecryptable messages. */
  async #withKeys<T>(open: () => Promise<T>): Promise<T> {
    const { keyFailures } = this.#deps;
    const before = keyFailures();
    const result = await open();
    if (keyFailures() !== before) throw new Error("the keys could not be read");
    return result;
  }

  /** In order with the account's sends: keys are committed after the messages. */
  async #openAndStore(
    opened: Opened[],
    others: readonly { sock: WASocket; message: WAMessage }[],
  ): Promise<void> {
    const [first] = opened;
    const more = others.flatMap(({ sock, message }) => this.#read(sock, message, null) ?? []);
    if (!first) return this.#store(more);
    const { keys, creds } = first.held.sock.authState;
    await (keys as SignalKeyStoreWithTransaction).transaction(async () => {
      for (const one of opened) {
        await this.#withKeys(async () => one.sealed?.open());
        if (one.sealed) one.incoming = this.#read(one.held.sock, one.sealed.message, one.held.node);
      }
      await this.#store([...opened.flatMap(({ incoming }) => incoming ?? []), ...more]);
    }, creds.me?.id ?? "messages");
    failpoint("message_keys_stored");
  }

  async #store(messages: readonly IncomingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    failpoint("message_opened");
    await this.#deps.host.messages(messages);
    failpoint("message_stored");
  }

  #read(sock: WASocket, message: WAMessage, node: BinaryNode | null): IncomingMessage | null {
    const { me } = sock.authState.creds;
    if (!me) return null;
    const own = { id: me.id, lid: me.lid };
    return readIncoming(this.#voteOf(this.#editOf(message, own), own), node, own);
  }

  #pause(sock: WASocket): void {
    if (this.#paused === sock) return;
    this.#deps.log.warn({ held: this.#limit }, "too many messages to be stored, reading no more");
    this.#paused = sock;
    stopReading(sock, this);
  }

  #resume(): void {
    if (this.#paused) readOn(this.#paused, this);
    this.#paused = null;
  }
}

/**
 * Messages Baileys requested from the phone. Hooked into `emit`: after buffering, listeners do not see the
 * request id.
 */
function onResent(sock: WASocket, resent: (message: WAMessage) => void): void {
  const { emit } = sock.ev;
  sock.ev.emit = (event, payload) => {
    if (event === "messages.upsert") {
      const { messages, requestId } = payload as BaileysEventMap["messages.upsert"];
      if (requestId) for (const message of messages) resent(message);
    }
    return emit(event, payload);
  };
}
