/** Fields that hold what no log may: secrets, what people wrote, and whom they wrote to. */
const PRIVATE =
  /^(password|newPassword|senha|secret|hookSecret|token|apikey|api_key|authorization|cookie|set-cookie|text|body|message_text|caption|conversation|phone|phones|number|jid|lid|remoteJid|email|address|qr|pairingCode|pushName)$/i;

const HIDDEN = "[hidden]";
/** Deeper than any line of ours. */
const MAX_DEPTH = 6;

/** A key of ours, a bearer's token, and the part of an address that lets its holder in. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\brcd_[\w-]+/g, "rcd_…"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 …"],
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, "$1…@"],
  [/\b(apikey|api_key|token|password|secret|key)=[^\s&"']+/gi, "$1=…"],
];

/** Digits that stand alone and are as long as a phone: the last four tell it apart. Ids of messages and times have other lengths or letters. */
const PHONE = /(?<![\w.-])\+?\d{6,11}(\d{4})(?=@|:\d+@|[^\w.-]|\.?$)/g;

/** A text for the log without secrets and whole phones: what others throw repeats what they were given. */
export function cleanText(text: string): string {
  let clean = text;
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead);
  return clean.replace(PHONE, "…$1");
}

/** The fields of a line without what may not be logged. A fault stays as it is: its serializer cleans it. */
export function clean(fields: object): Record<string, unknown> {
  return cleanFields(fields, 0);
}

function cleanFields(fields: object, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    kept[name] = PRIVATE.test(name) && value != null ? HIDDEN : cleanValue(value, depth + 1);
  return kept;
}

function cleanValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth > MAX_DEPTH || ArrayBuffer.isView(value)) return HIDDEN;
  if (Array.isArray(value)) return value.map((one: unknown) => cleanValue(one, depth + 1));
  return cleanFields(value, depth);
}
