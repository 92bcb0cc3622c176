import type { CleanMessage, Names } from "./incoming.ts";

export type KnownChat = Names & { id: number; kind: "person" | "group" };

/** `keep`: null if new; `merge`: of the same person. */
export type Conversation = {
  keep: KnownChat | null;
  merge: KnownChat[];
  kind: "person" | "group";
  names: Names;
  messages: CleanMessage[];
};

type Part = { chats: KnownChat[]; messages: CleanMessage[]; named: Names[]; tokens: string[] };

/**
 * Groups by shared names; a link of phone and hidden address merges chats. The latest phone counts, the
 * oldest chat stays for its URL. `named`: links without a message.
 */
export function conversationsOf(
  known: readonly KnownChat[],
  messages: readonly CleanMessage[],
  named: readonly Names[] = [],
): Conversation[] {
  const partOf = new Map<string, Part>();
  for (const chat of known) join(partOf, tokensOf(chat)).chats.push(chat);
  for (const message of messages) join(partOf, tokensOf(message.names)).messages.push(message);
  for (const names of named) join(partOf, tokensOf(names)).named.push(names);
  const hasContent = (part: Part) => part.messages.length + part.named.length > 0;
  return [...new Set(partOf.values())].filter(hasContent).map(conversationOf);
}

function tokensOf({ phone, jid, lid }: Names): string[] {
  return [phone, jid, lid].flatMap((name) => (name === null ? [] : [name]));
}

function join(partOf: Map<string, Part>, tokens: readonly string[]): Part {
  const [first, ...others] = new Set(tokens.flatMap((token) => partOf.get(token) ?? []));
  const whole = first ?? { chats: [], messages: [], named: [], tokens: [] };
  for (const part of others) {
    whole.chats.push(...part.chats);
    whole.messages.push(...part.messages);
    whole.named.push(...part.named);
    whole.tokens.push(...part.tokens);
  }
  whole.tokens.push(...tokens);
  for (const token of whole.tokens) partOf.set(token, whole);
  return whole;
}

function conversationOf({ chats, messages, named }: Part): Conversation {
  const [keep = null, ...merge] = chats.toSorted((a, b) => a.id - b.id);
  const ordered = messages.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const names: Names = { phone: null, jid: null, lid: null };
  for (const one of [
    ...merge.toReversed(),
    ...(keep ? [keep] : []),
    ...ordered.map((message) => message.names),
    ...named,
  ]) {
    if (one.phone !== null || one.jid !== null)
      Object.assign(names, { phone: one.phone, jid: one.jid ?? names.jid });
    names.lid = one.lid ?? names.lid;
  }
  return { keep, merge, names, kind: ordered[0]?.kindOfChat ?? keep?.kind ?? "person", messages: ordered };
}
