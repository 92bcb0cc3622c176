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
  /** True while the ownership of the connection is certain, and the recipient wants to be written to. */
  mayAct: () => boolean;
  /** What refusal 463 (no new conversations) means for this recipient. */
  newConversation: () => Promise<Outcome>;
};

type Email = { jid: string; messageId: string; content: proto.IMessage };

/** WhatsApp itself says that no message can be encrypted for the recipient. */
class Refused extends Error {
  readonly code: "no_devices" | "no_session";
  constructor(code: "no_devices" | "no_session") {
    super(code);
    this.code = code;
  }
}

/** The lease ran out while WhatsApp was asked about the recipient: another process may be sending to them by now. */
class NotOurs extends Error {}

/**
 * True when WhatsApp says itself that the recipient has no device. Baileys' own question answers a silence with the same empty list;
 * taken for an answer, it would call people failed while WhatsApp was away.
 */
async function hasNoDevice(sock: WASocket, jid: string): Promise<boolean> {
  const query = new USyncQuery()
    .withContext("message")
    .withDeviceProtocol()
    .withUser(new USyncUser().withId(jid));
  const answer = await sock.executeUSyncQuery(query);
  // A list without anybody says nothing of anybody.
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
 * Everything that needs an answer from WhatsApp before the message can be written: devices and sessions of recipient and sender.
 * Baileys would do the same, but it goes on without recipients or keys when a question times out, and cannot say afterwards whether
 * the bytes had left.
 */
async function prepareRecipients(sock: WASocket, jid: string, group: GroupMetadata | null): Promise<void> {
  const { theirs, ours } = group ? await groupDevices(sock, group) : await personDevices(sock, jid);
  const { dead, fetched } = await fetchSessions(sock, [...ours, ...theirs]);
  if (theirs.length > 0 && theirs.every((device) => dead.has(device))) throw new Refused("no_session");
  for (const device of dead) await forgetDevice(sock, device);
  if (!fetched) return;
  // A silence is no error to Baileys either: it would find out while it encrypts, for them or for our own other devices.
  for (const group of [theirs, ours]) {
    const alive = group.filter((device) => !dead.has(device));
    if (alive.length > 0 && !(await hasSession(sock, alive))) throw new Unanswered();
  }
}

/** By their addresses, this one of ours left out: nothing is encrypted for oneself. */
type Devices = { theirs: string[]; ours: string[] };

const jidsOf = (devices: readonly { jid: string }[], me: Contact) =>
  devices.map(({ jid }) => jid).filter((jid) => jid !== me.id && jid !== me.lid);

/** Our own address, of the same kind as theirs. */
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

/** A group has no devices of its own, its members have. */
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
 * Fetches the keys that are missing (`fetched`: some were). `dead` are devices that WhatsApp gives none for: they were removed, and are
 * still told of. Baileys gives up all of a list with one such device: the recipient would be called failed for an old computer of
 * theirs, and everybody for one of ours (its issues 955 and 2521).
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

/** Until WhatsApp is asked about its owner again nothing is encrypted for it. */
async function forgetDevice(sock: WASocket, jid: string): Promise<void> {
  const { user = "", device = 0 } = jidDecode(jid) ?? {};
  const known = await sock.userDevicesCache.get<JidWithDevice[]>(user);
  if (!known) return;
  const left = known.filter((one) => (one.device ?? 0) !== device);
  await sock.userDevicesCache.set(user, left);
}

/**
 * What a fault before the write means. Only WhatsApp's own word about the recipient is theirs; a cut (Baileys rejects with the bare close
 * code), a silence or a fault of WhatsApp says nothing of them.
 */
function beforeTheWrite(sock: WASocket, error: unknown, now: Date): Outcome {
  if (error instanceof NotOurs) return { kind: "stop", cause: "not_connected", retryAt: null };
  if (error instanceof Refused) return { kind: "refused", code: error.code, passing: true };
  const stop = questionStop(error, now);
  if (stop) return { kind: "stop", ...stop };
  const cause = sock.ws.isOpen ? "lookup_failed" : "not_connected";
  return { kind: "stop", cause, retryAt: null };
}

/**
 * Errors that prove that the message did not leave, although something was written for it, if only a question of Baileys' own: the socket
 * was closed, or nothing could be encrypted.
 */
function provenUnsent(error: unknown): Outcome | null {
  if (codeOf(error) === 428 && textOf(error) === "Connection Closed")
    return { kind: "stop", cause: "not_connected", retryAt: null };
  if (textOf(error) === "All encryptions failed")
    return { kind: "stop", cause: "lookup_failed", retryAt: null };
  return null;
}

async function writeAndWait(
  { sock, acks, groups, now, log, mayAct }: SendDeps,
  letter: Email,
): Promise<Ack | Outcome> {
  const answer = acks.expect(letter.messageId);
  const frame: Writes = { begun: false };
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  const { me } = sock.authState.creds;
  try {
    const group = isJidGroup(letter.jid) ? await sock.groupMetadata(letter.jid) : null;
    const asked = group ? membersOf(group) : me ? [ourSide(me, letter.jid), letter.jid] : [];
    const takeIn = await askAhead(sock, asked);
    if (group) groups.set(letter.jid, group);
    // Baileys' own transaction inside joins this one: one commit of keys a message.
    await keys.transaction(async () => {
      await takeIn();
      await prepareRecipients(sock, letter.jid, group);
      if (!mayAct()) throw new NotOurs();
      // It still reads keys before the write, and the database may be away.
      const { jid, content, messageId } = letter;
      await noteWrites(sock, frame, () => sock.relayMessage(jid, content, { messageId }));
      // Only now: what was asked before the write must not eat the time of the answer to it.
      acks.written(letter.messageId);
      failpoint("bytes_written");
    }, me?.id ?? "send");
  } catch (error) {
    const unsent = frame.begun ? provenUnsent(error) : beforeTheWrite(sock, error, now());
    if (unsent) {
      acks.forget(letter.messageId);
      return unsent;
    }
    // The frame may be out (keys are stored after it): WhatsApp's answer, if one comes, decides.
    log.warn({ err: error, messageId: letter.messageId }, "sending failed after the write began");
    if (sock.ws.isOpen) acks.written(letter.messageId);
    else acks.forget(letter.messageId);
  } finally {
    groups.delete(letter.jid);
  }
  return answer;
}

const STALE_DEVICE = "479";
/**
 * WhatsApp's server failed at the message, which says nothing of the person, nor whether it was kept. WhatsApp Web sent the same frame
 * again after such an answer, and gave up only after several.
 */
const OWN_TROUBLE = /^5\d\d$/;

async function refusal(code: string, { now, newConversation }: SendDeps): Promise<Outcome> {
  if (code === "463") return newConversation();
  if (code === "429") return { kind: "stop", cause: "rate_limited", retryAt: now().getTime() + 60_000 };
  // Theirs or ours: what WhatsApp says of them would not be believed of everybody in a row.
  if (code === STALE_DEVICE) return { kind: "stop", cause: "devices_refused", retryAt: null };
  const refused = `wa_${code}`;
  if (OWN_TROUBLE.test(code))
    return { kind: "ambiguous", reason: refused, stop: { cause: "server_trouble", retryAt: null } };
  return { kind: "refused", code: refused, passing: false };
}

/**
 * Sends one message and answers with what WhatsApp said of it: accepted only by its acknowledgement, or by a phone's receipt. Codes of
 * refusals: 463 no new conversations for now, 429 too fast, 479 our idea of somebody's devices is stale (theirs or ours: asked anew and
 * sent once more under the same id; refused again it is proven not sent, and the lane tells whose trouble it is by whom else it reaches),
 * 5xx a fault of WhatsApp's server; any other is about this person.
 */
export async function sendEmail(deps: SendDeps, letter: Email): Promise<Outcome> {
  for (let last = false; ; last = true) {
    const answer = await writeAndWait(deps, letter);
    if (answer.kind === "accepted" && !("providerId" in answer)) {
      return { kind: "accepted", providerId: letter.messageId, at: answer.at };
    }
    if (answer.kind === "silent") return { kind: "ambiguous", reason: "no_ack" };
    if (answer.kind === "closed") return { kind: "ambiguous", reason: "connection_lost" };
    if (answer.kind !== "nack") return answer;
    if (answer.code !== STALE_DEVICE || last) return refusal(answer.code, deps);
    // Which of them are stale WhatsApp does not say: theirs, a member's, or our own, which are in every frame.
    await deps.sock.userDevicesCache.flushAll();
  }
}
