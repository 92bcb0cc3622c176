import { jidNormalizedUser, USyncQuery, USyncUser, type WASocket } from "baileys";
import { ninthDigitForms } from "../../../domain/chat-id.ts";
import type { Address, LookupResult } from "../transport.ts";
import { questionStop } from "./faults.ts";

/** One number per question: the answer leaves unknown numbers out and does not say which question it belongs to. */
async function ask(sock: WASocket, phone: string): Promise<Address | "absent" | "silent"> {
  const query = new USyncQuery()
    .withContactProtocol()
    .withLIDProtocol()
    .withUser(new USyncUser().withPhone(`+${phone}`));
  const answer = await sock.executeUSyncQuery(query);
  if (!answer) return "silent";
  const [user] = answer.list;
  if (user?.contact !== true) return "absent";
  return { jid: jidNormalizedUser(user.id), lid: typeof user.lid === "string" ? user.lid : null };
}

/**
 * Asks WhatsApp for a canonical phone's address. The ninth digit is never derived: old accounts are registered without it, and only
 * WhatsApp knows which, so both forms are asked.
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
