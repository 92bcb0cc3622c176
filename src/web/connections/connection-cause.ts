import type { Connection } from "../../contract/connections.ts";
import { connectionsText } from "../messages/connections.ts";
import { formatAt, formatNear } from "../messages/format.ts";

/** Why a connection is not (quite) connected, in words; null where there is nothing to say, or the page does not know the cause. */
export function connectionCause(
  { cause, since, causeUntil }: Pick<Connection, "cause" | "since" | "causeUntil">,
  zone: string,
): string | null {
  const words = cause === null ? undefined : connectionsText.causes[cause];
  return words?.(formatAt(since, zone), causeUntil ? formatNear(causeUntil, zone) : null) ?? null;
}
