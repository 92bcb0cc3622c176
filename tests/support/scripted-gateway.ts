import type {
  Address,
  IncomingMessage,
  LaneTransport,
  Outcome,
  WireMessage,
} from "../../src/server/transports/transport.ts";

export type Fate = "accept" | "answer lost" | "never left" | Outcome;

export type HeldMessage = { id: string; to: string; text: string; kind: "text" | "image"; at: Date };

export type GatewayScript = {
  /** Default: accepted. `nth` counts attempts to this address from 1. */
  fate?: (message: WireMessage, nth: number) => Fate | Promise<Fate>;
  slots?: number;
  searchable?: boolean;
};

export function scriptedGateway(script: GatewayScript = {}) {
  const held: HeldMessage[] = [];
  const attempts = new Map<string, number>();
  let ids = 0;

  async function send(message: WireMessage): Promise<Outcome> {
    message.onWire?.();
    const to = message.to.jid;
    const nth = (attempts.get(to) ?? 0) + 1;
    attempts.set(to, nth);
    const fate = (await script.fate?.(message, nth)) ?? "accept";
    if (typeof fate === "object") return fate;
    if (fate === "never left") return { kind: "ambiguous", reason: "gateway_timeout" };
    ids += 1;
    const kind = message.hasAttachment ? "image" : "text";
    const one: HeldMessage = { id: `3EB0G${ids}`, to, text: message.text, kind, at: new Date() };
    held.push(one);
    return fate === "accept"
      ? { kind: "accepted", providerId: one.id, at: one.at.getTime(), unconfirmed: true }
      : { kind: "ambiguous", reason: "gateway_cut" };
  }

  const userOf = (address: string) => address.split("@")[0];
  const found = ({ jid }: Address, since: Date): IncomingMessage[] =>
    held.filter(({ to, at }) => userOf(to) === userOf(jid) && at >= since).map(outgoingOf);

  async function sentTo(address: Address, since: Date): Promise<IncomingMessage[]> {
    if (script.searchable === false) throw new Error("the gateway is down");
    return found(address, since);
  }

  const transport: Partial<LaneTransport> = {
    takesOurIds: false,
    slots: script.slots ?? 4,
    pairing: () => null,
    send,
    sentTo,
  };
  return {
    transport,
    send,
    held,
    found,
    attempts: () => [...attempts.values()].reduce((sum, n) => sum + n, 0),
    heldBy(): Map<string, string[]> {
      return new Map(
        [...Map.groupBy(held, (one) => one.to)].map(([to, some]) => [to, some.map((one) => one.text)]),
      );
    },
  };
}

/** An outgoing webhook message. Without a server the address is a phone. */
export function outgoingOf({ id, to, text, kind, at }: HeldMessage): IncomingMessage {
  return {
    providerId: id,
    chat: [to.includes("@") ? to : `${to}@s.whatsapp.net`],
    fromMe: true,
    viaApi: true,
    pushName: null,
    participant: null,
    kind,
    text,
    file: null,
    quotedId: null,
    at,
  };
}
