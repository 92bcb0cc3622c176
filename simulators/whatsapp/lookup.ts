import { type BinaryNode, jidDecode } from "baileys";
import { bytesOf, childOf, childrenOf, stanza, unixSeconds } from "./stanza.ts";
import { addressOf, isGroup, lidJid, numberJid, type World } from "./world.ts";

export function lookUp(world: World, request: BinaryNode): BinaryNode {
  const query = childOf(request, "query");
  const wanted = new Set(Array.isArray(query?.content) ? query.content.map((protocol) => protocol.tag) : []);
  const bare = world.faults.takeBareLookup();
  if (bare) return stanza("usync", request.attrs, [failedResult(bare.code), stanza("list", {}, [])]);
  const users = childrenOf(childOf(request, "list"), "user").map((user) => answerUser(world, user, wanted));
  return stanza("usync", request.attrs, [stanza("result", {}, []), stanza("list", {}, users)]);
}

function failedResult(code: number | null): BinaryNode {
  if (code === null) return stanza("result", {}, []);
  const error = stanza("error", { code, text: code === 429 ? "rate-overlimit" : "internal-server-error" });
  return stanza("result", {}, [stanza("contact", {}, [error])]);
}

function askedOf(user: BinaryNode) {
  const contact = childOf(user, "contact");
  const number = contact?.content ? bytesOf(contact).toString().replace("+", "") : undefined;
  return { jid: user.attrs.jid, number: number ?? jidDecode(user.attrs.jid)?.user ?? "" };
}

function answerUser(world: World, user: BinaryNode, wanted: ReadonlySet<string>): BinaryNode {
  const asked = askedOf(user);
  // A group has members but no devices.
  if (asked.jid && isGroup(asked.jid)) return stanza("user", { jid: asked.jid }, []);
  const phone = asked.jid
    ? (addressOf(world, asked.jid)?.person?.phone ?? null)
    : world.people.registeredNumber(asked.number);
  const answers: BinaryNode[] = [];
  if (wanted.has("contact")) {
    answers.push(stanza("contact", { type: phone ? "in" : "out" }, Buffer.from(`+${asked.number}`)));
  }
  if (phone) answers.push(...answersAbout(world, phone, wanted));
  return stanza("user", { jid: asked.jid ?? numberJid(phone ?? asked.number) }, answers);
}

function answersAbout(world: World, phone: string, wanted: ReadonlySet<string>): BinaryNode[] {
  const answers: BinaryNode[] = [];
  if (wanted.has("devices"))
    answers.push(stanza("devices", {}, [stanza("device-list", {}, deviceNodes(world, phone))]));
  // rc14 drops numbers without LID from its key request.
  if (wanted.has("lid")) answers.push(stanza("lid", { val: lidJid(world.people.lidOf(phone)) }));
  if (wanted.has("status")) {
    answers.push(stanza("status", { t: unixSeconds(world.schedule.now()) }, Buffer.from("Disponível")));
  }
  return answers;
}

function deviceNodes(world: World, phone: string): BinaryNode[] {
  const linked = [...(world.accounts.find(phone)?.devices.keys() ?? [])];
  return [stanza("device", { id: 0 }), ...linked.map((id) => stanza("device", { id, "key-index": id }))];
}
