import type { Connection } from "../../../contract/connections.ts";
import { HINDRANCES, IMAGE_HINDRANCE } from "../../../domain/campaign.ts";
import { useConnections } from "../../api/connections.ts";
import { DEFAULT_CONNECTION } from "./form.ts";

/** The account's connections, and the one that the form's choice means now. */
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

/** «Conexão padrão»: the one made default, else the first connected one (decision 27), else one that comes back by itself. */
function defaultOf(all: readonly Connection[]): Connection | null {
  return (
    all.find(({ isDefault }) => isDefault) ??
    all.find(({ state }) => state === "connected") ??
    all.find(returns) ??
    null
  );
}

/** As the server has it when the campaign starts (`sending/audience.ts`). */
const returns = ({ desired, linked, state, cause }: Connection) =>
  desired === "connected" &&
  linked &&
  (state === "connecting" || cause === "unreachable" || cause === "server_errors");

/** Whether a message would leave through it now, as the list of campaigns has it (`server/campaigns/connected.ts`). */
export const sendsNow = ({ state, cause }: Pick<Connection, "state" | "cause">, hasImage: boolean) =>
  state === "connected" &&
  !HINDRANCES.some((hindrance) => hindrance === cause) &&
  !(hasImage && cause === IMAGE_HINDRANCE);
