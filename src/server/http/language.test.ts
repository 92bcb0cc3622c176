import { expect, test } from "vitest";
import { z } from "zod";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { endpoint } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import { createApp } from "./app.ts";
import { languageOf } from "./language.ts";
import { mount } from "./mount.ts";
import { mountSystem } from "./system.ts";
import { textStream } from "./text-stream.ts";

const { db } = await testDatabase();
const app = createApp({
  db,
  log: testLog,
  authenticate: async () => null,
  publicOrigin: "https://recado.example",
  trustedProxies: 0,
});
mountSystem(app, {
  token: null,
  health: async () => Promise.reject(new AppError("unavailable")),
  hold: async () => null,
  diskLow: async () => false,
  idle: async () => false,
  version: "1.0.0",
  sessionCookie: "__Host-recado.session_token",
});
const thing = endpoint({
  method: "POST",
  path: "/api/thing",
  summary: "A thing",
  access: "public",
  body: z.strictObject({ name: z.string().min(3) }),
  answer: z.object({}),
});
mount(app, thing, () => ({}));
mount(app, { ...thing, method: "GET", body: undefined, path: "/api/file", answer: "stream" }, () => {
  async function* lines() {
    for (const status of ["read", "error"] as const) {
      await new Promise((resolve) => setImmediate(resolve));
      yield `${words().deliveryName(status, null)}\n`;
    }
  }
  return textStream(lines(), {});
});

const ask = (path: string, headers: Record<string, string>, body?: unknown, method = "POST") =>
  app.hono.request(`https://recado.example${path}`, {
    method: body === undefined ? "GET" : method,
    headers: { origin: "https://recado.example", "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

test.each([
  [{}, "pt-BR"],
  [{ "accept-language": "*" }, "pt-BR"],
  [{ "accept-language": "en" }, "en"],
  [{ "accept-language": "en-US,en;q=0.9" }, "en"],
  [{ "accept-language": "de-DE,de;q=0.9,en;q=0.8,pt;q=0.7" }, "en"],
  [{ "accept-language": "de,en;q=0.3,pt-PT;q=0.7" }, "pt-BR"],
  [{ "accept-language": "en;q=0" }, "pt-BR"],
  [{ "accept-language": ";;q=,,en;q=x,\u00e7" }, "pt-BR"],
  [{ "accept-language": "enx, ptx" }, "pt-BR"],
  [{ "accept-language": "en", cookie: "language=pt-BR" }, "pt-BR"],
  [{ "accept-language": "pt-BR", cookie: "a=b; language=en" }, "en"],
  [{ "accept-language": "en", cookie: "language=<script>" }, "en"],
] as [Record<string, string>, string][])("%j is answered in %s", (headers, language) => {
  expect(languageOf(new Request("http://x/", { headers }))).toBe(language);
});

test("an error and its field errors are in the caller's language", async () => {
  const said = async (headers: Record<string, string>) =>
    (await ask("/api/thing", headers, { name: "x" })).json();
  expect(await said({})).toEqual({
    code: "invalid_fields",
    error: "Confira os campos destacados.",
    fields: { name: "Use pelo menos 3 caracteres." },
  });
  expect(await said({ "accept-language": "en" })).toEqual({
    code: "invalid_fields",
    error: "Check the highlighted fields.",
    fields: { name: "Use at least 3 characters." },
  });
  expect(await (await ask("/api/nothing", { cookie: "language=en" })).json()).toEqual({
    code: "not_found",
    error: "Not found.",
  });
  expect(await (await ask("/api/health", { cookie: "language=en" })).json()).toMatchObject({
    error: "The service is unavailable at the moment. Try again shortly.",
  });
});

test("the description of the interface is in the caller's language", async () => {
  const page = async (headers: Record<string, string>) => (await ask("/api/docs", headers)).text();
  expect(await page({})).toMatch(/<html lang="pt-BR">.*API do Recado.*Aberto a todos/s);
  expect(await page({ cookie: "language=en" })).toMatch(/<html lang="en">.*Recado API.*Open to everybody/s);
});

test("27.4 F2 the description is made once: asked for again with its etag nothing is sent", async () => {
  for (const place of ["/api/docs", "/api/openapi.json"]) {
    const first = await ask(place, { "accept-encoding": "gzip" });
    const etag = first.headers.get("etag") ?? "";
    expect([first.status, first.headers.get("content-encoding"), etag]).toEqual([
      200,
      "gzip",
      expect.stringMatching(/^".+"$/),
    ]);
    expect((await ask(place, { "if-none-match": etag })).status, place).toBe(304);
    const english = await ask(place, { cookie: "language=en" });
    expect(english.headers.get("etag"), place).not.toBe(etag);
  }
});

test("a file that is read while it is sent stays in the language it was asked for in", async () => {
  const [english, portuguese] = await Promise.all([
    ask("/api/file", { "accept-language": "en" }),
    ask("/api/file", {}),
  ]);
  expect([await english.text(), await portuguese.text()]).toEqual(["Read\nError\n", "Lido\nErro\n"]);
});

test("the choice is kept in a cookie of ours, and no other value is", async () => {
  const answer = await ask("/api/language", {}, { language: "en" }, "PUT");
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([
    204,
    "language=en; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly; Secure",
  ]);
  const refused = await ask("/api/language", {}, { language: "tlh" }, "PUT");
  expect([refused.status, refused.headers.get("set-cookie")]).toEqual([422, null]);
  const foreign = await ask("/api/language", { origin: "https://evil.example" }, { language: "en" }, "PUT");
  expect([foreign.status, foreign.headers.get("set-cookie")]).toEqual([403, null]);
});
