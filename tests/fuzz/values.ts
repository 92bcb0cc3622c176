import type { Random } from "./random.ts";

export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

export type Known = Readonly<Record<string, readonly (string | number)[]>>;

const TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "1",
  "1e400",
  "NaN",
  "null",
  "undefined",
  "true",
  "[]",
  "{}",
  "\t",
  "\r\n",
  "Loja da Ana",
  "Olá {{nome}}, tudo bem?",
  "{nome|cliente}",
  "{{{{",
  "$" + "{x}",
  "<%= 1 %>",
  "a".repeat(121),
  "'; drop table account; --",
  "\\",
  '"',
  "%",
  "%%",
  "_",
  "%00",
  "a%",
  "$1",
  "\\x00",
  "\\u0000",
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "javascript:alert(1)",
  "=HYPERLINK(1)",
  "../../etc/passwd",
  "..%2f..",
  "file:///etc/passwd",
  "C:\\con",
  "a/b",
  "a?x=1#y",
  "\u202e\u200b",
  "\u200b",
  "👩‍👩‍👧‍👦",
  "Z̸̢̡̛a̵͓͝l̶g̷o̸",
  "ﷺ".repeat(20),
  "\uFFFE",
  "\uFEFF",
  "İ",
  "ß",
  "①②⑦",
  "2026-13-40T25:61",
  "2026-02-30",
  "275760-09-13",
  "+275760-09-13T00:00:00.000Z",
  "0000-01-01",
  "9007199254740993",
  "99999999999999999999999999",
  "-0",
  "1.5",
  "1,5",
  "0x1",
  "1e3",
  "１２３",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "length",
  "http://127.0.0.1:1",
  "http://[::1]",
  "http://169.254.169.254/",
  "https://a.invalid",
  "http://0x7f.1",
  "America/Nowhere",
  "America/Sao_Paulo",
  "Etc/GMT+12",
  "SystemV/AST4",
];

const NUMBERS = [
  "0",
  "-0",
  "-1",
  "1",
  "1.5",
  "0.1",
  "1e3",
  "1e308",
  "1e400",
  "-1e400",
  "2147483647",
  "2147483648",
  "9007199254740991",
  "9007199254740993",
  "999999999999999",
  "9223372036854775808",
  "1e-400",
  "16777216",
];

/** Neither PostgreSQL nor UTF-8 can hold these. In JSON notation. */
const UNSTORABLE = ['"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"a\\ud83d"'];

const ODD_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "accountId",
  "account_id",
  "ownerId",
  "id",
  "status",
  "role",
  "isAdmin",
  "",
  "a.b",
  "[0]",
  "\\u0000",
  "\\ud800",
  "💣",
];

const quoted = (text: string) => JSON.stringify(text);

export function oddText(random: Random): string {
  const dice = random.next();
  if (dice < 0.02) return random.pick(["a", "á", "👍", " ", "\u200b", "%", "("]).repeat(5_000);
  if (dice < 0.025) return "x".repeat(90_000);
  if (dice < 0.2) {
    let text = "";
    for (let left = random.below(24); left > 0; left--) text += String.fromCodePoint(codePoint(random));
    return text;
  }
  return random.pick(TEXTS);
}

function codePoint(random: Random): number {
  const high = random.pick([0x7f, 0x7f, 0xff, 0x3000, 0xffff, 0x1_ffff]);
  const point = 1 + random.below(high);
  return point >= 0xd800 && point <= 0xdfff ? 0x41 : point;
}

export function oddJson(random: Random, depth = 0): string {
  const dice = random.next();
  if (dice < 0.35) return quoted(oddText(random));
  if (dice < 0.45) return random.pick(UNSTORABLE);
  if (dice < 0.65) return random.pick(NUMBERS);
  if (dice < 0.8 || depth > 3) return random.pick(["null", "true", "false", "[]", "{}"]);
  if (dice < 0.82) return nested(random, random.pick([10, 63, 65, 1_000, 20_000]));
  if (dice < 0.92) return `[${times(random.below(5), () => oddJson(random, depth + 1))}]`;
  return `{${times(random.below(4), () => oddEntry(random, depth))}}`;
}

const times = (length: number, make: () => string) => Array.from({ length }, make).join(",");

const oddEntry = (random: Random, depth: number) =>
  `"${random.pick(ODD_KEYS)}":${oddJson(random, depth + 1)}`;

function nested(random: Random, deep: number): string {
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(deep)}1${close.repeat(deep)}`;
}

/** Nearly valid JSON: one value in `wildness` is wrong; fields are missing, duplicate or unknown. */
export function likeSchema(
  random: Random,
  schema: Schema,
  wildness: number,
  known: Known,
  name = "",
): string {
  if (random.chance(wildness)) return oddJson(random);
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return likeSchema(random, random.pick(choice), wildness, known, name);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return JSON.stringify(random.pick(schema.enum));
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  switch (type) {
    case "object":
      return objectLike(random, schema, wildness, known);
    case "array": {
      const most = Math.min(schema.maxItems ?? 4, 4);
      const length = Math.max(schema.minItems ?? 0, random.below(most + 1));
      const items = schema.items ?? {};
      return `[${times(length, () => likeSchema(random, items, wildness, known, name))}]`;
    }
    case "integer":
    case "number":
      return numberLike(random, schema, known[name]);
    case "boolean":
      return random.pick(["true", "false"]);
    case "string":
      return quoted(textLike(random, schema, name, known));
    case "null":
      return "null";
    default:
      return name === "contacts" && random.chance(0.7) ? CONTACTS : oddJson(random);
  }
}

const CONTACTS = '[{"name":"Ana","phone":"11987654321"},{"nome":"Bia","telefone":11987654322}]';

function objectLike(random: Random, schema: Schema, wildness: number, known: Known): string {
  const entries: string[] = [];
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const needed = schema.required?.includes(key) ?? false;
    if (random.chance(needed ? wildness / 4 : 0.4)) continue;
    entries.push(`${quoted(key)}:${likeSchema(random, property, wildness, known, key)}`);
    if (random.chance(wildness / 10)) entries.push(`${quoted(key)}:${oddJson(random)}`);
  }
  if (random.chance(wildness / 2)) entries.push(oddEntry(random, 1));
  return `{${entries.join(",")}}`;
}

function numberLike(random: Random, { minimum = 0, maximum = 1_000_000 }: Schema, known?: Known[string]) {
  if (known && known.length > 0 && random.chance(0.8)) return JSON.stringify(random.pick(known));
  const least = Math.max(minimum, -1_000_000);
  return String(random.pick([least, Math.min(maximum, least + random.below(100)), maximum]));
}

const USUAL: readonly [RegExp, readonly string[]][] = [
  [/e-?mail/i, ["ana@exemplo.com.br", "USER@Exemplo.com", "usér@ex.com", "a@b", "semarroba"]],
  [
    /^(number|phone|deviceId)$/,
    ["11987654321", "+55 11 98765-4321", "5511987654321", "+1 415 555 2671", "190"],
  ],
  [/url$|^webhook$/i, ["https://exemplo.com.br/webhook", "http://10.0.0.1", "https://a.invalid/x?y=1"]],
  [/zone/i, ["America/Sao_Paulo", "America/Manaus", "UTC"]],
  [/instanceName/, ["loja", "loja-2", "a/b", "São Paulo"]],
  [/date$|^from$|^to$|^local$|^at$/i, ["2026-11-30", "2027-02-28T10:30", "2026-12-01T09:00", "2020-01-01"]],
  [/jsonText|^text$|^message$|^content$/, ["Olá {{nome}}", '[{"name":"Ana","phone":"11987654321"}]', "Oi"]],
];

export function textLike(random: Random, schema: Schema, name: string, known: Known): string {
  const mine = known[name];
  if (mine && mine.length > 0 && random.chance(0.8)) return String(random.pick(mine));
  const usual = USUAL.find(([pattern]) => pattern.test(name))?.[1];
  if (usual && random.chance(0.6)) return random.pick(usual);
  if (schema.format === "date") return "2026-11-30";
  if (/^\^\[1-9\]/.test(schema.pattern ?? "")) return String(1 + random.below(50));
  if (/password/i.test(name))
    return random.pick(["girassol no quintal", "senha123", "curta", "x".repeat(128)]);
  if (random.chance(0.5)) return random.pick(["Loja", "Clientes", "Ana", "Campanha de Natal"]);
  const length = schema.maxLength ?? 0;
  if (length > 0 && length <= 20_000 && random.chance(0.1)) return "a".repeat(length + random.below(2));
  return oddText(random);
}
