import type { Clock } from "../../../domain/clock.ts";
import type { InstanceTiming } from "./instance-deps.ts";
import type { InstanceScreen } from "./instance-screen.ts";
import type { Reached } from "./reached.ts";
import type { ConnectAnswer } from "./shapes.ts";

type LinkingDeps = { clock: Clock; timing: InstanceTiming; screen: InstanceScreen };
type ShownText = { text: string; at: number };

const NEVER = Number.NEGATIVE_INFINITY;

/** From a person's request until open or timeout. */
export class Linking {
  readonly #deps: LinkingDeps;
  #wantedAt: number | null = null;
  #askedAt = NEVER;
  #code: ShownText | null = null;
  /** Kept across `stop` and `begin`: gateways return a code again after its use. */
  #last: ShownText | null = null;
  #typed = false;
  /** Why there is no pairing code. */
  #trouble: string | null = null;

  constructor(deps: LinkingDeps) {
    this.#deps = deps;
  }

  get isWanted(): boolean {
    return this.#wantedAt !== null;
  }

  get hasCode(): boolean {
    return this.#code !== null;
  }

  get isOver(): boolean {
    return this.#wantedAt !== null && this.#now() - this.#wantedAt > this.#deps.timing.linkMs;
  }

  begin(): void {
    const typed = this.#typed;
    this.#forget();
    this.#typed = typed;
    this.#wantedAt = this.#now();
  }

  stop(): void {
    this.#forget();
    // A phone has used it, or it will never be used.
    if (this.#last) this.#last = { ...this.#last, at: NEVER };
    this.#wantedAt = null;
  }

  wantPairingCode(): void {
    this.#typed = true;
    this.#askedAt = NEVER;
  }

  /** Limited to `askMs`. */
  async ask({ access, client }: Reached): Promise<void> {
    // On a closed instance each request starts another attempt.
    if (this.#now() - this.#askedAt < this.#deps.timing.askMs) return;
    this.#askedAt = this.#now();
    const number = this.#typed ? access.number : null;
    const answer = await client.connect(access.name, ...(number === null ? [] : [number]));
    if (this.#wantedAt === null) return;
    const hasOne = "pairingCode" in answer && answer.pairingCode !== null;
    // No number is accepted while codes are running.
    if (this.#typed && answer.kind !== "none") this.#trouble = hasOne ? null : "pairing_refused";
    if (answer.kind !== "none") this.#typed = false;
    this.#show(answer);
  }

  #now(): number {
    return this.#deps.clock.monotonic();
  }

  #forget(): void {
    this.#askedAt = NEVER;
    this.#code = null;
    this.#typed = false;
    this.#trouble = null;
  }

  #show(answer: ConnectAnswer): void {
    const { clock, timing, screen } = this.#deps;
    if (answer.kind === "open") return;
    if (answer.kind === "none") {
      screen.connecting(this.#trouble);
      return;
    }
    const qr = answer.kind === "qr" ? answer.code : null;
    const code = this.#codeOf(`${qr} ${answer.pairingCode}`);
    const leftMs = code.at + timing.qrMs - this.#now();
    // Unchanged for longer than a code lives: it links nothing.
    if (leftMs <= 0) screen.connecting(this.#trouble);
    else {
      const expiresAt = new Date(clock.now().getTime() + leftMs);
      screen.code({ qr, pairingCode: answer.pairingCode, expiresAt }, this.#trouble);
    }
  }

  #codeOf(text: string): ShownText {
    if (this.#code?.text !== text)
      this.#code = { text, at: this.#last?.text === text ? this.#last.at : this.#now() };
    this.#last = this.#code;
    return this.#code;
  }
}
