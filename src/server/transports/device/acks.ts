import type { BinaryNode, WASocket } from "baileys";

export type Ack =
  | { kind: "accepted"; at: number }
  | { kind: "nack"; code: string }
  | { kind: "silent" }
  | { kind: "closed" };

export type Acks = {
  /** Resolves with WhatsApp's answer to a message id, `silent` after the time limit, `closed` when the socket ends first. */
  expect(messageId: string): Promise<Ack>;
  /** Its frame is out: the time limit begins. */
  written(messageId: string): void;
  /** A phone has told of the message: WhatsApp's server has taken it, though its own word may be lost. */
  proven(messageId: string, at: Date): void;
  /** Ends the waiting for an id that turned out not to be sent. */
  forget(messageId: string): void;
  /** How many are being waited for. */
  waiting(): number;
  closeAll(): void;
  listen(sock: WASocket): void;
};

/** An acknowledgement nobody waits for any more: the truth about an earlier attempt. */
export type LateAck = { messageId: string; code: string | null; at: Date };

type AcksDeps = { timeoutMs: number; now: () => Date; late: (ack: LateAck) => void };

/**
 * WhatsApp's server answers each message with an `ack` stanza that Baileys does not turn into an event (and resolves its own
 * promise before it, at the write): only this stanza means «enviado». Correlated by message id alone, because the answer names the
 * phone where receipts name the hidden identity.
 */
export function trackAcks({ timeoutMs, now, late }: AcksDeps): Acks {
  const waiting = new Map<string, { resolve: (ack: Ack) => void; limit?: NodeJS.Timeout }>();

  function settle(messageId: string, ack: Ack): boolean {
    const one = waiting.get(messageId);
    waiting.delete(messageId);
    clearTimeout(one?.limit);
    one?.resolve(ack);
    return one !== undefined;
  }

  function onAck({ attrs }: BinaryNode): void {
    const { id, error, t } = attrs;
    if (!id) return;
    const seconds = Number(t);
    const at = Number.isFinite(seconds) && seconds > 0 ? new Date(seconds * 1000) : now();
    const ack: Ack = error ? { kind: "nack", code: error } : { kind: "accepted", at: at.getTime() };
    if (!settle(id, ack)) late({ messageId: id, code: error ?? null, at });
  }

  return {
    expect: (messageId) =>
      new Promise((resolve) => {
        settle(messageId, { kind: "closed" });
        waiting.set(messageId, { resolve });
      }),
    written: (messageId) => {
      const one = waiting.get(messageId);
      if (one) one.limit ??= setTimeout(() => settle(messageId, { kind: "silent" }), timeoutMs);
    },
    proven: (messageId, at) => {
      settle(messageId, { kind: "accepted", at: at.getTime() });
    },
    forget: (messageId) => {
      settle(messageId, { kind: "closed" });
    },
    waiting: () => waiting.size,
    closeAll: () => {
      for (const messageId of [...waiting.keys()]) settle(messageId, { kind: "closed" });
    },
    listen: (sock) => {
      sock.ws.on("CB:ack,class:message", onAck);
    },
  };
}
