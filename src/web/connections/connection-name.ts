import { connectionsText } from "../messages/connections.ts";

/** What a connection is called on the screen. */
export const connectionName = ({ name }: { name: string }) => name || connectionsText.list.unnamed;
