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

/** No answer in time proves nothing about the recipient. */
export class Unanswered extends Error {}

/** WhatsApp's refusal of the request; 408, 429 and codes above 499 are no refusal. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code >= 400 && code < 500 && code !== 408 && code !== 428 && code !== 429;
}

/** Groups fetched for the present message; Baileys fetches others itself. */
export type AskedGroups = Map<string, GroupMetadata>;

/** The requested address and the LID. */
type Named = { jid: string; user: string; lid: string; devices: FullJid[] };

/**
 * Fetches devices and keys before the key lock, under which a slow answer would block incoming messages. The
 * returned function stores them in the send's transaction.
 */
export async function askAhead(sock: WASocket, jids: readonly string[]): Promise<() => Promise<void>> {
  const named = await askDevices(sock, jids);
  // Like Baileys: sessions left by a crash are rebuilt; without an answer, existing ones are used.
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

/** Unknown devices, as Baileys fetches and parses them. */
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
    // With our full LID, as Baileys passes it, this device itself would become a recipient.
    const devices = extractDeviceJids([one], me.id, jidDecode(me.lid)?.user ?? "", false);
    const plain = devices.length > 0 && devices.every(({ server }) => !server.startsWith("hosted"));
    return plain && user && typeof lid === "string" ? [{ jid: one.id, user, lid, devices }] : [];
  });
}

/** Key bundles, without those that WhatsApp refuses. */
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

/** Sessions are stored under LIDs. */
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

/** Stores the results in Baileys' order. */
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
    // Baileys refetches an unusable bundle if there is no session.
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
