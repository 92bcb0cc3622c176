import type { EventEmitter } from "node:events";
import { type BinaryNode, jidDecode, type proto } from "baileys";
import type { Accounts } from "./accounts.ts";
import type { NoiseCertificates } from "./certificates.ts";
import type { FaultDesk } from "./faults.ts";
import type { Ledger, MessageRecord } from "./ledger.ts";
import type { MediaHost, PhoneFile } from "./media.ts";
import type { PairingDesk } from "./pairing-desk.ts";
import { type People, type Person, phoneOfLid } from "./people.ts";
import type { Schedule } from "./schedule.ts";
import type { Session } from "./session.ts";
import type { SignalWorld } from "./signal.ts";

export type WorldOptions = {
  decrypt: boolean;
  keepContent: boolean;
  /** WhatsApp now uses the LID. */
  receiptsFrom: "lid" | "number";
};

export type Group = { id: string; subject: string; members: string[] };

export type WorldEvents = {
  paired: [session: Session, phone: string, deviceId: number];
  closed: [session: Session];
  login: [phone: string, deviceId: number];
  logout: [phone: string, deviceId: number];
  pairingCodeAsked: [phone: string];
  message: [record: MessageRecord];
  receipt: [attrs: BinaryNode["attrs"]];
  stanza: [node: BinaryNode, session: Session];
  problem: [error: unknown];
};

export type World = {
  options: WorldOptions;
  events: EventEmitter<WorldEvents>;
  schedule: Schedule;
  certificates: NoiseCertificates;
  signal: SignalWorld;
  people: People;
  accounts: Accounts;
  groups: Map<string, Group>;
  ledger: Ledger;
  faults: FaultDesk;
  media: MediaHost;
  phoneFiles: Map<string, PhoneFile>;
  pairing: PairingDesk;
  sessions: Set<Session>;
  resendable: Map<string, proto.IMessage>;
};

export type Address = { phone: string; person: Person | null; device: number };

/** `person` is null off WhatsApp. */
export function addressOf(world: World, jid: string | undefined): Address | undefined {
  const decoded = jidDecode(jid);
  if (!decoded?.user) return undefined;
  const asked = decoded.server === "lid" ? phoneOfLid(decoded.user) : decoded.user;
  const registered = world.people.registeredNumber(asked);
  return {
    phone: registered ?? asked,
    person: registered === null ? null : world.people.get(registered),
    device: decoded.device ?? 0,
  };
}

export const isGroup = (jid: string) => jid.endsWith("@g.us");
export const lidJid = (lid: string, device = 0) => `${lid}${device ? `:${device}` : ""}@lid`;
export const numberJid = (phone: string, device = 0) =>
  `${phone}${device ? `:${device}` : ""}@s.whatsapp.net`;
