/** How long a gateway takes for things, in milliseconds. */
export type Timing = {
  /** How long create with `qrcode: true` blocks. */
  createMs: number;
  /** How long connect on a closed instance waits before it answers. */
  connectMs: number;
  /** From the start of connecting until the first QR code is there. */
  firstQrMs: number;
  /** The life of one QR code; then comes the next, with a webhook. */
  qrMs: number;
  /** So many QR codes, then the gateway gives up. */
  qrLimit: number;
  /** From the scan until the session is open. */
  scanMs: number;
  /** A QR code is scanned by itself after this long; null waits for `world.scan`. */
  autoScanMs: number | null;
  /** From a dropped socket until the session is open again. */
  reconnectMs: number;
  /** From one message to the next of those that waited for a session to be open. */
  offlineMs: number;
  /** A send during a reconnect that does not come back is held so long. */
  hungSendMs: number;
  /** A deleted instance answers so long as if it were there. */
  deleteMs: number;
  /** A create that failed late holds its name so long. */
  failedCreateMs: number;
  /** The first pause before a webhook is tried again; it doubles up to `retryMaxMs`. */
  retryMs: number;
  retryMaxMs: number;
  /** A webhook not answered so long counts as failed. */
  webhookTimeoutMs: number;
};

/** What was measured on a real 2.3.7 (recordings 02, 03, 08, 09a, 09b, and its source). */
export const REAL_TIMING: Timing = {
  createMs: 5_000,
  connectMs: 2_000,
  firstQrMs: 300,
  qrMs: 45_000,
  qrLimit: 30,
  scanMs: 350,
  autoScanMs: null,
  reconnectMs: 100,
  offlineMs: 200,
  hungSendMs: 60_000,
  deleteMs: 100,
  failedCreateMs: 1_000,
  retryMs: 5_000,
  retryMaxMs: 300_000,
  webhookTimeoutMs: 60_000,
};

/** For tests: the waits that only cost time are gone, those that give an order to things stay as they are. */
export const QUICK_TIMING: Timing = {
  ...REAL_TIMING,
  createMs: 0,
  connectMs: 0,
  firstQrMs: 0,
  scanMs: 0,
  reconnectMs: 0,
  offlineMs: 0,
  deleteMs: 0,
  failedCreateMs: 0,
};

export type EvolutionOptions = {
  /** 0 or nothing: any free port. */
  port?: number;
  /** The global key, sent in the header `apikey`. */
  apiKey?: string;
  /** "2.3.7" if not said. "1.…" lists instances in the old shape; "2.4…" takes message ids and has a licence gate. */
  version?: string;
  /** Chance, for retries' spread and everything given as a ratio. From 0 up to 1. */
  random?: () => number;
  /** Milliseconds since the epoch. */
  now?: () => number;
  timing?: Partial<Timing> | "real";
  /** The gateway's own time zone, in minutes ahead of UTC: its `date_time` is local time marked as UTC. */
  utcOffsetMinutes?: number;
};

export function timingOf(timing: EvolutionOptions["timing"]): Timing {
  return timing === "real" ? REAL_TIMING : { ...QUICK_TIMING, ...timing };
}
