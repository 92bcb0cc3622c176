/** In milliseconds. Defaults are those of WhatsApp's clients; tests shorten them. */
export type DeviceTiming = {
  /** After this, a message without ack is in doubt. */
  ackTimeoutMs: number;
  connectTimeoutMs: number;
  /** After this, a running login no longer blocks others. */
  loginTurnMs: number;
  /** How long WhatsApp may be silent about pending stanzas after login. */
  catchUpMs: number;
  keepAliveMs: number;
  queryTimeoutMs: number;
  uploadTimeoutMs: number;
  /** Until WhatsApp's host answers, and between two parts of a file. */
  fileSilenceMs: number;
  filePhoneMs: number;
  /** Life of every QR code; null: WhatsApp's own, 60 s then 20 s. */
  qrMs: number | null;
  pairingAnswerMs: number;
  backoffMs: readonly number[];
  /** Pause until the lease is checked again. */
  leasePauseMs: number;
  /** For acks and the closing handshake. */
  closeGraceMs: number;
  receiptBatchMs: number;
  receiptRetryMs: number;
  newChatsMs: number;
};

export const DEVICE_TIMING: DeviceTiming = {
  ackTimeoutMs: 60_000,
  connectTimeoutMs: 20_000,
  loginTurnMs: 3_000,
  catchUpMs: 120_000,
  keepAliveMs: 30_000,
  queryTimeoutMs: 30_000,
  uploadTimeoutMs: 60_000,
  fileSilenceMs: 60_000,
  filePhoneMs: 30_000,
  qrMs: null,
  pairingAnswerMs: 3_000,
  backoffMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  leasePauseMs: 500,
  closeGraceMs: 5_000,
  receiptBatchMs: 20,
  receiptRetryMs: 2_000,
  newChatsMs: 60 * 60_000,
};
