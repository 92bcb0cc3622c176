import type { Connection } from "../../contract/connections.ts";
import { connectionsText } from "../messages/connections.ts";

/** The device id, which API clients need; for an instance also its kind. */
export function deviceWords({ kind, deviceId }: Pick<Connection, "kind" | "deviceId">): string {
  return kind === "device" ? deviceId : `${connectionsText.list.instance} · ${deviceId}`;
}
