import type { Connection } from "../../contract/connections.ts";
import { connectionsText } from "../messages/connections.ts";

/** What stands below a connection's name: its device id. Of an instance it also says what it is; programs have to know the id. */
export function deviceWords({ kind, deviceId }: Pick<Connection, "kind" | "deviceId">): string {
  return kind === "device" ? deviceId : `${connectionsText.list.instance} · ${deviceId}`;
}
