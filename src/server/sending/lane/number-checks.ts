import { rememberAddress } from "../addresses/addresses.ts";
import { deleteNumberChecks, nextNumberCheck } from "../ledger/number-checks.ts";
import type { LaneDeps } from "./lane-deps.ts";

type Deps = Pick<
  LaneDeps,
  "after" | "book" | "connectionId" | "db" | "hidden" | "log" | "mayAct" | "random" | "times" | "transport"
>;

const isCold = () => Promise.resolve(false);

/**
 * Asks WhatsApp which of the waiting numbers it has, one by one at a slow pace of its own. Many questions in a
 * short time look like bulk sending; a restriction of new conversations stops them too.
 */
export class NumberChecks {
  readonly #deps: Deps;
  #isAsking = false;
  /** Numbers may have come after the running question was begun. */
  #isOutdated = false;
  #isOver = false;
  #cancel: (() => void) | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.wake();
  }

  wake(): void {
    this.#isOutdated = true;
    if (!this.#isAsking && !this.#cancel && !this.#isOver) void this.#next();
  }

  close(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  async #next(): Promise<void> {
    const { after, connectionId, log, times } = this.#deps;
    this.#isAsking = true;
    this.#isOutdated = false;
    const wait = await this.#ask().catch((error: unknown) => {
      log.warn({ err: error, connectionId }, "numbers not checked by now");
      return times.checkAgain;
    });
    this.#isAsking = false;
    if (this.#isOver || (wait === null && !this.#isOutdated)) return;
    this.#cancel = after(wait ?? 0, () => {
      this.#cancel = null;
      this.wake();
    });
  }

  /** Milliseconds until the next question; null: none waits. */
  async #ask(): Promise<number | null> {
    const { connectionId, db, transport, mayAct, times, random } = this.#deps;
    const phone = await nextNumberCheck(db, connectionId);
    if (phone === null) return null;
    if (!transport.lookup) {
      await deleteNumberChecks(db, connectionId, null);
      return null;
    }
    if (!mayAct() || !transport.ready()) return times.checkAgain;
    const answer = await transport.lookup(phone, isCold);
    if (answer.kind === "stop") return times.checkAgain;
    await this.#store(phone, answer.kind === "found" ? answer.address : null);
    return times.check * (0.75 + random() / 2);
  }

  async #store(phone: string, address: Parameters<typeof rememberAddress>[2]): Promise<void> {
    const { book = null, connectionId, db, hidden } = this.#deps;
    await rememberAddress(db, phone, address, book);
    if (address?.lid) await hidden?.(connectionId, [address.lid]);
    await deleteNumberChecks(db, connectionId, phone);
  }
}
