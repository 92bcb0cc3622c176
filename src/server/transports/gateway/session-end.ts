import type { GatewayInstance } from "./instance-rows.ts";

/** Only a person ends these. */
export const RESTING = new Set([
  "logged_out",
  "ended_there",
  "banned",
  "temp_banned",
  "qr_expired",
  "disconnected_by_user",
]);

/** WhatsApp codes after which it does not reconnect by itself. */
const ENDED: Readonly<Record<number, string>> = {
  401: "logged_out",
  402: "temp_banned",
  403: "banned",
  406: "banned",
  408: "ended_there",
};

/**
 * The reason stays in the row after a new link; a session that lost only its connection is still `open`
 * there.
 */
export function endOf(row: GatewayInstance | null): { cause: string; until: Date | null } | null {
  if (row?.storedState !== "close") return null;
  const cause = row.endedThere ? "ended_there" : ENDED[row.endedBy ?? 0];
  return cause === undefined ? null : { cause, until: row.bannedUntil };
}

/** The gateway is reachable and refuses us. */
export const REFUSALS: Readonly<Record<string, string>> = {
  gateway_wrong_key: "wrong_key",
  license_required: "license_required",
  instance_unknown: "gone",
};
