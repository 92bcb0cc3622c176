import type { Connection } from "../../../contract/connections.ts";
import { connectionsText } from "../../messages/connections.ts";

/**
 * What stands below a connection's name: its device id. An instance's is its name, which stands above already, and more than that where
 * another connection has the name or it reads as a number: programs have to know it, and it tells two of one name apart.
 */
export function deviceWords({
  kind,
  deviceId,
  name,
}: Pick<Connection, "kind" | "deviceId" | "name">): string {
  if (kind === "device") return deviceId;
  const { instance } = connectionsText.list;
  return deviceId === name ? instance : `${instance} · ${deviceId}`;
}
