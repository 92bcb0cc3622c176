import type { z } from "zod";
import type { Instance } from "../../contract/gateways.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import type { InstanceRow } from "./instances-repo.ts";

type Shown = z.input<typeof Instance>;

export type Link = { connectionId: number; agentId: string; agentName: string; active: boolean };

/** Fresher than the server's list, which comes from its database. */
const STATUS: Readonly<Record<InstanceRow["state"], string>> = {
  connected: "open",
  connecting: "connecting",
  pending: "connecting",
  disconnected: "close",
};

/** Its number is Meta's id, not a phone. */
const CLOUD_API = "WHATSAPP-BUSINESS";

const iso = (date: Date | null | undefined) => date?.toISOString() ?? null;

/** Server data (`there`) and ours (`used`); one is present. */
export function toInstance(
  gatewayId: number,
  there: GatewayInstance | null,
  used: InstanceRow | null,
  links: readonly Link[],
): Shown {
  const integration = there?.integration ?? used?.integration ?? "";
  const digits = (text: string | null | undefined) =>
    (integration !== CLOUD_API && text?.replace(/\D/g, "")) || null;
  return {
    gatewayId,
    name: used?.name ?? there?.name ?? "",
    profileName: there?.profileName ?? used?.profile_name ?? null,
    number: there?.phone ?? used?.phone ?? digits(there?.number) ?? digits(used?.number),
    hasPicture: Boolean(there?.pictureUrl ?? used?.picture_url),
    status: used ? STATUS[used.state] : (there?.storedState ?? "close"),
    integration,
    counts: there?.counts ?? { messages: 0, contacts: 0, chats: 0 },
    createdAt: iso(there?.createdAt ?? used?.created_at),
    connectionId: used?.connection_id ?? null,
    cause: used?.cause ?? null,
    lastEventAt: iso(used?.event_at),
    keepsMessages: used?.keeps_messages ?? null,
    hook: used?.hook_state ?? "unset",
    formerWebhook: used?.former_webhook ?? null,
    relay:
      used && used.relay_url !== null
        ? {
            url: used.relay_url,
            at: iso(used.relay_at),
            status: used.relay_status,
            error: used.relay_error,
            waiting: used.relay_waiting,
          }
        : null,
    oddities: used?.oddities ?? 0,
    assistant: assistantOf(links.find((link) => link.connectionId === used?.connection_id)),
  };
}

/** Instructions are stored at Mistral. */
function assistantOf(link: Link | undefined): Shown["assistant"] {
  if (!link) return null;
  return { id: link.agentId, name: link.agentName, instructions: null, model: null, active: link.active };
}
