import type { Clock } from "./clock.ts";
import type { ErrorName, FaultDesk } from "./faults.ts";
import type { Instance } from "./instance.ts";
import type { Timing } from "./options.ts";
import type { People } from "./people.ts";
import type { WebhookDesk } from "./webhook-delivery.ts";

/** A message the gateway took from a caller, whatever the caller saw of it. What a checker holds against a ledger. */
export type Accepted = {
  instance: string;
  /** Where it went: WhatsApp's own form. */
  jid: string;
  /** The person's whole number (with ninth digit); null when the address is no number. */
  phone: string | null;
  kind: "text" | "image" | "document" | "video" | "audio";
  /** The text, or the caption. */
  text: string | null;
  /** Of the file as the caller gave it, in hex. */
  mediaSha256: string | null;
  fileName: string | null;
  id: string;
  /** When the caller had asked, and when it was taken: a send waits while its instance reconnects. */
  askedAt: number;
  at: number;
  /** The fault that hid or spoiled the answer. */
  fault: ErrorName | null;
  /** The same id was accepted before (2.4: a retry under the caller's own id). */
  repeated: boolean;
};

/** Somebody typing or pausing, as sendPresence and `delay` show it. */
export type PresenceShown = { instance: string; jid: string; presence: string; at: number };

export type Group = { jid: string; subject: string };

/** One running gateway. */
export type Gateway = {
  version: string;
  apiKey: string;
  url: string;
  random: () => number;
  clock: Clock;
  timing: Timing;
  people: People;
  instances: Map<string, Instance>;
  /** Names that a failed create still holds. */
  taken: Set<string>;
  webhooks: WebhookDesk;
  faults: FaultDesk;
  accepted: Accepted[];
  presences: PresenceShown[];
  groups: Map<string, Group>;
  /** False: the gateway has no way to WhatsApp. */
  online: boolean;
  /** True while its process has ended: WhatsApp keeps what people write to its instances. */
  ended: boolean;
  licensed: boolean;
  /** The share of receipts the gateway loses. */
  lostUpdates: number;
  /** A send is answered only after its SEND_MESSAGE webhook was. */
  webhookBeforeReply: boolean;
  bareCodes: boolean;
};

/** Whether the version is at least this one. */
export function isSince(version: string, major: number, minor: number): boolean {
  const [ours = 0, below = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && below >= minor);
}

export function needInstance(gateway: Gateway, name: string): Instance {
  const instance = gateway.instances.get(name);
  if (!instance) throw new Error(`the stand-in has no instance "${name}"`);
  return instance;
}
