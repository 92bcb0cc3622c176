/** WhatsApp addresses (`user[:device]@server`) and their meaning, without a library. */

/**
 * `phone`: canonical E.164 digits; `jid`: WhatsApp's form without device. None: status updates, channels,
 * broadcast lists, malformed.
 */
export type ChatId =
  | { kind: "phone"; phone: string; jid: string }
  | { kind: "lid"; lid: string }
  | { kind: "group"; jid: string }
  | { kind: "none" };

const ADDRESS = /^([0-9A-Za-z_.-]{1,60})(?::\d{1,5})?@(s\.whatsapp\.net|c\.us|lid|g\.us|hosted|hosted\.lid)$/;

/** Groups are recognised by `@g.us`, as in the specification (§9). */
export function readChatId(text: string): ChatId {
  const [, user = "", server = ""] = ADDRESS.exec(text) ?? [];
  if (server === "g.us") return { kind: "group", jid: `${user}@g.us` };
  if (!/^\d{3,20}$/.test(user)) return { kind: "none" };
  if (server === "lid" || server === "hosted.lid") return { kind: "lid", lid: `${user}@lid` };
  // WhatsApp's own notices come from number 0; no country code begins with it.
  if (user.length > 15 || user.startsWith("0")) return { kind: "none" };
  return { kind: "phone", phone: canonicalPhone(user), jid: `${user}@s.whatsapp.net` };
}

/** Canonical digits or `…@lid`; null for others. */
export function addressKey(address: string): string | null {
  const id = readChatId(address);
  if (id.kind === "phone") return id.phone;
  return id.kind === "lid" ? id.lid : null;
}

/** Old Brazilian mobiles get the ninth digit, others stay. */
export function canonicalPhone(digits: string): string {
  const old = /^(55[1-9][1-9])([6-9]\d{7})$/.exec(digits);
  return old ? `${old[1]}9${old[2]}` : digits;
}

/** A Brazilian mobile in both forms, the given one first. */
export function ninthDigitForms(phone: string): readonly string[] {
  const withNinth = /^(55[1-9][1-9])9([6-9]\d{7})$/.exec(phone);
  if (withNinth) return [phone, `${withNinth[1]}${withNinth[2]}`];
  const canonical = canonicalPhone(phone);
  return canonical === phone ? [phone] : [phone, canonical];
}
