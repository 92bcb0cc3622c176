import type { Connection } from "../../../contract/connections.ts";
import { formatAt, formatNear } from "../../format.ts";
import { connectionsText } from "../../messages/connections.ts";

/** Why a connection is not (quite) connected; a cause that this page does not know stands raw. Null where there is nothing to say. */
export function causeWords({ cause, since, causeUntil }: Connection, zone: string): string | null {
  if (cause === null) return null;
  const words = connectionsText.causes[cause];
  return words ? words(formatAt(since, zone), causeUntil ? formatNear(causeUntil, zone) : null) : cause;
}
