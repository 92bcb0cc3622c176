import { LANE_HOLDS, type LaneHold, type Restriction } from "../../../domain/campaign.ts";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { Reporter } from "../reporter.ts";
import type { StateReport } from "../transport.ts";

/** Each call stores a complete report. */
export type Screen = {
  connecting(): void;
  /** A phone has scanned; WhatsApp asks for a restart with the new credentials. */
  linked(): void;
  connected(pairing: string | null, me: string): void;
  waiting(cause: string): void;
  atRest(cause: string, until?: Date | null): void;
  qr(text: string, fresh: boolean): void;
  pairingCode(text: string): void;
  refusedCode(cause: string): void;
  /** Null: no restriction (any more). */
  timelock(lock: Timelock | null): void;
  /** WhatsApp refuses all messages because of their devices, or accepts one again. */
  devicesRefused(refused: boolean): void;
  /** WhatsApp's media host refuses images, or accepts one again. */
  imagesRefused(refused: boolean): void;
  holds(why: LaneHold, now: boolean): void;
  restriction(): Timelock | null;
  flush(): Promise<void>;
  close(): Promise<void>;
};

/**
 * `known`: WhatsApp named the end; otherwise it is the next attempt. `everybody`: warm people were refused
 * too, so nothing is sent until the end.
 */
export type Timelock = { until: Date; known: boolean; everybody?: boolean };

/** Users report a day; each attempt prolongs it. */
export const UNKNOWN_LOCK_MS = 24 * 60 * 60 * 1000;

/** Images are retried within minutes, so after this time none waits. */
const IMAGES_SAID_MS = 15 * 60_000;

/** Six codes at a time: the first is valid for 60 s, the others 20 s. */
const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
const ALL_QRS_MS = FIRST_QR_MS + 5 * NEXT_QR_MS;

function causeOf({ known, everybody }: Timelock): Restriction {
  if (everybody) return "replies_refused";
  return known ? "timelocked" : "new_chats_refused";
}

type ScreenDeps = {
  trouble?: string | null;
  reporter: Reporter;
  clock: Clock;
  deviceId: string;
  qrMs: number | null;
  unlocked?: () => void;
  locked?: (lock: Timelock | null) => void;
};

export function makeScreen(deps: ScreenDeps): Screen {
  const { reporter, clock, deviceId, qrMs, unlocked, locked } = deps;
  let qrs = 0;
  let qr: StateReport["qr"] = null;
  let code: StateReport["pairingCode"] = null;
  /** Shown while the next attempt runs. */
  let trouble = deps.trouble ?? null;
  let lock: Timelock | null = null;
  let lockTimer: NodeJS.Timeout | undefined;
  let imagesTimer: NodeJS.Timeout | undefined;
  const refused = { devices: false, images: false };
  const held = new Set<LaneHold>();
  let online: { pairing: string | null; me: string } | null = null;

  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

  function clearCodes(): void {
    qrs = 0;
    qr = null;
    code = null;
  }

  function tell(state: StateReport["state"], cause: string | null, causeUntil: Date | null = null): void {
    reporter.say({ state, cause, causeUntil, qr, pairingCode: code, pairing: online?.pairing ?? null });
  }

  function tellConnected(): void {
    if (!online) return;
    const number = online.me.split(/[:@]/)[0] ?? "";
    // Another number's phone scanned: it works, but is shown.
    const cause = ninthDigitForms(deviceId).includes(number) ? null : "other_number";
    if (lock) tell("connected", causeOf(lock), lock.until);
    else if (refused.devices) tell("connected", "devices_refused");
    else tell("connected", holdOf() ?? (refused.images ? "upload_failed" : cause));
  }

  /** The failed images already explain why nothing is sent. */
  const holdOf = () => LANE_HOLDS.find((one) => held.has(one) && !(refused.images && one === "not_sending"));

  function refuse(what: keyof typeof refused, now: boolean): void {
    if (now === refused[what]) return;
    refused[what] = now;
    tellConnected();
  }

  return {
    connecting: () => {
      clearCodes();
      online = null;
      tell("connecting", trouble);
    },
    linked: () => {
      clearCodes();
      trouble = null;
      tell("connecting", null);
    },
    connected: (pairing, me) => {
      clearCodes();
      trouble = null;
      online = { pairing, me };
      tellConnected();
    },
    waiting: (cause) => {
      clearCodes();
      trouble = cause;
      online = null;
      tell("connecting", cause);
    },
    atRest: (cause, until = null) => {
      clearCodes();
      trouble = null;
      refused.devices = false;
      refused.images = false;
      online = null;
      tell("disconnected", cause, until);
    },
    qr: (text, fresh) => {
      const lives = qrMs ?? (qrs === 0 ? FIRST_QR_MS : NEXT_QR_MS);
      if (fresh) qrs += 1;
      qr = { text, expiresAt: fresh || !qr ? inMs(lives) : qr.expiresAt };
      tell("pending", trouble === "pairing_refused" ? trouble : null);
    },
    pairingCode: (text) => {
      trouble = null;
      code = { text, expiresAt: inMs(qrMs === null ? ALL_QRS_MS : 6 * qrMs) };
      tell("pending", null);
    },
    refusedCode: (cause) => {
      clearCodes();
      trouble = cause;
      tell("connecting", cause);
    },
    timelock: (next) => {
      clearTimeout(lockTimer);
      const before = lock;
      lock =
        next && next.until > clock.now()
          ? { ...next, everybody: next.everybody || before?.everybody === true }
          : null;
      if (lock) {
        // A timer holds at most 24.8 days; restrictions last hours.
        const ms = Math.min(lock.until.getTime() - clock.now().getTime(), 2_000_000_000);
        lockTimer = setTimeout(() => {
          lock = null;
          locked?.(null);
          tellConnected();
          unlocked?.();
        }, ms);
        lockTimer.unref();
      }
      if (before || lock) locked?.(lock);
      tellConnected();
      if (before && (!lock || lock.until < before.until)) unlocked?.();
    },
    devicesRefused: (now) => refuse("devices", now),
    imagesRefused: (now) => {
      clearTimeout(imagesTimer);
      refuse("images", now);
      if (now) imagesTimer = setTimeout(() => refuse("images", false), IMAGES_SAID_MS).unref();
    },
    holds: (why, now) => {
      if (now) held.add(why);
      else held.delete(why);
      tellConnected();
    },
    restriction: () => (lock && lock.until > clock.now() ? lock : null),
    flush: () => reporter.flush(),
    close: async () => {
      clearTimeout(lockTimer);
      clearTimeout(imagesTimer);
      await reporter.close();
    },
  };
}
