import { LANE_HOLDS, type LaneHold } from "../../../domain/campaign.ts";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Reporter } from "../reporter.ts";
import type { StateReport } from "../transport.ts";

export type ShownCode = { qr: string | null; pairingCode: string | null; expiresAt: Date };

type Online = { pairing: string | null; cause: string | null };

/** What a person sees of an instance; identical reports are not repeated. */
export class InstanceScreen {
  readonly #reporter: Pick<Reporter, "say">;
  readonly #held = new Set<LaneHold>();
  #last: { state: StateReport["state"]; text: string } | null = null;
  #online: Online | null = null;

  constructor(reporter: Pick<Reporter, "say">) {
    this.#reporter = reporter;
  }

  connected(pairing: string | null, phone: string | null, wanted: string | null): void {
    // Another number's phone scanned: it works, but is shown.
    const other = phone !== null && wanted !== null && !ninthDigitForms(wanted).includes(phone);
    this.#online = { pairing, cause: other ? "other_number" : null };
    this.#reportConnected();
  }

  /** `cause`: why it is not connected yet. */
  connecting(cause: string | null): void {
    this.#away("connecting", cause, null);
  }

  /** A code can be scanned or typed. */
  code({ qr, pairingCode, expiresAt }: ShownCode, cause: string | null): void {
    this.#online = null;
    this.#report({
      state: "pending",
      cause,
      causeUntil: null,
      pairing: null,
      qr: qr === null ? null : { text: qr, expiresAt },
      pairingCode: pairingCode === null ? null : { text: pairingCode, expiresAt },
    });
  }

  /** `cause` decides whether it reconnects by itself; `until`: its end, if known. */
  disconnected(cause: string, until: Date | null = null): void {
    this.#away("disconnected", cause, until);
  }

  holds(why: LaneHold, now: boolean): void {
    if (now) this.#held.add(why);
    else this.#held.delete(why);
    this.#reportConnected();
  }

  shown(): StateReport["state"] | null {
    return this.#last?.state ?? null;
  }

  /** A person's request replaced the state: the next report is sent even if unchanged. */
  forget(): void {
    this.#last = null;
  }

  #away(state: "connecting" | "disconnected", cause: string | null, causeUntil: Date | null): void {
    this.#online = null;
    this.#report({ state, cause, causeUntil, qr: null, pairingCode: null, pairing: null });
  }

  #reportConnected(): void {
    if (!this.#online) return;
    const { cause, pairing } = this.#online;
    const hold = LANE_HOLDS.find((one) => this.#held.has(one));
    this.#report({
      state: "connected",
      cause: hold ?? cause,
      causeUntil: null,
      qr: null,
      pairingCode: null,
      pairing,
    });
  }

  #report(report: StateReport): void {
    const text = JSON.stringify(report);
    if (this.#last?.text === text) return;
    this.#last = { state: report.state, text };
    this.#reporter.say(report);
  }
}
