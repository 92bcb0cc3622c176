/** Only a person ends these: retrying is useless or harmful. */
const RESTING = new Set([
  "qr_expired",
  "logged_out",
  "banned",
  "temp_banned",
  "replaced",
  "disconnected_by_user",
  "key_lost",
]);
/** Also hold for a paired device. */
const RESTING_PAIRED = new Set(["banned", "temp_banned", "replaced"]);

/** Whether a device with this last report stays away until a person asks for it. */
export function isAtRest(
  { state, cause }: { state: string; cause: string | null },
  paired: boolean,
): boolean {
  return state === "disconnected" && cause !== null && (paired ? RESTING_PAIRED : RESTING).has(cause);
}
