import type { Connection } from "../../../contract/connections.ts";
import { HINDRANCES, UPLOAD_HINDRANCE } from "../../../domain/campaign.ts";
import { useConnections } from "../../api/connections.ts";
import { DEFAULT_CONNECTION } from "./form.ts";

export function useConnectionChoice(chosen: string) {
  const query = useConnections();
  const all = query.data?.filter(({ desired }) => desired !== "removed") ?? null;
  const standard = all && defaultOf(all);
  return {
    query,
    all,
    standard,
    meant: chosen === DEFAULT_CONNECTION ? standard : (all?.find(({ id }) => String(id) === chosen) ?? null),
  };
}

/** «Conexão padrão»: the default, else the first connected (decision 27), else one that reconnects. */
function defaultOf(all: readonly Connection[]): Connection | null {
  return (
    all.find(({ isDefault }) => isDefault) ??
    all.find(({ state }) => state === "connected") ??
    all.find(returns) ??
    null
  );
}

/** As the server decides at the start. */
const returns = ({ desired, linked, state, cause }: Connection) =>
  desired === "connected" &&
  linked &&
  (state === "connecting" || cause === "unreachable" || cause === "server_errors");

/** As `server/campaigns/connected.ts`. */
export const sendsNow = ({ state, cause }: Pick<Connection, "state" | "cause">, hasAttachment: boolean) =>
  state === "connected" &&
  !HINDRANCES.some((hindrance) => hindrance === cause) &&
  !(hasAttachment && cause === UPLOAD_HINDRANCE);
