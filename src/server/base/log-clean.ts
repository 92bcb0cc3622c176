/** Secrets, message texts and recipients must not be logged. */
const PRIVATE =
  /^(password|newPassword|senha|secret|hookSecret|token|apikey|api_key|authorization|cookie|set-cookie|text|body|message_text|caption|conversation|phone|phones|number|jid|lid|remoteJid|email|address|qr|pairingCode|pushName)$/i;

const HIDDEN = "[hidden]";
const MAX_DEPTH = 6;

/** API keys, bearer tokens and secret parts of URLs. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\brcd_[\w-]+/g, "rcd_…"],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, "$1 …"],
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, "$1…@"],
  [/\b(apikey|api_key|token|password|secret|key)=[^\s&"']+/gi, "$1=…"],
];

/** Phone-like digits keep the last four. Message ids and times have other lengths or letters. */
const PHONE = /(?<![\w.-])\+?\d{6,11}(\d{4})(?=@|:\d+@|[^\w.-]|\.?$)/g;

export function cleanText(text: string): string {
  let clean = text;
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead);
  return clean.replace(PHONE, "…$1");
}

/** Errors stay; their serializer cleans them. */
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
