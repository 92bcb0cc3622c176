import { randomInt } from "node:crypto";
import { edit } from "./edits.ts";
import { type Gateway, needInstance } from "./gateway.ts";
import { type Inbound, type InboundDetails, receive, typeOnPhone } from "./inbound.ts";
import { GROUP } from "./jid.ts";
import {
  type Ban,
  ban,
  dropSocket,
  type Owner,
  offlineLoop,
  reconnect,
  removeDevice,
  scan,
} from "./linking.ts";
import type { Person, PersonSettings } from "./people.ts";
import { readEverything } from "./receipts.ts";
import type { DeliverySettings } from "./webhook-delivery.ts";

export type World = ReturnType<typeof makeWorld>;

type Server = { goDown(): Promise<void>; comeBack(): Promise<void> };

/** How the gateway itself behaves; only what is named changes. */
export type Behaviour = {
  /** False: the gateway has no way to WhatsApp, and connect answers `{count: 0}`. */
  online: boolean;
  /** The share of receipts it loses. */
  lostUpdates: number;
  /** A send is answered only after its SEND_MESSAGE webhook was. */
  webhookBeforeReply: boolean;
  /** Connect answers a drawing of the code and not what it says. */
  bareCodes: boolean;
};

const asContent = (content: string | Inbound): Inbound =>
  typeof content === "string" ? { text: content } : content;

/** Everything around a gateway: phones, people, faults, and what a checker wants to know afterwards. */
export function makeWorld(gateway: Gateway, server: Server) {
  const need = (name: string) => needInstance(gateway, name);
  return {
    /** Every message the gateway took, in the order it took them. The truth a ledger is held against. */
    accepted: gateway.accepted as readonly Gateway["accepted"][number][],
    /** Every attempt to post an event, with what the receiver answered. */
    webhooks: gateway.webhooks.log as readonly Gateway["webhooks"]["log"][number][],
    /** Who was shown typing. */
    presences: gateway.presences as readonly Gateway["presences"][number][],
    faults: gateway.faults,
    clock: gateway.clock,
    ...connections(gateway),
    ...crowd(gateway),
    /** Changes the way webhooks travel. */
    delivery: (changes: Partial<DeliverySettings>): void => gateway.webhooks.set(changes),
    behave(changes: Partial<Behaviour>): void {
      Object.assign(gateway, changes);
    },
    /** Whether every business call answers 503 LICENSE_REQUIRED. */
    license(required: boolean): void {
      gateway.licensed = !required;
    },
    /** Webhooks of an instance stop, or flow again; everything else goes on. */
    silent(name: string, silent = true): void {
      need(name).silent = silent;
    },
    /** Nothing listens on the port any more. A process that ended also forgets the webhooks it had to try again. */
    async goDown({ losesWebhooks = false } = {}): Promise<void> {
      gateway.ended = losesWebhooks;
      if (losesWebhooks) gateway.webhooks.loseQueue();
      await server.goDown();
    },
    /** It listens again, on the same port; after the end of its process its instances connect anew. */
    async comeBack(): Promise<void> {
      await server.comeBack();
      if (!gateway.ended) return;
      gateway.ended = false;
      for (const instance of gateway.instances.values()) {
        if (instance.state === "open" && instance.integration === "WHATSAPP-BAILEYS")
          dropSocket(gateway, instance, false);
      }
    },
    /** Resolves when no call, webhook, receipt or reply is under way or due. */
    idle: (): Promise<void> => gateway.clock.idle(),
  };
}

function connections(gateway: Gateway) {
  const need = (name: string) => needInstance(gateway, name);
  return {
    instances: (): string[] => [...gateway.instances.keys()],
    state: (name: string) => need(name).state,
    /** The QR code and pairing code an instance shows now. */
    qr: (name: string) => need(name).qr,
    /** Scans the QR code with a phone; resolves when the instance is open. */
    scan: (name: string, owner: Owner = {}): Promise<void> => scan(gateway, need(name), owner),
    removeDevice: (name: string): void => removeDevice(gateway, need(name)),
    ban: (name: string, how: Ban): void => ban(gateway, need(name), how),
    dropSocket: (name: string, { hold = false } = {}): void => dropSocket(gateway, need(name), hold),
    reconnect: (name: string): void => reconnect(gateway, need(name)),
    /** Answers what stops it. */
    offlineLoop: (name: string, perSecond = 60): (() => void) => offlineLoop(gateway, need(name), perSecond),
  };
}

function crowd(gateway: Gateway) {
  const need = (name: string) => needInstance(gateway, name);
  const somebody = (phone: string): Person => gateway.people.person(phone);
  return {
    /** Says how a person behaves; everybody else is on WhatsApp and gets their messages after 5 ms. */
    person: (settings: { phone: string } & Partial<PersonSettings>): Person => gateway.people.set(settings),
    everybody: (settings: Partial<PersonSettings>): void => gateway.people.setUsual(settings),
    /** Makes a group and answers its address. */
    group(subject: string): string {
      const jid = `1203630${randomInt(10 ** 11)
        .toString()
        .padStart(11, "0")}${GROUP}`;
      gateway.groups.set(jid, { jid, subject });
      return jid;
    },
    /** A person writes to an instance. Answers the message's id. */
    reply: (
      instance: string,
      phone: string,
      content: string | Inbound,
      details: InboundDetails = {},
    ): string => receive(gateway, need(instance), somebody(phone), asContent(content), details),
    /** Whoever wrote this message changes what it says. */
    edit: (instance: string, id: string, text: string): void => edit(gateway, need(instance), id, text),
    /** The owner of the linked phone writes on it, to a person or a group. */
    typedOnPhone(
      instance: string,
      to: string,
      content: string | Inbound,
      details: Pick<InboundDetails, "id" | "quoted" | "asLid"> = {},
    ): string {
      const group = gateway.groups.get(to);
      return typeOnPhone(gateway, need(instance), group ?? somebody(to), asContent(content), details);
    },
    /** A person opens the chat: what was sent to them is read. */
    readBy(phone: string, instance?: string): void {
      const reached = instance === undefined ? [...gateway.instances.values()] : [need(instance)];
      for (const one of reached) readEverything(gateway, one, somebody(phone));
    },
  };
}
