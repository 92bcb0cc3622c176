import {
  type BinaryNode,
  extractDeviceJids,
  type FullJid,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  jidDecode,
  jidEncode,
  parseAndInjectE2ESessions,
  S_WHATSAPP_NET,
  USyncQuery,
  USyncUser,
  type WASocket,
} from "baileys";
import { codeOf } from "./errors.ts";

/** WhatsApp was asked and said nothing within the time limit: that proves nothing about the recipient. */
export class Unanswered extends Error {}

/** WhatsApp's no about what was asked for; 408 and 429 are about us, and what is beyond 499 is WhatsApp's own trouble. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code >= 400 && code < 500 && code !== 408 && code !== 428 && code !== 429;
}

/** Groups as WhatsApp has just told of them, for as long as a message is written to them: Baileys asks about others itself. */
export type AskedGroups = Map<string, GroupMetadata>;

/** Somebody as WhatsApp answered about them: under the address that was asked about, and the hidden one. */
type Named = { jid: string; user: string; lid: string; devices: FullJid[] };

/**
 * Asks WhatsApp for the devices and keys that a message to these addresses (of people) needs, while nobody's keys are held: whoever
 * holds them keeps every incoming message of the number waiting, and an answer may take as long as a bad line. Answers how to take in
 * what was told, which is to be done inside the transaction of the send: Baileys then finds all it would ask for. It asks itself, as
 * it does without us, for what is left out here: people without a hidden address, hosted devices, keys that were refused.
 */
export async function askAhead(sock: WASocket, jids: readonly string[]): Promise<() => Promise<void>> {
  const named = await askDevices(sock, jids);
  // As Baileys does with a list of devices that is new to it: sessions that a crash left behind its messages are made anew. It goes
  // on without an answer as well, as long as there is a session.
  const bundles = await askKeys(
    sock,
    named.map(({ lid }) => lid),
    { reason: "identity" },
  ).catch((): BinaryNode[] => []);
  const missing = await withoutSession(sock, named, new Set(bundles.map(({ attrs }) => attrs.jid)));
  try {
    bundles.push(...(await askKeys(sock, missing)));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return () => takeIn(sock, named, bundles);
}

/** Those of them whose devices are not known. As Baileys asks, and as it reads the answer. */
async function askDevices(sock: WASocket, jids: readonly string[]): Promise<Named[]> {
  const { me } = sock.authState.creds;
  const unknown: string[] = [];
  for (const jid of new Set(jids)) {
    if (!(await sock.userDevicesCache.get(jidDecode(jid)?.user ?? ""))) unknown.push(jid);
  }
  if (!me || unknown.length === 0) return [];
  const query = new USyncQuery().withContext("message").withDeviceProtocol().withLIDProtocol();
  for (const jid of unknown) query.withUser(new USyncUser().withId(jid));
  const answer = await sock.executeUSyncQuery(query);
  if (!answer) throw new Unanswered();
  return answer.list.flatMap((one) => {
    const lid = isLidUser(one.id) ? one.id : one.lid;
    const user = jidDecode(one.id)?.user;
    // By the bare user: given our whole hidden address, as Baileys gives it, it takes this very device for one to write to.
    const devices = extractDeviceJids([one], me.id, jidDecode(me.lid)?.user ?? "", false);
    const plain = devices.length > 0 && devices.every(({ server }) => !server.startsWith("hosted"));
    return plain && user && typeof lid === "string" ? [{ jid: one.id, user, lid, devices }] : [];
  });
}

/** The bundles that WhatsApp gives out for these devices, without those it refuses. */
async function askKeys(
  sock: WASocket,
  jids: readonly string[],
  why: { reason?: string } = {},
): Promise<BinaryNode[]> {
  if (jids.length === 0) return [];
  const users = jids.map((jid) => ({ tag: "user", attrs: { jid, ...why } }));
  const answer: BinaryNode | undefined = await sock.query({
    tag: "iq",
    attrs: { xmlns: "encrypt", type: "get", to: S_WHATSAPP_NET },
    content: [{ tag: "key", attrs: {}, content: users }],
  });
  if (!answer) throw new Unanswered();
  const given = getBinaryNodeChildren(getBinaryNodeChild(answer, "list"), "user");
  return given.filter((user) => !getBinaryNodeChild(user, "error"));
}

/** By their hidden addresses, under which sessions are kept: who they belong to need not be known for that. */
async function withoutSession(
  sock: WASocket,
  named: readonly Named[],
  given: ReadonlySet<string | undefined>,
): Promise<string[]> {
  const missing: string[] = [];
  for (const { lid, devices } of named) {
    for (const { device } of devices) {
      const jid = jidEncode(jidDecode(lid)?.user ?? "", "lid", device);
      if (given.has(jid)) continue;
      if (!(await sock.signalRepository.validateSession(jid)).exists) missing.push(jid);
    }
  }
  return missing;
}

/** In the order in which Baileys does it. */
async function takeIn(
  sock: WASocket,
  named: readonly Named[],
  bundles: readonly BinaryNode[],
): Promise<void> {
  const { signalRepository, userDevicesCache, devicesMutex, authState } = sock;
  if (named.length === 0) return;
  const pairs = named.flatMap(({ jid, lid }) => (jid === lid ? [] : { lid, pn: jid }));
  await signalRepository.lidMapping.storeLIDPNMappings(pairs);
  for (const bundle of bundles) {
    const list = { tag: "list", attrs: {}, content: [bundle] };
    // One that cannot be used: Baileys asks for it again, if there is no session.
    await parseAndInjectE2ESessions({ tag: "iq", attrs: {}, content: [list] }, signalRepository).catch(
      () => undefined,
    );
  }
  await devicesMutex.mutex(async () => {
    for (const { user, devices } of named) await userDevicesCache.set(user, devices);
  });
  const lists = named.map(({ user, devices }) => [user, devices.map(({ device = 0 }) => String(device))]);
  await authState.keys.set({ "device-list": Object.fromEntries(lists) });
}
