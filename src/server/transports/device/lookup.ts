import {
  assertNodeErrorFree,
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidNormalizedUser,
  S_WHATSAPP_NET,
  type WASocket,
} from "baileys";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Address, LookupResult } from "../transport.ts";
import { questionStop } from "./errors.ts";

/** WhatsApp's answers for an unregistered and an impossible number. */
const ABSENT = new Set(["out", "invalid"]);

/** One number: an answer need not say which it is about. */
function question(sock: WASocket, phone: string): BinaryNode {
  const contact = { tag: "contact", attrs: {}, content: `+${phone}` };
  const query = [
    { tag: "contact", attrs: {} },
    { tag: "lid", attrs: {} },
  ];
  const content = [
    { tag: "query", attrs: {}, content: query },
    { tag: "list", attrs: {}, content: [{ tag: "user", attrs: {}, content: [contact] }] },
  ];
  const attrs = {
    context: "interactive",
    mode: "query",
    sid: sock.generateMessageTag(),
    last: "true",
    index: "0",
  };
  return {
    tag: "iq",
    attrs: { to: S_WHATSAPP_NET, type: "get", xmlns: "usync" },
    content: [{ tag: "usync", attrs, content }],
  };
}

/**
 * Baileys' own reader drops errors inside the answer, so «no such number», «not now» and an empty answer look
 * alike. Absence is cached for a week, for all accounts.
 */
async function ask(sock: WASocket, phone: string): Promise<Address | "absent" | "silent"> {
  const usync = getBinaryNodeChild(await sock.query(question(sock, phone)), "usync");
  const failed = getBinaryNodeChild(getBinaryNodeChild(usync, "result"), "contact");
  if (failed) assertNodeErrorFree(failed);
  const [user] = getBinaryNodeChildren(getBinaryNodeChild(usync, "list"), "user");
  const contact = getBinaryNodeChild(user, "contact");
  if (!user || !contact) return "silent";
  assertNodeErrorFree(contact);
  const { type = "" } = contact.attrs;
  if (ABSENT.has(type)) return "absent";
  if (type !== "in" || !user.attrs.jid) return "silent";
  return { jid: jidNormalizedUser(user.attrs.jid), lid: getBinaryNodeChild(user, "lid")?.attrs.val ?? null };
}

/**
 * Queries both forms: old accounts lack the ninth digit, and only WhatsApp knows which. Absent only if
 * WhatsApp itself says so.
 */
export async function lookUp(sock: WASocket, phone: string, now: Date): Promise<LookupResult> {
  try {
    for (const form of ninthDigitForms(phone)) {
      const answer = await ask(sock, form);
      if (answer === "silent") return { kind: "stop", cause: "lookup_failed", retryAt: null };
      if (answer !== "absent") return { kind: "found", address: answer };
    }
    return { kind: "absent" };
  } catch (error) {
    return { kind: "stop", ...(questionStop(error, now) ?? { cause: "lookup_failed", retryAt: null }) };
  }
}
