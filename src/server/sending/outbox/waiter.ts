import type { DeliveryState } from "../../../domain/delivery.ts";
import type { Database } from "../../db/client.ts";
import type { Listener } from "../../db/listen.ts";
import type { Owner } from "../../db/owner.ts";
import { OUTBOX_CHANNEL, UNSENT } from "../ledger/signals.ts";
import { type OutboxResult, readOutbox } from "./outbox.ts";

/** Removed with its connection: surely not sent (`unsent`), or unknown. */
export type OutboxGone = { id: number; state: "gone"; unsent: boolean };

export type OutboxWaiter = {
  /** Resolves when settled or gone, or with the state after `ms`. */
  wait(owner: Owner, id: number, ms: number): Promise<OutboxResult | OutboxGone>;
  close(): Promise<void>;
};

/** Confirmations take 1–2 s; callers wait no longer than this. */
const CONFIRMED_IN_MS = 3_000;

const isOpen = (state: DeliveryState) => state === "pending" || state === "sending" || state === "waiting";

export async function openOutboxWaiter(
  database: Database,
  changed: (id: number) => void = () => undefined,
): Promise<OutboxWaiter> {
  const waiter = new NotifiedWaiter(changed);
  await waiter.listen(database);
  return waiter;
}

type Hear = (unsent: boolean) => void;

class NotifiedWaiter implements OutboxWaiter {
  readonly #changed: (id: number) => void;
  readonly #waiting = new Map<number, Set<Hear>>();
  #listener: Listener | null = null;

  constructor(changed: (id: number) => void) {
    this.#changed = changed;
  }

  async listen(database: Database): Promise<void> {
    const wakeAll = () => {
      for (const id of this.#waiting.keys()) this.#wake(id);
    };
    this.#listener = await database.listen(OUTBOX_CHANNEL, (payload) => this.#hear(payload), wakeAll);
  }

  async wait(owner: Owner, id: number, ms: number): Promise<OutboxResult | OutboxGone> {
    let until = performance.now() + ms;
    let accepted = false;
    let unsent = false;
    for (;;) {
      const change = this.#nextChange(id, () => {
        unsent = true;
      });
      try {
        const result = await readOutbox(owner, id);
        if (!result) return { id, state: "gone", unsent };
        if (result.state === "accepted" && !accepted) {
          accepted = true;
          until = Math.min(until, performance.now() + CONFIRMED_IN_MS);
        }
        const left = until - performance.now();
        if (!(accepted ? result.state === "accepted" : isOpen(result.state)) || left <= 0) return result;
        await change.within(left);
      } finally {
        change.stop();
      }
    }
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }

  #hear(payload: string): void {
    const [id, end] = payload.split(" ");
    this.#wake(Number(id), end === UNSENT);
    this.#changed(Number(id));
  }

  #wake(id: number, unsent = false): void {
    for (const hear of this.#waiting.get(id) ?? []) hear(unsent);
  }

  /** Listens before reading, so that none is missed. */
  #nextChange(id: number, endsUnsent: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const hear = (unsent: boolean) => {
      if (unsent) endsUnsent();
      resolve();
    };
    const hearing = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, hearing.add(hear));
    return {
      async within(ms: number) {
        const timer = setTimeout(resolve, ms);
        await promise;
        clearTimeout(timer);
      },
      stop: () => {
        hearing.delete(hear);
        if (hearing.size === 0 && this.#waiting.get(id) === hearing) this.#waiting.delete(id);
      },
    };
  }
}
