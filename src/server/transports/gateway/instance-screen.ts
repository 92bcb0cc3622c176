import { LANE_HOLDS, type LaneHold } from "../../../domain/campaign.ts";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Reporter } from "../reporter.ts";
import type { StateReport } from "../transport.ts";

export type ShownCode = { qr: string | null; pairingCode: string | null; expiresAt: Date };

/** Identical reports are not repeated. */
export type InstanceScreen = {
  connected(pairing: string | null, phone: string | null, wanted: string | null): void;
  /** `cause`: why it is not connected yet. */
  connecting(cause: string | null): void;
  /** A code can be scanned or typed. */
  code(code: ShownCode, cause: string | null): void;
  /** `cause` decides whether it reconnects by itself; `until`: its end, if known. */
  disconnected(cause: string, until?: Date | null): void;
  holds(why: LaneHold, now: boolean): void;
  shown(): StateReport["state"] | null;
  /** A person's request replaced the state: the next report is sent even if unchanged. */
  forget(): void;
};

export function makeInstanceScreen(reporter: Pick<Reporter, "say">): InstanceScreen {
  let last: { state: StateReport["state"]; text: string } | null = null;
  let online: { pairing: string | null; cause: string | null } | null = null;
  const held = new Set<LaneHold>();

  function tell(report: StateReport): void {
    const text = JSON.stringify(report);
    if (last?.text === text) return;
    last = { state: report.state, text };
    reporter.say(report);
  }

  const plain = (
    state: StateReport["state"],
    cause: string | null,
    more: Pick<StateReport, "pairing" | "causeUntil"> = {},
  ) => tell({ state, cause, causeUntil: null, qr: null, pairingCode: null, pairing: null, ...more });

  function away(state: "connecting" | "disconnected", cause: string | null, causeUntil: Date | null): void {
    online = null;
    plain(state, cause, { causeUntil });
  }

  function tellConnected(): void {
    if (!online) return;
    const { cause, pairing } = online;
    plain("connected", LANE_HOLDS.find((one) => held.has(one)) ?? cause, { pairing });
  }

  return {
    connected: (pairing, phone, wanted) => {
      // Another number's phone scanned: it works, but is shown.
      const other = phone !== null && wanted !== null && !ninthDigitForms(wanted).includes(phone);
      online = { pairing, cause: other ? "other_number" : null };
      tellConnected();
    },
    connecting: (cause) => away("connecting", cause, null),
    code: ({ qr, pairingCode, expiresAt }, cause) => {
      online = null;
      tell({
        ...{ state: "pending", cause, causeUntil: null, pairing: null },
        qr: qr === null ? null : { text: qr, expiresAt },
        pairingCode: pairingCode === null ? null : { text: pairingCode, expiresAt },
      });
    },
    disconnected: (cause, until = null) => away("disconnected", cause, until),
    holds: (why, now) => {
      if (now) held.add(why);
      else held.delete(why);
      tellConnected();
    },
    shown: () => last?.state ?? null,
    forget: () => {
      last = null;
    },
  };
}
