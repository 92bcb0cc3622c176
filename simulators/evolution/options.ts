export type Timing = {
  createMs: number;
  connectMs: number;
  firstQrMs: number;
  qrMs: number;
  qrLimit: number;
  scanMs: number;
  autoScanMs: number | null;
  reconnectMs: number;
  offlineMs: number;
  hungSendMs: number;
  deleteMs: number;
  failedCreateMs: number;
  /** Doubles up to `retryMaxMs`. */
  retryMs: number;
  retryMaxMs: number;
  webhookTimeoutMs: number;
};

/** Measured on a real 2.3.7 (recordings 02, 03, 08, 09a, 09b, and its source). */
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

/** Keeps the waits that define an order. */
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
  port?: number;
  apiKey?: string;
  /** Default "2.3.7". "1.…": old list format; "2.4…": message ids and licence gate. */
  version?: string;
  /** [0, 1). */
  random?: () => number;
  now?: () => number;
  timing?: Partial<Timing> | "real";
  /** Minutes ahead of UTC: `date_time` is local time marked as UTC. */
  utcOffsetMinutes?: number;
};

export function timingOf(timing: EvolutionOptions["timing"]): Timing {
  return timing === "real" ? REAL_TIMING : { ...QUICK_TIMING, ...timing };
}
