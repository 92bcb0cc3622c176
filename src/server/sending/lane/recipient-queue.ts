import type { Clock } from "../../../domain/clock.ts";
import type { LeftOut } from "../ledger/signals.ts";
import type { Delivered } from "./delivered.ts";
import { isPerson, mayHaveArrived, type Person, type Recipient } from "./recipient.ts";

type Which = (recipient: Recipient) => boolean;

type Unsent = { to: "waiting" | "skipped" | "uncertain"; error: string | null; delayMs?: number };

const BACK: Unsent = { to: "waiting", error: null };

/** The lane's recipients between claim and outcome: those that wait for their turn, and those in flight. */
export class RecipientQueue {
  readonly #clock: Clock;
  readonly #record: (recipient: Recipient, result: Delivered) => void;
  readonly #waiting: Recipient[] = [];
  readonly #inFlight = new Map<Recipient, Promise<void>>();

  constructor(clock: Clock, record: (recipient: Recipient, result: Delivered) => void) {
    this.#clock = clock;
    this.#record = record;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#inFlight.size === 0;
  }

  first(): Recipient | undefined {
    return this.#waiting[0];
  }

  last(): Recipient | undefined {
    return this.#waiting.at(-1);
  }

  add(recipients: readonly Recipient[]): void {
    this.#waiting.push(...recipients);
  }

  addFirst(recipients: readonly Recipient[]): void {
    this.#waiting.unshift(...recipients);
  }

  sendFirst(send: (recipient: Recipient) => Promise<void>): void {
    const recipient = this.#waiting.shift();
    if (recipient) this.#inFlight.set(recipient, send(recipient));
  }

  settled(recipient: Recipient): void {
    this.#inFlight.delete(recipient);
  }

  async allSettled(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  /** Lowest seq that may be in flight, where an acquire starts; null: none. */
  lowestSeq(campaignId: number): number | null {
    let lowest = Number.POSITIVE_INFINITY;
    for (const list of [this.#inFlight.keys(), this.#waiting])
      for (const one of list)
        if (one.kind === "person" && one.campaign.id === campaignId && one.person.seq < lowest)
          lowest = one.person.seq;
    return lowest === Number.POSITIVE_INFINITY ? null : lowest;
  }

  /** Waiting people are unsent for certain: they go back to the database. */
  giveBack(which: Which): void {
    this.#setAside(which, () => BACK);
  }

  giveBackPeople(): void {
    this.giveBack(isPerson);
  }

  /** People with an unread event, perhaps an opt-out, come again later. */
  delayUnread(result: Unsent): void {
    this.#setAside(
      (one) => one.kind === "person" && one.unread,
      () => result,
    );
  }

  /** An earlier attempt may have arrived: those are «A verificar» instead of skipped. */
  optOut(phone: string, why: LeftOut): void {
    const isTheirs: Which = (one) => one.kind === "person" && one.person.phone === phone;
    for (const one of this.#inFlight.keys()) if (isTheirs(one)) one.signal.abort(why);
    this.#setAside(isTheirs, (one) => ({ to: mayHaveArrived(one) ? "uncertain" : "skipped", error: why }));
  }

  /** Gives people back, those in flight as well unless they reached the wire. */
  halt(which: (person: Person) => boolean, why: "halted" | "unchecked" = "halted"): void {
    for (const one of this.#inFlight.keys()) if (isPerson(one) && which(one)) one.signal.abort(why);
    this.giveBack((one) => isPerson(one) && which(one));
  }

  /** Who did not reach the wire until now must not any more. */
  close(): void {
    for (const one of this.#inFlight.keys()) one.signal.abort("closing");
    this.giveBack(() => true);
  }

  #setAside(which: Which, as: (recipient: Recipient) => Unsent): void {
    if (!this.#waiting.some(which)) return;
    const unsent = { at: this.#clock.now().getTime(), attempts: 0, ambiguous: false, delayMs: 0 };
    for (const one of this.#waiting.splice(0)) {
      if (which(one)) this.#record(one, { ...unsent, ...as(one) });
      else this.#waiting.push(one);
    }
  }
}
