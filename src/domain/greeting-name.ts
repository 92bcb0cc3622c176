/** Name columns hold other text: words for «nothing», numbers, legal names ending in a CPF. */

const PLAIN = /^[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f .'’&-]*$/;
export const WORDS = [
  "null|none|undefined|unknown|no ?name|anonymous|empty|blank",
  "n ?/ ?[ad]|n\\.[ad]|s ?/ ?n|s ?/ ?nome|s\\. ?nome|sn",
  "sem (?:o )?(?:nome|cadastro|contato|informa[cç][aã]o|identifica[cç][aã]o|registro)|semnome",
  "n[aã]o (?:informad|identificad|cadastrad|preenchid|definid)[oa]|n[aã]o (?:consta|tem|possui|h[aá]|sei|se aplica)",
  "desconhecid[oa]|an[oô]nim[oa]|vazio|em branco|nenhum|x{2,}",
  "nome|name|valor|value|ref|div/0|num",
].join("|");
const NOTHING = new RegExp(`^[\\s\\p{P}\\p{S}]*(?:${WORDS})[\\s\\p{P}\\p{S}]*$`, "iu");
const NOTHING_PLAIN = new RegExp(`^(?:${WORDS})[ .'&-]*$`, "i");
const NOTHING_EXACTLY = /^(?:nan|NaN|NAN|NA|ND|nil)$/;
const MAIL = /^\S+@\S+$/;
export const MAIL_BEHIND = /\s*[<(]\S+@\S+[>)]$/;
export const ADDRESS = /^(?:https?:\/\/|www\.)/i;
export const DATE = /^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}(?!\d)/;
/** CPF, CNPJ or phone, also as masked by Receita. */
const LONG_NUMBER = /[+(]?\d[\d.\-/() ]{8,40}\d|\*{3}[. ]?\d{3}[. ]?\d{3}-?\*{2}/g;
const LONG_DIGITS = 10;
const LONGEST = 240;
/** A sole trader's name: first eight digits of the CNPJ, then the name. */
const CNPJ_ROOT = /^\d{2}\.\d{3}\.\d{3} (?=\D)/;
export const LABELS = "cpf|cnpj|cpf ?/ ?cnpj|doc|tel|telefone|fone|cel|celular|whats|whatsapp|zap";
const LABEL_BEFORE = new RegExp(String.raw`(?:^|[\s\p{P}\p{S}]+)(?:(?:${LABELS})[\s\p{P}\p{S}nº]*)?$`, "iu");
const EDGES = /^[\s\-–—:,;|/\\)\]]+|[\s\-–—:,;|/\\([+]+$/gu;

/** The name for a greeting; empty where `name` names no person. Idempotent. */
export function greetingName(name: string): string {
  // No stored name is longer, and the patterns would be slow.
  if (name.length > LONGEST) return name;
  if (PLAIN.test(name)) return NOTHING_PLAIN.test(name) || NOTHING_EXACTLY.test(name) ? "" : name;
  if (name === "" || NOTHING.test(name)) return "";
  if (MAIL.test(name) || ADDRESS.test(name) || DATE.test(name)) return "";
  const named = withoutNumbers(name.replace(MAIL_BEHIND, ""));
  if (named !== name) return greetingName(named);
  return /\p{L}/u.test(name) ? name : "";
}

function withoutNumbers(name: string): string {
  const root = name.replace(CNPJ_ROOT, "");
  for (const number of root.matchAll(LONG_NUMBER)) {
    const [text] = number;
    if (!text.startsWith("*") && text.replace(/\D/g, "").length < LONG_DIGITS) continue;
    const before = root.slice(0, number.index).replace(LABEL_BEFORE, "").replace(EDGES, "");
    if (/\p{L}/u.test(before)) return before;
    return root.slice(number.index + text.length).replace(EDGES, "");
  }
  return root;
}
