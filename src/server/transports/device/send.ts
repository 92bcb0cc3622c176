import {
  type Contact,
  type GroupMetadata,
  isJidGroup,
  isLidUser,
  type JidWithDevice,
  jidDecode,
  jidNormalizedUser,
  type proto,
  type SignalKeyStoreWithTransaction,
  USyncQuery,
  USyncUser,
  type WASocket,
} from "baileys";
import type { Logger } from "pino";
import { failpoint } from "../../base/failpoint.ts";
import type { Outcome } from "../transport.ts";
import type { Ack, Acks } from "./acks.ts";
import { codeOf, questionStop, textOf } from "./errors.ts";
import { type AskedGroups, askAhead, isRefusal, Unanswered } from "./prefetch.ts";
import { noteWrites, type Writes } from "./raw-socket.ts";

type SendDeps = {
  sock: WASocket;
  acks: Acks;
  groups: AskedGroups;
  now: () => Date;
  log: Logger;
  /** Ownership is certain and the recipient has not opted out. */
  mayAct: () => boolean;
  newConversation: () => Promise<Outcome>;
};

type EncodedMessage = { jid: string; messageId: string; content: proto.IMessage; edit?: string };

class Refused extends Error {
  readonly code: "no_devices" | "no_session";
  constructor(code: "no_devices" | "no_session") {
    super(code);
    this.code = code;
  }
}

/** The lease ended during queries; another process may already be sending. */
class NotOurs extends Error {}

/**
 * Only WhatsApp's own answer counts: Baileys returns the same empty list after a timeout, which would mark
 * people failed while WhatsApp is down.
 */
async function hasNoDevice(sock: WASocket, jid: string): Promise<boolean> {
  const query = new USyncQuery()
    .withContext("message")
    .withDeviceProtocol()
    .withUser(new USyncUser().withId(jid));
  const answer = await sock.executeUSyncQuery(query);
  // A list without people proves nothing.
  const named = answer?.list ?? [];
  return named.length > 0 && named.every((user) => !hasDevices(user.devices));
}

const hasDevices = (devices: unknown): boolean =>
  typeof devices === "object" &&
  devices !== null &&
  "deviceList" in devices &&
  Array.isArray(devices.deviceList) &&
  devices.deviceList.length > 0;

/**
 * Baileys would go on without recipients or keys after a timeout, and could not say whether bytes were sent.
 */
async function prepareRecipients(sock: WASocket, jid: string, group: GroupMetadata | null): Promise<void> {
  const { theirs, ours } = group ? await groupDevices(sock, group) : await personDevices(sock, jid);
  const { dead, fetched } = await fetchSessions(sock, [...ours, ...theirs]);
  if (theirs.length > 0 && theirs.every((device) => dead.has(device))) throw new Refused("no_session");
  for (const device of dead) await forgetDevice(sock, device);
  if (!fetched) return;
  // Baileys ignores a timeout here and would notice only while encrypting.
  for (const group of [theirs, ours]) {
    const alive = group.filter((device) => !dead.has(device));
    if (alive.length > 0 && !(await hasSession(sock, alive))) throw new Unanswered();
  }
}

/** Without this device: nothing is encrypted for itself. */
type Devices = { theirs: string[]; ours: string[] };

const jidsOf = (devices: readonly { jid: string }[], me: Contact) =>
  devices.map(({ jid }) => jid).filter((jid) => jid !== me.id && jid !== me.lid);

const ourSide = (me: Contact, jid: string): string =>
  jidNormalizedUser(isLidUser(jid) && me.lid ? me.lid : me.id);

async function personDevices(sock: WASocket, jid: string): Promise<Devices> {
  const me = sock.authState.creds.me;
  const user = jidDecode(jid)?.user;
  if (!me || !user) throw new Refused("no_devices");
  const devices = await sock.getUSyncDevices([ourSide(me, jid), jid], true, false);
  const theirs = devices.filter((device) => device.user === user);
  if (theirs.length === 0)
    throw (await hasNoDevice(sock, jid)) ? new Refused("no_devices") : new Unanswered();
  const others = devices.filter((device) => device.user !== user);
  return { theirs: jidsOf(theirs, me), ours: jidsOf(others, me) };
}

const membersOf = ({ participants }: GroupMetadata) => participants.map(({ id }) => id);

/** A group has no devices; its members have. */
async function groupDevices(sock: WASocket, group: GroupMetadata): Promise<Devices> {
  const me = sock.authState.creds.me;
  if (!me) throw new Unanswered();
  const theirs = jidsOf(await sock.getUSyncDevices(membersOf(group), true, false), me);
  if (theirs.length === 0) throw new Unanswered();
  return { theirs, ours: [] };
}

async function hasSession(sock: WASocket, devices: readonly string[]): Promise<boolean> {
  for (const device of devices) {
    if ((await sock.signalRepository.validateSession(device)).exists) return true;
  }
  return false;
}

/**
 * `fetched`: keys were missing. `dead`: removed devices without keys; Baileys gives up a whole list with one,
 * so an old computer would make the recipient fail (its issues 955 and 2521).
 */
async function fetchSessions(sock: WASocket, devices: readonly string[]) {
  const dead = new Set<string>();
  try {
    return { dead, fetched: await sock.assertSessions([...devices]) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  for (const device of devices) {
    try {
      await sock.assertSessions([device]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      dead.add(device);
    }
  }
  return { dead, fetched: true };
}

/** Nothing is encrypted for it until WhatsApp lists its owner's devices again. */
async function forgetDevice(sock: WASocket, jid: string): Promise<void> {
  const { user = "", device = 0 } = jidDecode(jid) ?? {};
  const known = await sock.userDevicesCache.get<JidWithDevice[]>(user);
  if (!known) return;
  const left = known.filter((one) => (one.device ?? 0) !== device);
  await sock.userDevicesCache.set(user, left);
}

/**
 * Only WhatsApp's refusal concerns the recipient; a cut (a bare close code from Baileys), timeout or WhatsApp
 * error does not.
 */
function beforeTheWrite(sock: WASocket, error: unknown, now: Date): Outcome {
  if (error instanceof NotOurs) return { kind: "stop", cause: "not_connected", retryAt: null };
  if (error instanceof Refused) return { kind: "refused", code: error.code, passing: true };
  const stop = questionStop(error, now);
  if (stop) return { kind: "stop", ...stop };
  const cause = sock.ws.isOpen ? "lookup_failed" : "not_connected";
  return { kind: "stop", cause, retryAt: null };
}

/** Proof that the message was not sent: socket closed, or encryption failed. */
function provenUnsent(error: unknown): Outcome | null {
  if (codeOf(error) === 428 && textOf(error) === "Connection Closed")
    return { kind: "stop", cause: "not_connected", retryAt: null };
  if (textOf(error) === "All encryptions failed")
    return { kind: "stop", cause: "lookup_failed", retryAt: null };
  return null;
}

async function writeAndWait(
  { sock, acks, groups, now, log, mayAct }: SendDeps,
  message: EncodedMessage,
): Promise<Ack | Outcome> {
  const answer = acks.expect(message.messageId);
  const frame: Writes = { begun: false };
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  const { me } = sock.authState.creds;
  try {
    const group = isJidGroup(message.jid) ? await sock.groupMetadata(message.jid) : null;
    const asked = group ? membersOf(group) : me ? [ourSide(me, message.jid), message.jid] : [];
    const takeIn = await askAhead(sock, asked);
    if (group) groups.set(message.jid, group);
    // Baileys' inner transaction joins: one key commit per message.
    await keys.transaction(async () => {
      await takeIn();
      await prepareRecipients(sock, message.jid, group);
      if (!mayAct()) throw new NotOurs();
      // Baileys reads keys before the write, and the database may be unavailable.
      const { jid, content, messageId, edit } = message;
      const marks = edit === undefined ? {} : { additionalAttributes: { edit } };
      await noteWrites(sock, frame, () => sock.relayMessage(jid, content, { messageId, ...marks }));
      acks.written(message.messageId);
      failpoint("bytes_written");
    }, me?.id ?? "send");
  } catch (error) {
    const unsent = frame.begun ? provenUnsent(error) : beforeTheWrite(sock, error, now());
    if (unsent) {
      acks.forget(message.messageId);
      return unsent;
    }
    // The frame may be sent, because keys are stored after it; WhatsApp's answer decides.
    log.warn({ err: error, messageId: message.messageId }, "sending failed after the write began");
    if (sock.ws.isOpen) acks.written(message.messageId);
    else acks.forget(message.messageId);
  } finally {
    groups.delete(message.jid);
  }
  return answer;
}

const STALE_DEVICE = "479";
/**
 * WhatsApp's server failed, which says nothing about the person or whether the message was kept. WhatsApp Web
 * resends the frame several times.
 */
const OWN_TROUBLE = /^5\d\d$/;

async function refusal(code: string, { now, newConversation }: SendDeps): Promise<Outcome> {
  if (code === "463") return newConversation();
  if (code === "429") return { kind: "stop", cause: "rate_limited", retryAt: now().getTime() + 60_000 };
  // The recipient's devices or ours; many in a row are the number's problem.
  if (code === STALE_DEVICE) return { kind: "stop", cause: "devices_refused", retryAt: null };
  const refused = `wa_${code}`;
  if (OWN_TROUBLE.test(code))
    return { kind: "ambiguous", reason: refused, stop: { cause: "server_trouble", retryAt: null } };
  return { kind: "refused", code: refused, passing: false };
}

/**
 * Accepted only by WhatsApp's ack or a receipt. 463: no new conversations; 429: rate limit; 479: stale
 * devices, refetched and resent once under the same id, then proven unsent; 5xx: WhatsApp's error; other
 * codes concern this person.
 */
export async function sendAndAwaitAck(deps: SendDeps, message: EncodedMessage): Promise<Outcome> {
  for (let last = false; ; last = true) {
    const answer = await writeAndWait(deps, message);
    if (answer.kind === "accepted" && !("providerId" in answer)) {
      return { kind: "accepted", providerId: message.messageId, at: answer.at };
    }
    if (answer.kind === "silent") return { kind: "ambiguous", reason: "no_ack" };
    if (answer.kind === "closed") return { kind: "ambiguous", reason: "connection_lost" };
    if (answer.kind !== "nack") return answer;
    if (answer.code !== STALE_DEVICE || last) return refusal(answer.code, deps);
    // WhatsApp does not say which are stale; our own are in every frame.
    await deps.sock.userDevicesCache.flushAll();
  }
}
