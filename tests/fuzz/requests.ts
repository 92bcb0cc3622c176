import fs from "node:fs";
import path from "node:path";
import { type ZodType, z } from "zod";
import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import { type Random, randomFrom } from "./random.ts";
import { type Known, likeSchema, oddJson, oddText, type Schema, textLike } from "./values.ts";

/** `path` is percent-encoded. */
export type FuzzRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
};

export type Caller = {
  cookie: string;
  apiKey: string;
  known: Known;
  rows: readonly Readonly<Record<string, string | number>>[];
  hook: Record<string, string>;
};

export const keyOf = ({ method, path }: EndpointSpec) => `${method} ${path}`;

const schemas = new Map<ZodType, Schema>();

function schemaOf(type: ZodType): Schema {
  const known = schemas.get(type);
  if (known) return known;
  const made = z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as Schema;
  schemas.set(type, made);
  return made;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND"];
const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "text/csv",
  "image/png",
  "image/jpeg",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "application/octet-stream",
  "application/json; charset=utf-16",
  "APPLICATION/JSON",
  "x",
  "application/xml",
];
const IDS = [
  "0",
  "-1",
  "1",
  "2",
  "999999999999999",
  "9007199254740993",
  "1e0",
  "1e99",
  "0x1",
  "1.0",
  "1,2",
  "null",
  "%00",
  "1%00",
  "%2e%2e",
  "..%2F1",
  "%ff",
  "%",
  "%zz",
  "%F0%9F%90%9D",
  "a%20b",
  "%27%20or%201%3D1",
  "00000000-0000-4000-8000-000000000000",
  "ag:atendente",
  "__proto__",
  "x".repeat(400),
  "%2F%2F",
  ";a=b",
];

export function requestFor(route: EndpointSpec, seed: string, number: number, caller: Caller): FuzzRequest {
  const random = randomFrom(`${seed} ${keyOf(route)} ${number}`);
  const method = random.chance(0.03) ? random.pick(METHODS) : route.method;
  const target = address(random, route, caller);
  const headers = headersOf(random, route, caller);
  if (method === "GET" || method === "HEAD") return { method, path: target, headers, body: null };
  const wanted = route.body ?? null;
  const body = wanted || random.chance(0.1) ? bodyOf(random, route, caller.known) : null;
  if (body !== null) headers["content-type"] = typeOf(random, wanted);
  if (random.chance(0.01)) headers["content-encoding"] = random.pick(["gzip", "br", "identity", "x"]);
  return { method, path: target, headers, body };
}

function address(random: Random, route: EndpointSpec, { known, rows }: Caller): string {
  const row = rows.length > 0 && random.chance(0.8) ? random.pick(rows) : {};
  const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = row[name];
    if (value !== undefined && random.chance(0.9)) return encodeURIComponent(String(value));
    return random.chance(0.7) ? random.pick(IDS) : segment(oddText(random).slice(0, 1_000));
  });
  const query = queryOf(random, route, known);
  const target = random.chance(0.02)
    ? `${filled}${random.pick(["/", "//", "/x", "%00", "/..", ".json", ";x"])}`
    : filled;
  return query === "" ? target : `${target}?${query}`;
}

const segment = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll(".", "%2e") || "0";

function queryOf(random: Random, { query }: EndpointSpec, known: Known): string {
  const parts: string[] = [];
  const properties = Object.entries((query && schemaOf(query).properties) ?? {});
  for (const [name, property] of properties) {
    if (random.chance(0.4)) continue;
    parts.push(`${name}=${queryValue(random, property, name, known)}`);
    if (random.chance(0.02)) parts.push(`${name}=${segment(oddText(random).slice(0, 100))}`);
  }
  if (random.chance(0.03))
    parts.push(random.pick(["token=x", "api_key=x", "__proto__=1", "=", "&&", "a[b]=1", "%", "x"]));
  return parts.join("&");
}

function queryValue(random: Random, property: Schema, name: string, known: Known): string {
  if (random.chance(0.3)) return segment(oddText(random).slice(0, 3_000));
  if (property.enum) return encodeURIComponent(String(random.pick(property.enum)));
  const type = property.anyOf ? "string" : property.type;
  if (type === "integer")
    return random.pick(["0", "1", "-1", "100", "501", "1e9", "abc", String(property.maximum)]);
  return segment(textLike(random, property.anyOf?.[0] ?? property, name, known));
}

const COOKIES = [
  "recado.session_token=abc.def",
  "a",
  ";;",
  "=".repeat(9_000),
  "recado.session_token=",
  "recado.session_token",
  ...[
    "%",
    "%ff",
    "%00",
    "%E0%A4%A",
    "a.%",
    "%22",
    '"',
    "a.b.c",
    ".",
    `${"A".repeat(32)}.${"A".repeat(43)}%3D`,
  ].map((value) => `recado.session_token=${value}`),
  "recado.session_data=e30; recado.session_token=x.y",
  "recado.session_token=a; recado.session_token=b",
  "language=x",
  "language=en; language=pt-BR",
  "language=%",
  "__proto__=1",
  "recado.session_token=a\tb",
];

function headersOf(random: Random, route: EndpointSpec, caller: Caller): Record<string, string> {
  const headers: Record<string, string> = route.path.startsWith("/hooks/") ? { ...caller.hook } : {};
  const who = random.next();
  if (who < 0.9) headers.cookie = caller.cookie;
  else if (who < 0.95) headers.authorization = `Bearer ${caller.apiKey}`;
  else if (who < 0.97) headers.cookie = random.pick(COOKIES);
  if (random.chance(0.02))
    headers.authorization = random.pick(["Bearer", "Bearer rcd_1_x", "Basic YTpi", "x"]);
  if (random.chance(0.02))
    headers.origin = random.pick(["https://evil.example", "null", "http://localhost", "x"]);
  if (random.chance(0.02))
    headers["sec-fetch-site"] = random.pick(["cross-site", "same-origin", "none", "x"]);
  if (random.chance(0.05))
    headers["accept-language"] = random.pick(["en", "pt-BR", "*", ";q=", "en;q=0", "x".repeat(2_000)]);
  if (random.chance(0.02))
    headers["x-forwarded-for"] = random.pick(["1.2.3.4", "x", "::1, 1.1.1.1", ",".repeat(500)]);
  if (random.chance(0.02)) headers["x-http-method-override"] = "DELETE";
  if (random.chance(0.02)) headers["if-none-match"] = random.pick(["*", '"x"', "W/"]);
  if (random.chance(0.02)) headers.range = random.pick(["bytes=0-0", "bytes=9-1", "x"]);
  return headers;
}

function typeOf(random: Random, wanted: EndpointSpec["body"] | null): string {
  if (wanted === "raw") return random.pick([...TYPES, "text/csv", "text/csv", "image/png", "image/jpeg"]);
  return random.chance(0.92) ? "application/json" : random.pick(TYPES);
}

function bodyOf(random: Random, route: EndpointSpec, known: Known): FuzzRequest["body"] {
  const wanted = route.body ?? null;
  if (wanted === "raw") return route.path.startsWith("/hooks/") ? hookBody(random, known) : rawBody(random);
  const dice = random.next();
  if (dice < 0.04) return bytes(random);
  const text = wanted
    ? likeSchema(random, schemaOf(wanted), random.pick([0, 0, 0.05, 0.2, 0.5]), known)
    : oddJson(random);
  if (dice < 0.08) return text.slice(0, random.below(text.length + 1));
  if (dice < 0.1)
    return `${random.pick(["\uFEFF", "//", "[", " "])}${text}${random.pick([",", "}", "\0", ""])}`;
  if (dice < 0.12) return oddJson(random);
  if (dice < 0.121) return `{"a":"${"x".repeat(1_100_000)}"}`;
  return text;
}

function hookBody(random: Random, known: Known): FuzzRequest["body"] {
  if (random.chance(0.2)) return rawBody(random);
  const event = { ...random.pick(RECORDED), instance: random.pick(known.instance ?? ["x"]) };
  const wildness = random.pick([0, 0.02, 0.1, 0.3]);
  const text = JSON.stringify(event, (_, value: unknown) => (random.chance(wildness) ? HOLE : value));
  return (text ?? "null").replaceAll(`"${HOLE}"`, () => oddJson(random));
}

const HOLE = "\u2603";
const RECORDED = [
  "07b-webhook-payloads-evolution-channel.json",
  "09d-webhook-payloads-baileys-simulator.json",
]
  .map((file) => fs.readFileSync(path.join(import.meta.dirname, "../recordings/evolution-api", file), "utf8"))
  .flatMap((text) => (JSON.parse(text) as { body: Record<string, unknown> }[]).map(({ body }) => body));

const BEGINNINGS = [
  "",
  "\uFEFF",
  "sep=;\n",
  "name;phone\n",
  "Nome,Telefone\r\n",
  "name\tphone\n",
  "PK\u0003\u0004",
  "<svg/>",
  '{"event":"messages.upsert","instance":"x","data":',
  '{"event":',
  "[",
  "%PDF-",
  "GIF89a",
  "<!doctype html>",
];
const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52,
]);
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46]);

const DOT = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
const NOTHING = new Uint8Array();

function rawBody(random: Random): FuzzRequest["body"] {
  const dice = random.next();
  if (dice < 0.25) return bytes(random);
  if (dice < 0.4) return joined(random.pick([PNG, JPEG, DOT]), random.chance(0.3) ? NOTHING : bytes(random));
  if (dice < 0.6) return `${random.pick(BEGINNINGS)}${oddJson(random)}`;
  const rows = Array.from({ length: random.below(6) }, () => {
    const cell = () => (random.chance(0.5) ? oddText(random).slice(0, 200) : "11987654321");
    return Array.from({ length: 1 + random.below(3) }, cell).join(random.pick([";", ",", "\t"]));
  });
  return `${random.pick(BEGINNINGS)}${rows.join(random.pick(["\n", "\r\n", "\r"]))}`.toWellFormed();
}

function bytes(random: Random): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: random.below(300) }, () => random.below(256));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
