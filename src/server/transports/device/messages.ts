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
import { pictureOf, readIncoming } from "./incoming-message.ts";
import { isOpened, openedNode, readSealed, type Sealed } from "./open-message.ts";
import { fetchPictures } from "./pictures.ts";
import { readOn, stopReading } from "./reading.ts";
import { sealedEdits } from "./sealed-edits.ts";

export type Messages = {
  listen(sock: WASocket): void;
  whenStored(done: () => void): void;
  /** Unstored messages arrive again at the next login. */
  close(): Promise<void>;
};

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
const PICTURES_MS = 3_000;

/** A stanza to open, a message Baileys obtained itself, or a callback. */
type Held = { sock: WASocket; node: BinaryNode; handOver: (node: BinaryNode) => void; tries: number };
type Waiting = Held | { sock: WASocket; message: WAMessage; tries: number } | { done: () => void };

type Opened = { held: Held; sealed: Sealed | null; incoming: IncomingMessage | null };

/**
 * Baileys acknowledges before storage; a crash in between loses the message. Here it is stored first, then
 * keys are committed and Baileys gets the stanza; after a crash it arrives again.
 */
export function trackMessages(deps: MessagesDeps): Messages {
  const { host, log, keyFailures, batchMs, retryMs, limit = HELD_LIMIT } = deps;
  const pictures = fetchPictures({ host, log, retryMs });
  const unsealed = sealedEdits();
  let queue: Waiting[] = [];
  let inHand = 0;
  let size = BATCH;
  let paused: WASocket | null = null;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  let closed = false;

  const isFull = () => queue.length + inHand >= limit;

  function hold(one: Waiting): void {
    queue.push(one);
    schedule(batchMs);
  }

  function schedule(delayMs: number): void {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      working = working.then(work);
    }, delayMs);
  }

  async function work(): Promise<void> {
    while (queue.length > 0 && !closed) {
      const batch = queue.slice(0, size);
      queue = queue.slice(size);
      inHand = batch.length;
      try {
        await take(batch);
        size = BATCH;
      } catch (error) {
        log.warn({ err: error, messages: batch.length }, "messages not stored, trying again");
        size = 1;
        queue = afterError(batch, error).concat(queue);
        schedule(retryMs);
        return;
      } finally {
        inHand = 0;
      }
      if (!isFull()) resume();
    }
  }

  function afterError(batch: Waiting[], error: unknown): Waiting[] {
    const [only] = batch;
    if (batch.length > 1 || !only || "done" in only || !isDataError(error)) return batch;
    only.tries += 1;
    if (only.tries < MAX_TRIES) return batch;
    const messageId = "node" in only ? only.node.attrs.id : only.message.key.id;
    log.error({ err: error, messageId }, "a message cannot be stored and is left out");
    if ("node" in only) only.handOver(only.node);
    return [];
  }

  /** Unacknowledged messages of an ended socket arrive again. */
  async function take(batch: readonly Waiting[]): Promise<void> {
    const held = batch.flatMap((one) => ("node" in one && one.sock.ws.isOpen ? one : []));
    const others = batch.flatMap((one) => ("message" in one ? one : []));
    const opened: Opened[] = [];
    for (const one of held)
      opened.push({
        held: one,
        sealed: await withKeys(() => readSealed(one.sock, one.node, log)),
        incoming: null,
      });
    await openAndStore(opened, others);
    for (const { held: one, sealed } of opened)
      one.handOver(sealed && isOpened(sealed) ? openedNode(one.node, sealed) : one.node);
    for (const { sealed, incoming } of opened) {
      const picture = sealed && incoming?.kind === "image" ? pictureOf(sealed.message) : null;
      if (incoming && picture) pictures.fetch(incoming, picture);
    }
    for (const one of batch) if ("done" in one) one.done();
  }

  /** Throws, to try again, if the database caused it. Baileys gets other undecryptable messages. */
  async function withKeys<T>(open: () => Promise<T>): Promise<T> {
    const before = keyFailures();
    const result = await open();
    if (keyFailures() !== before) throw new Error("the keys could not be read");
    return result;
  }

  /** In order with the account's sends: keys are committed after the messages. */
  async function openAndStore(
    opened: Opened[],
    others: readonly { sock: WASocket; message: WAMessage }[],
  ): Promise<void> {
    const [first] = opened;
    const more = others.flatMap(({ sock, message }) => read(sock, message, null) ?? []);
    if (!first) return store(more);
    const { keys, creds } = first.held.sock.authState;
    await (keys as SignalKeyStoreWithTransaction).transaction(async () => {
      for (const one of opened) {
        await withKeys(async () => one.sealed?.open());
        if (one.sealed) one.incoming = read(one.held.sock, one.sealed.message, one.held.node);
      }
      await store([...opened.flatMap(({ incoming }) => incoming ?? []), ...more]);
    }, creds.me?.id ?? "messages");
    failpoint("message_keys_stored");
  }

  async function store(messages: readonly IncomingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    failpoint("message_opened");
    await host.messages(messages);
    failpoint("message_stored");
  }

  function read(sock: WASocket, message: WAMessage, node: BinaryNode | null): IncomingMessage | null {
    const { me } = sock.authState.creds;
    if (!me) return null;
    const own = { id: me.id, lid: me.lid };
    return readIncoming(unsealed(message, own), node, own);
  }

  function pause(sock: WASocket): void {
    if (paused === sock) return;
    log.warn({ held: limit }, "too many messages to be stored, reading no more");
    paused = sock;
    stopReading(sock, deps);
  }

  function resume(): void {
    if (paused) readOn(paused, deps);
    paused = null;
  }

  return {
    whenStored: (done) => hold({ done }),
    listen: (sock) => {
      queue = queue.filter((one) => !("node" in one));
      paused = null;
      const handOver = takeListener(sock, "CB:message");
      sock.ws.on("CB:message", (node: BinaryNode) => {
        hold({ sock, node, handOver, tries: 0 });
        if (isFull()) pause(sock);
      });
      hearResent(sock, (message) => hold({ sock, message, tries: 0 }));
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await working;
      await pictures.close(PICTURES_MS);
    },
  };
}

/**
 * Messages Baileys requested from the phone. Hooked into `emit`: after buffering, listeners do not see the
 * request id.
 */
function hearResent(sock: WASocket, resent: (message: WAMessage) => void): void {
  const { emit } = sock.ev;
  sock.ev.emit = (event, payload) => {
    if (event === "messages.upsert") {
      const { messages, requestId } = payload as BaileysEventMap["messages.upsert"];
      if (requestId) for (const message of messages) resent(message);
    }
    return emit(event, payload);
  };
}
