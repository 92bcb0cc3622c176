import { sql } from "kysely";
import pino from "pino";
import { expect, test } from "vitest";
import { z } from "zod";
import { testDatabase } from "../../../tests/support/database.ts";
import { unhurried } from "../../../tests/support/waiting.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { createApp } from "./app.ts";
import { mount } from "./mount.ts";

const { db } = await testDatabase();
const ACCOUNT = "6f0d2f6e-6a35-4f63-9a52-4f0f3b9c1d11";

const app = createApp({
  db,
  log: pino({ level: "silent" }),
  publicOrigin: null,
  trustedProxies: 0,
  authenticate: async (request) => {
    if (request.headers.get("cookie") === "session=ok")
      return { accountId: ACCOUNT, via: "session", sessionId: "1" };
    if (request.headers.get("authorization") === "Bearer good")
      return { accountId: ACCOUNT, via: "key", keyName: "k", scope: "all" };
    return null;
  },
});

mount(
  app,
  endpoint({
    method: "POST",
    path: "/api/wide",
    summary: "",
    access: "user",
    body: z.object({ things: z.array(z.unknown()) }),
    answer: z.object({ count: z.number() }),
  }),
  ({ body }) => ({ count: body.things.length }),
);

let itemsLookedAt = 0;
const CountedItem = z.unknown().refine(() => {
  itemsLookedAt += 1;
  return false;
});
mount(
  app,
  endpoint({
    method: "POST",
    path: "/api/counted",
    summary: "",
    access: "user",
    body: z.object({ items: z.array(CountedItem).max(100) }),
    answer: z.object({ count: z.number() }),
  }),
  ({ body }) => ({ count: body.items.length }),
);

const Note = z.object({ title: z.string().min(1).max(5), count: z.number().int().min(0).optional() });

mount(
  app,
  endpoint({
    method: "GET",
    path: "/api/notes/{id}",
    summary: "",
    access: "key",
    params: z.object({ id: z.string().regex(/^\d+$/) }),
    query: z.object({ page: z.coerce.number().int().min(1).default(1) }),
    answer: z.object({ id: z.string(), page: z.number() }),
  }),
  ({ params, query }) => {
    if (params.id === "9") throw new AppError("not_found");
    return { id: params.id, page: query.page, secret: "not in the answer's schema" };
  },
);
mount(
  app,
  endpoint({
    method: "POST",
    path: "/api/notes",
    summary: "",
    access: "user",
    body: Note,
    answer: Note,
    status: 201,
    maxBody: 2_000,
  }),
  ({ body }) => body,
);
mount(
  app,
  endpoint({
    method: "PUT",
    path: "/api/raw",
    summary: "",
    access: "user",
    body: "raw",
    answer: z.object({ bytes: z.number() }),
    maxBody: 1_000,
  }),
  async ({ body }) => {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.byteLength;
    return { bytes };
  },
);
mount(
  app,
  endpoint({ method: "GET", path: "/api/broken", summary: "", access: "public", answer: z.object({}) }),
  () => {
    throw new Error("secret of the inside");
  },
);

mount(
  app,
  endpoint({ method: "GET", path: "/api/race", summary: "", access: "public", answer: z.object({}) }),
  async () => {
    const both = Promise.withResolvers<void>();
    let held = 0;
    const lock = (first: number, second: number) =>
      unhurried(db, async (tx) => {
        await sql`select pg_advisory_xact_lock(${first})`.execute(tx);
        held += 1;
        if (held === 2) both.resolve();
        await both.promise;
        await sql`select pg_advisory_xact_lock(${second})`.execute(tx);
      });
    await Promise.all([lock(1, 2), lock(2, 1)]);
    return {};
  },
);

mount(
  app,
  endpoint({
    method: "POST",
    path: "/api/bare",
    summary: "",
    access: "user",
    answer: z.object({ done: z.boolean() }),
  }),
  () => ({ done: true }),
);

type Init = { method?: string; headers?: Record<string, string>; body?: BodyInit; duplex?: "half" };
const signedIn = { cookie: "session=ok" };
const json = { ...signedIn, "content-type": "application/json" };

async function ask(path: string, init: Init = {}) {
  const response = await app.hono.request(`http://localhost${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : null };
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  ask("/api/notes", { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

test("a good request gets the promised answer and nothing beyond it", async () => {
  expect((await ask("/api/notes/7?page=2", { headers: signedIn })).body).toEqual({ id: "7", page: 2 });
  const made = await post({ title: "abc" });
  expect([made.status, made.body]).toEqual([201, { title: "abc" }]);
});

test("without a session 401; an API key opens only its endpoints", async () => {
  expect((await ask("/api/notes/7")).body).toEqual({
    code: "unauthenticated",
    error: "Entre na sua conta para continuar.",
  });
  expect((await ask("/api/notes/7", { headers: { authorization: "Bearer good" } })).status).toBe(200);
  expect((await ask("/api/notes/7", { headers: { authorization: "Bearer bad" } })).status).toBe(401);
  const asKey = {
    method: "POST",
    headers: { authorization: "Bearer good", "content-type": "application/json" },
    body: "{}",
  };
  expect((await ask("/api/notes", asKey)).body.code).toBe("forbidden_scope");
});

test("A24 a key in the address is refused, even beside a valid session", async () => {
  const { status, body } = await ask("/api/notes/7?api_key=good", { headers: signedIn });
  expect([status, body.error]).toEqual([
    400,
    "Não envie a chave no endereço: use o cabeçalho Authorization: Bearer.",
  ]);
  for (const name of ["API_KEY", "Token", "Authorization"])
    expect((await ask(`/api/notes/7?${name}=good`, { headers: signedIn })).body.code).toBe("key_in_query");
});

test("H01 another site's Origin is refused before anything is read", async () => {
  expect((await post({ title: "a" }, { origin: "https://evil.example" })).body.code).toBe("forbidden_origin");
  expect((await post({ title: "a" }, { origin: "null" })).status).toBe(403);
  expect((await post({ title: "a" }, { origin: "http://localhost", host: "localhost" })).status).toBe(201);
});

test("H02 Sec-Fetch-Site of another site is refused", async () => {
  expect((await post({ title: "a" }, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post({ title: "a" }, { "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await post({ title: "a" }, { "sec-fetch-site": "same-origin" })).status).toBe(201);
});

test.each([
  ["H03 JSON as text/plain", "text/plain"],
  ["H04 a form", "application/x-www-form-urlencoded"],
  ["a multipart form", "multipart/form-data; boundary=x"],
])("%s is 415", async (_, type) => {
  expect((await post({ title: "a" }, { "content-type": type })).status).toBe(415);
});

test("H04 a form is 415 where nothing is to be sent along as well: another site's page could send it unasked", async () => {
  const bare = (headers: Record<string, string>, body?: string) =>
    ask("/api/bare", { method: "POST", headers: { ...signedIn, ...headers }, ...(body ? { body } : {}) });
  const form = { "content-type": "application/x-www-form-urlencoded", "content-length": "3" };
  expect((await bare(form, "a=b")).status).toBe(415);
  expect((await bare({})).body).toEqual({ done: true });
});

test("H06 a preflight gets no permission", async () => {
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  const answer = await ask("/api/notes", { method: "OPTIONS", headers });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("H07 an id that cannot exist answers with the same bytes as one that is missing", async () => {
  const missing = await ask("/api/notes/9", { headers: signedIn });
  for (const id of ["abc", "1e99", "%00", "-1", "1;drop", "%2e%2e%2f1"]) {
    const odd = await ask(`/api/notes/${id}`, { headers: signedIn });
    expect([id, odd.status, odd.text]).toEqual([id, 404, missing.text]);
  }
});

test("H15 fields that the endpoint does not know are refused and named", async () => {
  const { status, body } = await post({ title: "a", accountId: ACCOUNT });
  expect([status, body.fields]).toEqual([422, { accountId: "Campo desconhecido." }]);
});

test("field errors are in Portuguese, all at once", async () => {
  const { body } = await post({ title: "longer than five", count: 1.5 });
  expect(body).toEqual({
    code: "invalid_fields",
    error: "Confira os campos destacados.",
    fields: { title: "Use no máximo 5 caracteres.", count: "Use um número inteiro." },
  });
  expect((await post({})).body.fields).toEqual({ title: "Preencha este campo." });
  expect((await post([])).body.fields).toEqual({ "": "Valor de tipo errado." });
});

test.each(["-1", "0", "1e400", "abc", "1.5"])("H16 page=%s is refused", async (page) => {
  expect((await ask(`/api/notes/7?page=${page}`, { headers: signedIn })).status).toBe(422);
});

test("H17 an unsupported order is refused and named, not ignored", async () => {
  const { status, body } = await ask("/api/notes/7?sort=id;drop", { headers: signedIn });
  expect([status, body.fields]).toEqual([422, { sort: "Campo desconhecido." }]);
});

test("H18 a repeated query parameter is 400, whichever value would win", async () => {
  expect((await ask("/api/notes/7?page=1&page=2", { headers: signedIn })).status).toBe(400);
});

test("malformed JSON, an empty body and bytes that are no UTF-8 are 400", async () => {
  for (const body of ["{", "", "{'a':1}", new Uint8Array([0x22, 0xff, 0x22])]) {
    expect((await ask("/api/notes", { method: "POST", headers: json, body })).status).toBe(400);
  }
  expect(
    (await ask("/api/notes", { method: "POST", headers: json, body: `${"[".repeat(900)}${"]".repeat(900)}` }))
      .status,
  ).toBe(400);
});

test("T10 NUL and lone surrogates are refused by field", async () => {
  for (const title of ["a\\u0000", "\\ud800"]) {
    const { status, body } = await ask("/api/notes", {
      method: "POST",
      headers: json,
      body: `{"title":"${title}"}`,
    });
    expect([status, body.fields]).toEqual([422, { title: "O texto contém caracteres inválidos." }]);
  }
});

test("27.4 F3 a body of more parts than any form has is 413, before it is walked", async () => {
  const wide = (body: string) => ask("/api/wide", { method: "POST", headers: json, body });
  for (const part of ["0,", "{},", "[],"]) {
    const answer = await wide(`{"things":[${part.repeat(25_000)}0]}`);
    expect([answer.status, answer.body.code], part).toEqual([413, "payload_too_large"]);
  }
  expect((await wide(`{"things":[${"0,".repeat(1_000)}0]}`)).status).toBe(200);
  // Long texts are not parts.
  expect((await wide(`{"things":["${"muito texto ".repeat(20_000)}"]}`)).status).toBe(200);
  const late = await wide(`{"things":["a",{"b":["c","\\u0000"]}]}`);
  expect([late.status, late.body.fields]).toEqual([
    422,
    { "things.1.b.1": "O texto contém caracteres inválidos." },
  ]);
});

test("27.4 F3 of a list that is too long no item is looked at", async () => {
  const { status, body } = await ask("/api/counted", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ items: Array.from({ length: 1_500 }, () => 0) }),
  });
  expect([status, Object.keys(body.fields ?? {}), itemsLookedAt]).toEqual([422, ["items"], 0]);
});
test("27.4 F3 a field's name of any length is not read out to its caller", async () => {
  const longest = async (things: string) => {
    const answer = await ask("/api/wide", { method: "POST", headers: json, body: things });
    expect(answer.status).toBe(422);
    return Math.max(...Object.keys(answer.body.fields ?? {}).map(({ length }) => length));
  };
  const name = "nome".repeat(10_000);
  expect(await longest(JSON.stringify({ things: [], [name]: 1 }))).toBe(200);
  expect(await longest(JSON.stringify({ things: [{ [name]: "\0" }] }))).toBe(200);
});
test("27.4 F3 an answer names at most 20 fields", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`campo${at}`, 1]));
  const { status, body } = await ask("/api/wide", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ things: [], ...unknown }),
  });
  expect([status, Object.keys(body.fields ?? {}).length]).toEqual([422, 20]);
});

function endlessBody(): { stream: ReadableStream<Uint8Array>; sent: () => number } {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 500;
      controller.enqueue(new Uint8Array(500).fill(0x20));
    },
  });
  return { stream, sent: () => sent };
}

test.each(["/api/notes", "/api/raw"])("413 at %s while streaming: the rest is never read", async (path) => {
  const { stream, sent } = endlessBody();
  const method = path === "/api/raw" ? "PUT" : "POST";
  const answer = await ask(path, { method, headers: json, body: stream, duplex: "half" });
  expect([answer.status, answer.body.code]).toEqual([413, "payload_too_large"]);
  expect(sent()).toBeLessThan(10_000);
});

test("a declared length over the limit is 413 at once; a compressed body is 415", async () => {
  expect((await post({ title: "a" }, { "content-length": "999999999" })).status).toBe(413);
  expect((await post({ title: "a" }, { "content-encoding": "gzip" })).status).toBe(415);
});

test("H20 a method override is not obeyed", async () => {
  const headers = { ...json, "x-http-method-override": "DELETE" };
  const answer = await ask("/api/notes?_method=DELETE", { method: "POST", headers, body: '{"title":"a"}' });
  expect(answer.status).toBe(201);
});

test("H21 an unknown path is a JSON 404, a wrong method a 405 that names the right ones", async () => {
  const unknown = await ask("/api/nothing", { headers: signedIn });
  expect([unknown.status, unknown.body.code]).toEqual([404, "not_found"]);
  const wrong = await ask("/api/notes/7", { method: "DELETE", headers: signedIn });
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("H23 a giant address is 414", async () => {
  expect((await ask(`/api/notes/${"1".repeat(100_000)}`)).status).toBe(414);
});

test("HEAD answers as GET, without a body", async () => {
  const answer = await ask("/api/notes/7", { method: "HEAD", headers: signedIn });
  expect([answer.status, answer.text]).toEqual([200, ""]);
});

test("an unforeseen error is a 500 without a word of what is inside", async () => {
  const { status, text } = await ask("/api/broken");
  expect([status, text.includes("secret")]).toEqual([500, false]);
});

test("a request that loses a race for locks is asked to retry", async () => {
  const { status, headers, body } = await ask("/api/race");
  expect([status, headers.get("retry-after"), body.code]).toEqual([503, "5", "unavailable"]);
});

test("every answer carries the same safe headers, errors too", async () => {
  for (const path of ["/api/notes/7", "/api/nothing", "/api/broken"]) {
    const { headers } = await ask(path);
    expect(headers.get("content-security-policy")).toContain("script-src 'self';");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});
