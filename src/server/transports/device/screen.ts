import { LANE_HOLDS, type LaneHold, type Restriction } from "../../../domain/campaign.ts";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Clock } from "../../../domain/clock.ts";
import { type NewChats, newChatsLeft } from "../../../domain/new-chats.ts";
import type { Reporter } from "../reporter.ts";
import type { StateReport } from "../transport.ts";

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
  reporter: Pick<Reporter, "say" | "flush" | "close">;
  clock: Clock;
  deviceId: string;
  qrMs: number | null;
  unlocked?: () => void;
  locked?: (lock: Timelock | null) => void;
};

type Online = { pairing: string | null; me: string };

/** What a person sees of a device; each call stores a complete report. */
export class Screen {
  readonly #deps: ScreenDeps;
  readonly #refused = { devices: false, images: false };
  readonly #held = new Set<LaneHold>();
  #shownCodes = 0;
  #qr: StateReport["qr"] = null;
  #code: StateReport["pairingCode"] = null;
  #trouble: string | null;
  #lock: Timelock | null = null;
  #online: Online | null = null;
  /** Undefined: not asked yet; what is stored stays. */
  #newChats: NewChats | null | undefined;
  #lockTimer: NodeJS.Timeout | undefined;
  #imagesTimer: NodeJS.Timeout | undefined;

  constructor(deps: ScreenDeps) {
    this.#deps = deps;
    this.#trouble = deps.trouble ?? null;
  }

  connecting(): void {
    this.#clearCodes();
    this.#online = null;
    this.#report("connecting", this.#trouble);
  }

  /** A phone has scanned; WhatsApp asks for a restart with the new credentials. */
  linked(): void {
    this.#clearCodes();
    this.#trouble = null;
    this.#report("connecting", null);
  }

  connected(pairing: string | null, me: string): void {
    this.#clearCodes();
    this.#trouble = null;
    this.#online = { pairing, me };
    this.#reportConnected();
  }

  waiting(cause: string): void {
    this.#clearCodes();
    this.#trouble = cause;
    this.#online = null;
    this.#report("connecting", cause);
  }

  atRest(cause: string, until: Date | null = null): void {
    this.#clearCodes();
    this.#trouble = null;
    this.#refused.devices = false;
    this.#refused.images = false;
    this.#online = null;
    this.#report("disconnected", cause, until);
  }

  qr(text: string, fresh: boolean): void {
    const lives = this.#deps.qrMs ?? (this.#shownCodes === 0 ? FIRST_QR_MS : NEXT_QR_MS);
    if (fresh) this.#shownCodes += 1;
    this.#qr = { text, expiresAt: fresh || !this.#qr ? this.#inMs(lives) : this.#qr.expiresAt };
    this.#report("pending", this.#trouble === "pairing_refused" ? this.#trouble : null);
  }

  pairingCode(text: string): void {
    const { qrMs } = this.#deps;
    this.#trouble = null;
    this.#code = { text, expiresAt: this.#inMs(qrMs === null ? ALL_QRS_MS : 6 * qrMs) };
    this.#report("pending", null);
  }

  refusedCode(cause: string): void {
    this.#clearCodes();
    this.#trouble = cause;
    this.#report("connecting", cause);
  }

  /** Null: no restriction (any more). */
  timelock(next: Timelock | null): void {
    const { clock, unlocked, locked } = this.#deps;
    clearTimeout(this.#lockTimer);
    const before = this.#lock;
    const lock =
      next && next.until > clock.now()
        ? { ...next, everybody: next.everybody || before?.everybody === true }
        : null;
    this.#lock = lock;
    if (lock) this.#endLockAt(lock.until);
    if (before || lock) locked?.(lock);
    this.#reportConnected();
    if (before && (!lock || lock.until < before.until)) unlocked?.();
  }

  /** WhatsApp refuses all messages because of their devices, or accepts one again. */
  devicesRefused(now: boolean): void {
    this.#refuse("devices", now);
  }

  /** WhatsApp's media host refuses images, or accepts one again. */
  uploadsRefused(now: boolean): void {
    clearTimeout(this.#imagesTimer);
    this.#refuse("images", now);
    if (!now) return;
    this.#imagesTimer = setTimeout(() => this.#refuse("images", false), IMAGES_SAID_MS);
    this.#imagesTimer.unref();
  }

  newChats(quota: NewChats | null): void {
    if (quota === null && this.#newChats === null) return;
    this.#newChats = quota;
    this.#reportConnected();
  }

  /** When the cycle of a used up quota ends; null: conversations are left, or it is unknown. */
  quotaUsedUntil(now: Date): Date | null {
    const quota = this.#newChats ?? null;
    return quota && newChatsLeft(quota, now) === 0 ? new Date(quota.until) : null;
  }

  /** Another number's, from the next report on. */
  forgetNewChats(): void {
    this.#newChats = null;
  }

  holds(why: LaneHold, now: boolean): void {
    if (now) this.#held.add(why);
    else this.#held.delete(why);
    this.#reportConnected();
  }

  restriction(): Timelock | null {
    return this.#lock && this.#lock.until > this.#deps.clock.now() ? this.#lock : null;
  }

  flush(): Promise<void> {
    return this.#deps.reporter.flush();
  }

  async close(): Promise<void> {
    clearTimeout(this.#lockTimer);
    clearTimeout(this.#imagesTimer);
    await this.#deps.reporter.close();
  }

  #inMs(ms: number): Date {
    return new Date(this.#deps.clock.now().getTime() + ms);
  }

  #clearCodes(): void {
    this.#shownCodes = 0;
    this.#qr = null;
    this.#code = null;
  }

  #report(state: StateReport["state"], cause: string | null, causeUntil: Date | null = null): void {
    this.#deps.reporter.say({
      state,
      cause,
      causeUntil,
      qr: this.#qr,
      pairingCode: this.#code,
      pairing: this.#online?.pairing ?? null,
      newChats: this.#newChats,
    });
  }

  #reportConnected(): void {
    if (!this.#online) return;
    const lock = this.#lock;
    if (lock) this.#report("connected", causeOf(lock), lock.until);
    else if (this.#refused.devices) this.#report("connected", "devices_refused");
    else this.#report("connected", this.#hold() ?? this.#otherCause(this.#online));
  }

  /** The failed images already explain why nothing is sent. */
  #hold(): LaneHold | undefined {
    return LANE_HOLDS.find((one) => this.#held.has(one) && !(this.#refused.images && one === "not_sending"));
  }

  #otherCause({ me }: Online): string | null {
    if (this.#refused.images) return "upload_failed";
    const number = me.split(/[:@]/)[0] ?? "";
    // Another number's phone scanned: it works, but is shown.
    return ninthDigitForms(this.#deps.deviceId).includes(number) ? null : "other_number";
  }

  #refuse(what: "devices" | "images", now: boolean): void {
    if (now === this.#refused[what]) return;
    this.#refused[what] = now;
    this.#reportConnected();
  }

  #endLockAt(until: Date): void {
    // A timer holds at most 24.8 days; restrictions last hours.
    const ms = Math.min(until.getTime() - this.#deps.clock.now().getTime(), 2_000_000_000);
    this.#lockTimer = setTimeout(() => {
      this.#lock = null;
      this.#deps.locked?.(null);
      this.#reportConnected();
      this.#deps.unlocked?.();
    }, ms);
    this.#lockTimer.unref();
  }
}
