import type { BinaryNode, WASocket } from "baileys";
import type { Logger } from "pino";
import type { LaneHost, Receipt } from "../transport.ts";

export type Receipts = {
  listen(sock: WASocket): void;
  add(receipt: Receipt): void;
  /** Resolves when all that arrived so far is stored. */
  flush(): Promise<void>;
  close(): Promise<void>;
};

type ReceiptsDeps = { host: LaneHost; log: Logger; now: () => Date; batchMs: number; retryMs: number };

/** WhatsApp names delivery by leaving the type out; `played` is a voice message's read. The rest is not about our recipients. */
const STATUS_OF_TYPE: Readonly<Record<string, Receipt["status"]>> = {
  delivered: "delivered",
  read: "read",
  played: "read",
};

/** Every id of a receipt stanza: one in its attributes, further ones in a list. */
function idsOf(node: BinaryNode): string[] {
  const ids = node.attrs.id ? [node.attrs.id] : [];
  const [list] = Array.isArray(node.content) ? node.content : [];
  if (list && Array.isArray(list.content)) {
    for (const item of list.content) if (item.tag === "item" && item.attrs.id) ids.push(item.attrs.id);
  }
  return ids;
}

/** The receipts in a stanza, empty when it is none of ours. Exported for its test. */
export function receiptsIn(node: BinaryNode, now: Date): Receipt[] {
  const status = STATUS_OF_TYPE[node.attrs.type ?? "delivered"];
  // `recipient` says that another device of ours read or sent something.
  if (!status || node.attrs.recipient) return [];
  const seconds = Number(node.attrs.t);
  const at = Number.isFinite(seconds) && seconds > 0 ? new Date(seconds * 1000) : now;
  return idsOf(node).map((messageId) => ({ messageId, status, at }));
}

/**
 * Hands receipts to the lane in batches. Read from the stanzas themselves rather than from Baileys' events, which merge several
 * updates of a message while it buffers after a login. A batch that could not be stored is tried again: WhatsApp repeats none.
 */
export function trackReceipts({ host, log, now, batchMs, retryMs }: ReceiptsDeps): Receipts {
  let queue: Receipt[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> = Promise.resolve();
  let closed = false;

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      storing = storing.then(store);
    }, delayMs);
  }

  async function store(): Promise<void> {
    const batch = queue;
    queue = [];
    if (batch.length === 0) return;
    try {
      await host.receipts(batch);
    } catch (error) {
      log.warn({ err: error, receipts: batch.length }, "receipts not stored, trying again");
      queue = batch.concat(queue);
      if (!closed) schedule(retryMs);
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing = storing.then(store);
    await storing;
  }

  const add = (receipt: Receipt): void => {
    queue.push(receipt);
    schedule(batchMs);
  };

  return {
    add,
    flush,
    listen: (sock) => {
      sock.ws.on("CB:receipt", (node: BinaryNode) => {
        for (const receipt of receiptsIn(node, now())) add(receipt);
      });
    },
    close: async () => {
      closed = true;
      await flush();
    },
  };
}
