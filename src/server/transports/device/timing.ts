/** All in milliseconds. The defaults are what WhatsApp's clients do; tests shorten them. */
export type DeviceTiming = {
  /** How long a written message may stay without WhatsApp's answer before it is in doubt. */
  ackTimeoutMs: number;
  connectTimeoutMs: number;
  /** After this long a login that goes on no longer keeps others waiting for theirs. */
  loginTurnMs: number;
  /** How long WhatsApp, having let us in, may be silent about what waited for us. */
  catchUpMs: number;
  keepAliveMs: number;
  queryTimeoutMs: number;
  uploadTimeoutMs: number;
  /** Life of every QR code; null: WhatsApp's own, 60 s then 20 s. */
  qrMs: number | null;
  /** How long to wait for the refusal of a pairing code. */
  pairingAnswerMs: number;
  backoffMs: readonly number[];
  /** How soon to look again when the lease is not fresh enough to connect. */
  leasePauseMs: number;
  /** How long `close` waits for answers to what is on the wire, and for the closing handshake. */
  closeGraceMs: number;
  receiptBatchMs: number;
  receiptRetryMs: number;
};

export const DEVICE_TIMING: DeviceTiming = {
  ackTimeoutMs: 60_000,
  connectTimeoutMs: 20_000,
  loginTurnMs: 3_000,
  catchUpMs: 120_000,
  keepAliveMs: 30_000,
  queryTimeoutMs: 30_000,
  uploadTimeoutMs: 60_000,
  qrMs: null,
  pairingAnswerMs: 3_000,
  backoffMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  leasePauseMs: 500,
  closeGraceMs: 5_000,
  receiptBatchMs: 20,
  receiptRetryMs: 2_000,
};
