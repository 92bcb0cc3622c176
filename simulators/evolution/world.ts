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

export type Behaviour = {
  online: boolean;
  lostUpdates: number;
  webhookBeforeReply: boolean;
  bareCodes: boolean;
};

const asContent = (content: string | Inbound): Inbound =>
  typeof content === "string" ? { text: content } : content;

export function makeWorld(gateway: Gateway, server: Server) {
  const need = (name: string) => needInstance(gateway, name);
  return {
    accepted: gateway.accepted as readonly Gateway["accepted"][number][],
    acts: gateway.acts as readonly Record<string, unknown>[],
    webhooks: gateway.webhooks.log as readonly Gateway["webhooks"]["log"][number][],
    presences: gateway.presences as readonly Gateway["presences"][number][],
    faults: gateway.faults,
    clock: gateway.clock,
    ...connections(gateway),
    ...crowd(gateway),
    delivery: (changes: Partial<DeliverySettings>): void => gateway.webhooks.set(changes),
    behave(changes: Partial<Behaviour>): void {
      Object.assign(gateway, changes);
    },
    license(required: boolean): void {
      gateway.licensed = !required;
    },
    silent(name: string, silent = true): void {
      need(name).silent = silent;
    },
    /** An ended process also forgets webhooks to retry. */
    async goDown({ losesWebhooks = false } = {}): Promise<void> {
      gateway.ended = losesWebhooks;
      if (losesWebhooks) gateway.webhooks.loseQueue();
      await server.goDown();
    },
    async comeBack(): Promise<void> {
      await server.comeBack();
      if (!gateway.ended) return;
      gateway.ended = false;
      for (const instance of gateway.instances.values()) {
        if (instance.state === "open" && instance.integration === "WHATSAPP-BAILEYS")
          dropSocket(gateway, instance, false);
      }
    },
    idle: (): Promise<void> => gateway.clock.idle(),
  };
}

function connections(gateway: Gateway) {
  const need = (name: string) => needInstance(gateway, name);
  return {
    instances: (): string[] => [...gateway.instances.keys()],
    state: (name: string) => need(name).state,
    qr: (name: string) => need(name).qr,
    scan: (name: string, owner: Owner = {}): Promise<void> => scan(gateway, need(name), owner),
    removeDevice: (name: string): void => removeDevice(gateway, need(name)),
    ban: (name: string, how: Ban): void => ban(gateway, need(name), how),
    dropSocket: (name: string, { hold = false } = {}): void => dropSocket(gateway, need(name), hold),
    reconnect: (name: string): void => reconnect(gateway, need(name)),
    offlineLoop: (name: string, perSecond = 60): (() => void) => offlineLoop(gateway, need(name), perSecond),
  };
}

function crowd(gateway: Gateway) {
  const need = (name: string) => needInstance(gateway, name);
  const personOf = (phone: string): Person => gateway.people.person(phone);
  return {
    person: (settings: { phone: string } & Partial<PersonSettings>): Person => gateway.people.set(settings),
    everybody: (settings: Partial<PersonSettings>): void => gateway.people.setUsual(settings),
    group(subject: string): string {
      const jid = `1203630${randomInt(10 ** 11)
        .toString()
        .padStart(11, "0")}${GROUP}`;
      gateway.groups.set(jid, { jid, subject });
      return jid;
    },
    reply: (
      instance: string,
      phone: string,
      content: string | Inbound,
      details: InboundDetails = {},
    ): string => receive(gateway, need(instance), personOf(phone), asContent(content), details),
    /** WhatsApp and the phone have it no longer. */
    forgetFile: (instance: string, id: string): void => void need(instance).files.delete(id),
    edit: (instance: string, id: string, text: string): void => edit(gateway, need(instance), id, text),
    typedOnPhone(
      instance: string,
      to: string,
      content: string | Inbound,
      details: Pick<InboundDetails, "id" | "quoted" | "asLid"> = {},
    ): string {
      const group = gateway.groups.get(to);
      return typeOnPhone(gateway, need(instance), group ?? personOf(to), asContent(content), details);
    },
    readBy(phone: string, instance?: string): void {
      const reached = instance === undefined ? [...gateway.instances.values()] : [need(instance)];
      for (const one of reached) readEverything(gateway, one, personOf(phone));
    },
  };
}
