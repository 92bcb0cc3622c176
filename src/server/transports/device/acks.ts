import type { BinaryNode, WASocket } from "baileys";

export type Ack =
  | { kind: "accepted"; at: number }
  | { kind: "nack"; code: string }
  | { kind: "silent" }
  | { kind: "closed" };

/** Ack after the time limit, of an earlier attempt. */
export type LateAck = { messageId: string; code: string | null; at: Date };

type Waiting = { resolve: (ack: Ack) => void; limit?: NodeJS.Timeout };

type AcksDeps = { timeoutMs: number; now: () => Date; late: (ack: LateAck) => void };

/**
 * Only the `ack` stanza means «enviado»; Baileys emits no event for it and resolves at the write. Matched by
 * id alone, because acks name the phone and receipts the LID.
 */
export class Acks {
  readonly #deps: AcksDeps;
  readonly #waiting = new Map<string, Waiting>();

  constructor(deps: AcksDeps) {
    this.#deps = deps;
  }

  listen(sock: WASocket): void {
    sock.ws.on("CB:ack,class:message", (node: BinaryNode) => this.#onAck(node));
  }

  /**
   * WhatsApp's answer to a message id: `silent` after the time limit, `closed` when the socket ends first.
   */
  expect(messageId: string): Promise<Ack> {
    return new Promise((resolve) => {
      this.#settle(messageId, { kind: "closed" });
      this.#waiting.set(messageId, { resolve });
    });
  }

  /** The frame was written: the time limit starts. */
  written(messageId: string): void {
    const one = this.#waiting.get(messageId);
    if (!one) return;
    one.limit ??= setTimeout(() => this.#settle(messageId, { kind: "silent" }), this.#deps.timeoutMs);
  }

  /** A receipt proves that WhatsApp has the message, even if the ack was lost. */
  proven(messageId: string, at: Date): void {
    this.#settle(messageId, { kind: "accepted", at: at.getTime() });
  }

  /** For an id that was not sent. */
  forget(messageId: string): void {
    this.#settle(messageId, { kind: "closed" });
  }

  waiting(): number {
    return this.#waiting.size;
  }

  closeAll(): void {
    for (const messageId of [...this.#waiting.keys()]) this.#settle(messageId, { kind: "closed" });
  }

  #onAck({ attrs }: BinaryNode): void {
    const { id, error, t } = attrs;
    if (!id) return;
    const seconds = Number(t);
    const at = Number.isFinite(seconds) && seconds > 0 ? new Date(seconds * 1000) : this.#deps.now();
    const ack: Ack = error ? { kind: "nack", code: error } : { kind: "accepted", at: at.getTime() };
    if (!this.#settle(id, ack)) this.#deps.late({ messageId: id, code: error ?? null, at });
  }

  /** False: no one waited for it. */
  #settle(messageId: string, ack: Ack): boolean {
    const one = this.#waiting.get(messageId);
    this.#waiting.delete(messageId);
    clearTimeout(one?.limit);
    one?.resolve(ack);
    return one !== undefined;
  }
}
