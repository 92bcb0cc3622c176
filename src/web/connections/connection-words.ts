import { Ban, Check, CircleQuestionMark, Clock, RadioTower, TriangleAlert, WifiOff } from "lucide-react";
import type { Connection } from "../../contract/connections.ts";
import { HINDRANCES, RESTRICTIONS, UPLOAD_HINDRANCE } from "../../domain/campaign.ts";
import { connectionsText } from "../messages/connections.ts";
import { formatShortDate } from "../messages/format.ts";
import type { Tone } from "../ui/badge.tsx";
import type { LucideIcon } from "../ui/icon.tsx";
import { connectionCause } from "./connection-cause.ts";

const { states: s, notes: n, causes } = connectionsText;

type Shown = { tone: Tone; icon: LucideIcon; label: string };

export function shownState({ state, cause, linked }: Connection): Shown {
  if (cause === "banned") return { tone: "danger", icon: Ban, label: s.banned };
  if (cause === "temp_banned") return { tone: "warning", icon: Ban, label: s.tempBanned };
  if (cause === "replaced" && state !== "connected")
    return { tone: "warning", icon: RadioTower, label: s.replaced };
  if (cause === "ending") return { tone: "warning", icon: Clock, label: s.ending };
  switch (state) {
    case "connected":
      // Green would promise that everything is sent.
      if (cause === "devices_refused") return { tone: "warning", icon: Ban, label: s.refused };
      if (RESTRICTIONS.some((one) => one === cause))
        return { tone: "warning", icon: Clock, label: s.restricted };
      if (cause && causes[cause]) return { tone: "warning", icon: TriangleAlert, label: s.connected };
      return { tone: "success", icon: Check, label: s.connected };
    case "connecting":
      return { tone: "warning", icon: Clock, label: cause && linked ? s.reconnecting : s.connecting };
    case "pending":
      return { tone: "warning", icon: Clock, label: s.pending };
    case "disconnected":
      return { tone: "danger", icon: WifiOff, label: s.disconnected };
    default:
      return { tone: "quiet", icon: CircleQuestionMark, label: state };
  }
}

const KNOWN = ["connected", "connecting", "pending", "disconnected"];

/** One line beside the state; empty if the state says all. */
export function stateNote(connection: Connection, zone: string): string {
  const { state, cause, campaigns } = connection;
  const known = connectionCause(connection, zone);
  const waiting = campaigns.sending + campaigns.paused;
  const hindered = state !== "connected" || HINDRANCES.some((hindrance) => hindrance === cause);
  // Campaigns with images are unknown here; their cards say it.
  const writes = !hindered && cause !== UPLOAD_HINDRANCE;
  const parts: string[] = [];
  if (known !== null) parts.push(known);
  else if (!KNOWN.includes(state)) parts.push(n.raw);
  else if (cause && state !== "connected") parts.push(cause);
  if (writes && campaigns.sending > 0) parts.push(n.sending(campaigns.sending));
  if (hindered && waiting > 0) parts.push(n.waits(waiting));
  if (parts.length === 0 && state === "connected")
    parts.push(campaigns.scheduled > 0 ? n.scheduled(campaigns.scheduled) : n.idle);
  return parts.join(" ");
}

/** Null: unknown. */
export const newChatsNote = ({ newChats }: Pick<Connection, "newChats">, zone: string): string | null =>
  newChats && n.newChats(newChats.left, formatShortDate(newChats.until, zone));
