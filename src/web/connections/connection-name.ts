import { connectionsText } from "../messages/connections.ts";

export const connectionName = ({ name }: { name: string }) => name || connectionsText.list.unnamed;
