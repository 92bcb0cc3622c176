import {
  isLidUser,
  jidDecode,
  jidNormalizedUser,
  type proto,
  type SignalKeyStoreWithTransaction,
  type WASocket,
} from "baileys";
import type { Logger } from "pino";
import { failpoint } from "../../failpoint.ts";
import type { Outcome } from "../transport.ts";
import type { Ack, Acks } from "./acks.ts";
import { codeOf, questionStop, textOf } from "./faults.ts";

type SendDeps = {
  sock: WASocket;
  acks: Acks;
  now: () => Date;
  log: Logger;
  /** True while the ownership of the connection is certain. */
  mayAct: () => boolean;
  /** When WhatsApp's restriction on new conversations ends, or when we dare to try again. */
  timelockEnds: () => Promise<Date>;
};

type Letter = { jid: string; messageId: string; content: proto.IMessage };

/** The recipient has no device that a message could be encrypted for. */
class NoDevices extends Error {}

/** The lease ran out while WhatsApp was asked about the recipient: another process may be sending to them by now. */
class NotOurs extends Error {}

/**
 * Everything that needs an answer from WhatsApp before the message can be written: devices and sessions of recipient and sender.
 * Baileys would do the same, but it goes on without recipients when the question times out, and cannot say afterwards whether the
 * bytes had left.
 */
async function prepareRecipients(sock: WASocket, jid: string): Promise<void> {
  const me = sock.authState.creds.me;
  const user = jidDecode(jid)?.user;
  if (!me || !user) throw new NoDevices();
  const self = jidNormalizedUser(isLidUser(jid) && me.lid ? me.lid : me.id);
  const devices = await sock.getUSyncDevices([self, jid], true, false);
  if (!devices.some((device) => device.user === user)) throw new NoDevices();
  await sock.assertSessions(
    devices.map((device) => device.jid).filter((device) => device !== me.id && device !== me.lid),
  );
}

function beforeTheWrite(error: unknown, now: Date): Outcome {
  if (error instanceof NotOurs) return { kind: "stop", cause: "not_connected", retryAt: null };
  const stop = questionStop(error, now);
  if (stop) return { kind: "stop", ...stop };
  return { kind: "refused", code: error instanceof NoDevices ? "no_devices" : "no_session", passing: true };
}

/** Errors after the write began that still prove that nothing left: the socket was closed, or nothing could be encrypted. */
function provenUnsent(error: unknown): Outcome | null {
  if (codeOf(error) === 428 && textOf(error) === "Connection Closed")
    return { kind: "stop", cause: "not_connected", retryAt: null };
  if (textOf(error) === "All encryptions failed")
    return { kind: "refused", code: "no_session", passing: true };
  return null;
}

async function writeAndWait(
  { sock, acks, now, log, mayAct }: SendDeps,
  letter: Letter,
): Promise<Ack | Outcome> {
  const answer = acks.expect(letter.messageId);
  let writing = false;
  const keys = sock.authState.keys as SignalKeyStoreWithTransaction;
  try {
    // Baileys' own transaction inside joins this one: one commit of keys a message.
    await keys.transaction(async () => {
      await prepareRecipients(sock, letter.jid);
      if (!mayAct()) throw new NotOurs();
      writing = true;
      await sock.relayMessage(letter.jid, letter.content, { messageId: letter.messageId });
      failpoint("bytes_written");
    }, sock.authState.creds.me?.id ?? "send");
  } catch (error) {
    const unsent = writing ? provenUnsent(error) : beforeTheWrite(error, now());
    if (unsent) {
      acks.forget(letter.messageId);
      return unsent;
    }
    // The frame may be out (keys are stored after it): WhatsApp's answer, if one comes, decides.
    log.warn({ err: error, messageId: letter.messageId }, "sending failed after the write began");
    if (!sock.ws.isOpen) acks.forget(letter.messageId);
  }
  return answer;
}

const STALE_DEVICE = "479";

async function refusal(code: string, { now, timelockEnds }: SendDeps): Promise<Outcome> {
  if (code === "463") {
    return { kind: "stop", cause: "timelocked", retryAt: (await timelockEnds()).getTime() };
  }
  if (code === "429") return { kind: "stop", cause: "rate_limited", retryAt: now().getTime() + 60_000 };
  return { kind: "refused", code: `wa_${code}`, passing: false };
}

/**
 * Sends one message and answers with what WhatsApp said of it: accepted only by its acknowledgement. Codes of refusals as in
 * research/whatsapp-transport §10: 463 no new conversations for now, 429 too fast, 479 our idea of the recipient's devices is stale
 * (asked anew and sent once more under the same id); any other is about this person.
 */
export async function sendLetter(deps: SendDeps, letter: Letter): Promise<Outcome> {
  for (let last = false; ; last = true) {
    const answer = await writeAndWait(deps, letter);
    if (answer.kind === "accepted" && !("providerId" in answer)) {
      return { kind: "accepted", providerId: letter.messageId, at: answer.at };
    }
    if (answer.kind === "silent") return { kind: "ambiguous", reason: "no_ack" };
    if (answer.kind === "closed") return { kind: "ambiguous", reason: "connection_lost" };
    if (answer.kind !== "nack") return answer;
    if (answer.code !== STALE_DEVICE || last) return refusal(answer.code, deps);
    await deps.sock.userDevicesCache.del(jidDecode(letter.jid)?.user ?? "");
  }
}
