import type { BinaryNode, WASocket } from "baileys";

export type Ack =
  | { kind: "accepted"; at: number }
  | { kind: "nack"; code: string }
  | { kind: "silent" }
  | { kind: "closed" };

export type Acks = {
  /**
   * WhatsApp's answer to a message id: `silent` after the time limit, `closed` when the socket ends first.
   */
  expect(messageId: string): Promise<Ack>;
  /** The frame was written: the time limit starts. */
  written(messageId: string): void;
  /** A receipt proves that WhatsApp has the message, even if the ack was lost. */
  proven(messageId: string, at: Date): void;
  /** For an id that was not sent. */
  forget(messageId: string): void;
  waiting(): number;
  closeAll(): void;
  listen(sock: WASocket): void;
};

/** Ack after the time limit, of an earlier attempt. */
export type LateAck = { messageId: string; code: string | null; at: Date };

type AcksDeps = { timeoutMs: number; now: () => Date; late: (ack: LateAck) => void };

/**
 * Only the `ack` stanza means «enviado»; Baileys emits no event for it and resolves at the write. Matched by
 * id alone, because acks name the phone and receipts the LID.
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
