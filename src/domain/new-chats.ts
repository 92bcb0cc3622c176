/** WhatsApp's own quota of conversations that a number may begin. */
export type NewChats = {
  total: number;
  used: number;
  /** WhatsApp begins no more, whatever the figures say. */
  capped: boolean;
  /** End of the cycle; ISO 8601, as `readAt`. */
  until: string;
  readAt: string;
};

/** Null: unknown, also once the cycle is over. */
export function newChatsLeft(reading: NewChats | null, now: Date): number | null {
  if (!reading || !(Date.parse(reading.until) > now.getTime())) return null;
  return reading.capped ? 0 : Math.max(0, reading.total - reading.used);
}

export type RemainingQuota = { left: number; until: number };

/** Without the conversations begun since it was read; epoch ms; null: unknown. */
export function remainingQuota(reading: NewChats | null, begun: number, now: Date): RemainingQuota | null {
  const left = newChatsLeft(reading, now);
  if (!reading || left === null) return null;
  return { left: Math.max(0, left - begun), until: Date.parse(reading.until) };
}
