import type { LookupResult, Outcome, Transport, WireMessage } from "../../src/server/transports/transport.ts";

export type Script = {
  takesOurIds?: boolean;
  slots?: number;
  /** Default: accepted. `nth` counts attempts to this address from 1. */
  answer?: (message: WireMessage, nth: number) => Outcome | Promise<Outcome>;
  lookup?: (phone: string) => LookupResult;
  readyFor?: () => number;
  coldWaitsUntil?: () => Date | null;
  campaignBegins?: () => void;
};

/** A channel scripted by the test, which keeps delivered messages: one per id, as WhatsApp does. */
export function scriptedTransport(script: Script = {}) {
  const frames: WireMessage[] = [];
  const attempts = new Map<string, number>();
  const listeners = new Set<() => void>();
  let open = true;
  const transport: Transport = {
    takesOurIds: script.takesOurIds ?? true,
    slots: script.slots ?? 1,
    pairing: () => "pairing-1",
    ready: () => open,
    readyFor: () => (open ? (script.readyFor?.() ?? 60_000) : 0),
    onReady(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async send(message) {
      const nth = (attempts.get(message.to.jid) ?? 0) + 1;
      attempts.set(message.to.jid, nth);
      frames.push(message);
      return (
        (await script.answer?.(message, nth)) ?? {
          kind: "accepted",
          providerId: message.messageId,
          at: Date.now(),
        }
      );
    },
    close: async () => {},
  };
  if (script.coldWaitsUntil) transport.coldWaitsUntil = script.coldWaitsUntil;
  if (script.campaignBegins) transport.campaignBegins = script.campaignBegins;
  const { lookup } = script;
  if (lookup) transport.lookup = async (phone) => lookup(phone);
  return {
    transport,
    frames,
    setOpen(value: boolean) {
      open = value;
      for (const listener of listeners) listener();
    },
    held(): Map<string, string[]> {
      const byAddress = new Map<string, Map<string, string>>();
      for (const { to, messageId, text } of frames) {
        const messages = byAddress.get(to.jid) ?? new Map<string, string>();
        byAddress.set(to.jid, messages.set(messageId, text));
      }
      return new Map([...byAddress].map(([jid, messages]) => [jid, [...messages.values()]]));
    },
  };
}
