import type { Connection } from "../../contract/connections.ts";
import { connectionsText } from "../messages/connections.ts";
import { formatAt, formatNear } from "../messages/format.ts";

/** Null if there is nothing to say or the page does not know the reason. */
export function connectionCause(
  { cause, since, causeUntil }: Pick<Connection, "cause" | "since" | "causeUntil">,
  zone: string,
): string | null {
  const words = cause === null ? undefined : connectionsText.causes[cause];
  return words?.(formatAt(since, zone), causeUntil ? formatNear(causeUntil, zone) : null) ?? null;
}
