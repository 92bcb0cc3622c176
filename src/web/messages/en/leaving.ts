import { counted } from "../format.ts";
import type { leavingText as portuguese } from "../leaving.ts";
import type { Texts } from "../texts.ts";

type Campaigns = { sending: number; paused: number; scheduled: number; names: readonly string[] };

const campaigns = (count: number, state: string) => counted(count, `${state} campaign`, `${state} campaigns`);

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;

function pausing({ sending, paused, scheduled, names }: Campaigns): string | null {
  const parts = [
    sending > 0 ? campaigns(sending, "running") : null,
    paused > 0 ? campaigns(paused, "paused") : null,
    scheduled > 0 ? campaigns(scheduled, "scheduled") : null,
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  const all = sending + paused + scheduled;
  const stops = all === 1 ? "stops" : "stop";
  const others = all > names.length ? [`${all - names.length} more`] : [];
  const named = names.length > 0 ? `: ${listed([...names.map((name) => `“${name}”`), ...others])}` : "";
  return `${listed(parts)} on this number ${stops} sending${named}. Those who already got the message stay in the history.`;
}

export const leavingText: Texts<typeof portuguese> = {
  disconnected: (name) => `${name} disconnected`,
  disconnecting: (name) => `${name} is not disconnected yet. We keep trying.`,
  removed: (name) => `${name} deleted`,
  disconnectFailed: "Error disconnecting",
  removeFailed: "Error deleting the connection",
  disconnectQuestion: (name) => `Disconnect ${name}?`,
  disconnectLost: "To use this number again, a new QR Code will have to be scanned.",
  disconnectUntold:
    "Without contact to WhatsApp now, the phone may go on showing this device under Linked devices: remove it there as well.",
  removeQuestion: "Are you sure you want to delete this connection?",
  removeLost: (name) =>
    `${name} leaves the list, with the conversations that are here, and is no longer a linked device on the phone. Campaigns already sent stay in the history.`,
  removeUnreachedLost: (name) =>
    `${name} leaves the list, with the conversations that are here. Without contact to WhatsApp now, the phone may go on showing it under Linked devices: remove it there as well. Campaigns already sent stay in the history.`,
  removeEndedLost: (name) =>
    `${name} leaves the list, with the conversations that are here. If the phone still shows it under Linked devices, remove it there as well. Campaigns already sent stay in the history.`,
  removeUnlinkedLost: (name) =>
    `${name} leaves the list, with the conversations that are here. Campaigns already sent stay in the history.`,
  removeWithdrawnLost: (name) =>
    `The instance ${name} leaves Recado, with the conversations that are here. Nothing changes on the server, which the administrator has withdrawn: the number may still be connected there. Campaigns already sent stay in the history.`,
  removeInstanceLost: (name) =>
    `The instance ${name} is deleted from the Evolution server, with the messages that are there, and the number is disconnected. If the server does not answer, or refuses, it only leaves Recado and may stay connected there. Its conversations leave Recado; campaigns already sent stay in the history.`,
  removeGoneLost: (name) =>
    `The instance ${name} leaves Recado, with the conversations that are here; on the server it no longer exists. Campaigns already sent stay in the history.`,
  busyDisconnect: "Disconnecting...",
  busyRemove: "Deleting...",
  pauses: (campaigns) => pausing(campaigns),
};
