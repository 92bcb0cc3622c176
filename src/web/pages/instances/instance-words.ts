import { Check, Clock, WifiOff } from "lucide-react";
import type { Instance } from "../../../contract/gateways.ts";
import { connectionCause } from "../../connections/connection-cause.ts";
import { connectionsText } from "../../messages/connections.ts";
import { formatNear } from "../../messages/format.ts";
import { instancesText } from "../../messages/instances.ts";
import type { Tone } from "../../ui/badge.tsx";
import type { LucideIcon } from "../../ui/icon.tsx";

const t = instancesText.list;

export const shownName = ({ profileName, name }: Instance) => profileName || name;

/** Gateways accept `.` and `..` as names, which a path resolves away. */
export const isAddressable = ({ name }: Instance) => name !== "." && name !== "..";

export function shownStatus({ status, cause }: Instance): { tone: Tone; icon: LucideIcon; label: string } {
  if (cause === "ending") return { tone: "warning", icon: Clock, label: connectionsText.states.ending };
  if (status === "open") return { tone: "success", icon: Check, label: t.states.open };
  if (status === "connecting") return { tone: "warning", icon: Clock, label: t.states.connecting };
  return { tone: "danger", icon: WifiOff, label: t.states.other };
}

/** `since`: when the state began. Null if there is nothing to say. */
export function troubleOf({ cause, status }: Instance, since: string, zone: string): string | null {
  const words = connectionCause({ cause, since, causeUntil: null }, zone);
  if (words !== null) return words;
  // An unknown reason is shown raw while it matters.
  return status === "open" ? null : cause;
}

export function relayWords(relay: NonNullable<Instance["relay"]>, zone: string): string {
  const { relay: words } = instancesText;
  const waiting = relay.waiting > 0 ? `${words.waiting(relay.waiting)}. ` : "";
  if (relay.at === null) return `${waiting}${words.never}`;
  const when = formatNear(relay.at, zone);
  if (relay.error !== null) return waiting + words.failed(words.errors[relay.error] ?? relay.error, when);
  return (
    waiting +
    (relayTone(relay) === "success" ? words.delivered(when) : words.refused(relay.status ?? 0, when))
  );
}

export function relayTone({
  at,
  status,
  error,
}: NonNullable<Instance["relay"]>): "info" | "success" | "warning" {
  if (at === null) return "info";
  return error === null && status !== null && status >= 200 && status < 300 ? "success" : "warning";
}
