import { jidNormalizedUser, USyncQuery, USyncUser, type WASocket } from "baileys";
import type { Address, LookupResult } from "../transport.ts";
import { stopOf } from "./faults.ts";

/** A Brazilian mobile in both its forms, as given first: `55`, area code, with or without the ninth digit. Others alone. */
export function ninthDigitForms(phone: string): readonly string[] {
  const withNinth = /^(55[1-9][1-9])9([6-9]\d{7})$/.exec(phone);
  if (withNinth) return [phone, `${withNinth[1]}${withNinth[2]}`];
  const without = /^(55[1-9][1-9])([6-9]\d{7})$/.exec(phone);
  if (without) return [phone, `${without[1]}9${without[2]}`];
  return [phone];
}

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
    return { kind: "stop", ...(stopOf(error, now) ?? { cause: "lookup_failed", retryAt: null }) };
  }
}
