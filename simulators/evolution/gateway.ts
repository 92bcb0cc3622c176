import type { Clock } from "./clock.ts";
import type { ErrorName, FaultDesk } from "./faults.ts";
import type { Instance } from "./instance.ts";
import type { Timing } from "./options.ts";
import type { People } from "./people.ts";
import type { WebhookDesk } from "./webhook-delivery.ts";

/** Compared with the ledger. */
export type Accepted = {
  instance: string;
  jid: string;
  /** Whole number with ninth digit; null for other addresses. */
  phone: string | null;
  kind: "text" | "image" | "document" | "video" | "audio";
  text: string | null;
  mediaSha256: string | null;
  fileName: string | null;
  voice: boolean;
  id: string;
  /** A send waits while its instance reconnects. */
  askedAt: number;
  at: number;
  fault: ErrorName | null;
  /** 2.4: a retry under the caller's id. */
  repeated: boolean;
};

export type PresenceShown = { instance: string; jid: string; presence: string; at: number };

export type Group = { jid: string; subject: string };

export type Gateway = {
  version: string;
  apiKey: string;
  url: string;
  random: () => number;
  clock: Clock;
  timing: Timing;
  people: People;
  instances: Map<string, Instance>;
  /** Names held by failed creates. */
  taken: Set<string>;
  webhooks: WebhookDesk;
  faults: FaultDesk;
  accepted: Accepted[];
  acts: Record<string, unknown>[];
  presences: PresenceShown[];
  groups: Map<string, Group>;
  /** False: the gateway has no way to WhatsApp. */
  online: boolean;
  /** WhatsApp keeps messages to its instances. */
  ended: boolean;
  licensed: boolean;
  lostUpdates: number;
  webhookBeforeReply: boolean;
  bareCodes: boolean;
};

export function isSince(version: string, major: number, minor: number): boolean {
  const [ours = 0, below = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && below >= minor);
}

export function needInstance(gateway: Gateway, name: string): Instance {
  const instance = gateway.instances.get(name);
  if (!instance) throw new Error(`the stand-in has no instance "${name}"`);
  return instance;
}
