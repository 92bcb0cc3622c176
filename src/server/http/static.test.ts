import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { isScreen } from "../../contract/screens.ts";
import { createApp } from "./app.ts";
import type { Authenticate, Caller } from "./session-guard.ts";
import { mountStatic } from "./static.ts";

const { db } = await testDatabase();
const dist = fs.mkdtempSync(path.join(os.tmpdir(), "recado-dist-"));
afterAll(() => fs.rmSync(dist, { recursive: true }));
for (const [language, words] of [
  ["pt-BR", "Olá"],
  ["en", "Hello"],
] as const) {
  const assets = path.join(dist, language, "assets", language);
  fs.mkdirSync(assets, { recursive: true });
  fs.writeFileSync(
    path.join(dist, language, "index.html"),
    `<!doctype html><head></head><p>Recado: ${words}</p>`,
  );
  fs.writeFileSync(path.join(dist, language, "favicon.svg"), "<svg/>");
  const script = `export const a = "${words}";\n`.repeat(100);
  fs.writeFileSync(path.join(assets, "main-abc123.js"), script);
  fs.writeFileSync(path.join(assets, "main-abc123.js.br"), brotliCompressSync(script));
}

function appWith(folder: string, authenticate: Authenticate = async () => null) {
  const app = createApp({
    db,
    log: testLog,
    authenticate,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountStatic(app, folder);
  return (place: string, init: RequestInit = {}) => app.hono.request(`http://localhost${place}`, init);
}
const ask = appWith(dist);

test.each(["/", "/login", "/chatbot/7"])(
  "%s is the page, whose router knows what it means",
  async (place) => {
    const answer = await ask(place);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    expect(await answer.text()).toContain("Recado");
  },
);

test("26.16 the door leads who is signed in to the dashboard, and shows itself to all others", async () => {
  const caller: Caller = { via: "session", accountId: "a", sessionId: "s" } as Caller;
  const signedIn = appWith(dist, async () => caller);
  const over = appWith(dist, async () => null);
  const broken = appWith(dist, async () => {
    throw new Error("no database");
  });
  const headers = { cookie: "recado.session_token=abc" };
  for (const place of ["/login", "/signup", "/login?redirect=%2F%2Felsewhere.example"]) {
    const answer = await signedIn(place, { headers });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await signedIn(place)).status, "without a cookie the session is not looked up").toBe(200);
    expect((await over(place, { headers })).status).toBe(200);
    expect((await broken(place, { headers })).status).toBe(200);
  }
  expect((await signedIn("/termos", { headers })).status).toBe(200);
});

test("what carries its hash in its name is kept for ever, compressed where the browser can read that", async () => {
  const answer = await ask("/assets/pt-BR/main-abc123.js", { headers: { "accept-encoding": "br, gzip" } });
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("content-encoding")).toBe("br");
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBeLessThan(200);
  expect(brotliDecompressSync(bytes).toString()).toContain("export const a");
  expect((await (await ask("/assets/pt-BR/main-abc123.js")).text()).length).toBe(2_400);
});

test("the page is in the browser's chosen language, in Portuguese without one @decision 16", async () => {
  const pageFor = async (cookie: string) => {
    const answer = await ask("/login", { headers: { cookie, "accept-language": "en-US,en;q=0.9" } });
    return [(await answer.text()).match(/Recado: (\S+)</)?.[1], answer.headers.get("set-cookie")];
  };
  const remembered = "language=pt-BR; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly";
  expect(await pageFor("")).toEqual(["Olá", remembered]);
  expect(await pageFor("language=tlh; recado.session_token=x")).toEqual(["Olá", remembered]);
  expect(await pageFor("language=pt-BR")).toEqual(["Olá", null]);
  expect(await pageFor("recado.session_token=x; language=en")).toEqual(["Hello", null]);
});

test("no cache gives one language's page to the other, and each finds the files of both", async () => {
  const portuguese = await ask("/");
  expect(portuguese.headers.get("vary")).toBe("accept-encoding, cookie");
  const etag = portuguese.headers.get("etag") ?? "";
  const switched = await ask("/", { headers: { cookie: "language=en", "if-none-match": etag } });
  expect([switched.status, await switched.text()]).toEqual([
    200,
    expect.stringContaining("<p>Recado: Hello</p>"),
  ]);
  const unchanged = await ask("/", { headers: { cookie: "language=pt-BR", "if-none-match": etag } });
  expect([unchanged.status, unchanged.headers.get("vary")]).toEqual([304, "accept-encoding, cookie"]);
  for (const language of ["pt-BR", "en"]) {
    const file = await ask(`/assets/${language}/main-abc123.js`, { headers: { cookie: "language=en" } });
    expect([file.status, file.headers.get("vary")]).toEqual([200, "accept-encoding"]);
    expect(await file.text()).toContain(language === "en" ? "Hello" : "Olá");
  }
  expect((await ask("/favicon.svg")).headers.get("vary")).toBe("accept-encoding");
});

test("an etag that still holds is answered without the file", async () => {
  const etag = (await ask("/")).headers.get("etag") ?? "";
  const again = await ask("/", { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test.each(["/assets/gone.js", "/index.html", "/favicon.ico", "/assets/../../package.json", "/.env"])(
  "%s is no page: 404",
  async (place) => {
    expect((await ask(place)).status).not.toBe(200);
  },
);

test("only GET and HEAD ask for a page", async () => {
  expect((await ask("/", { method: "POST" })).status).toBe(404);
  expect((await ask("/", { method: "HEAD" })).status).toBe(200);
});

test("a page that is not built is said in words", async () => {
  const answer = await appWith(path.join(dist, "nowhere"))("/login");
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("npm run build");
});

const signedIn = { headers: { cookie: "language=pt-BR; recado.session_token=x" } };

test("26.20 a path that is no screen's is the page with status 404, also where the browser has it already", async () => {
  for (const place of ["/nao-existe", "/chatbot/7/8", "/chatbot/", "/campanhas/7", "/%22%3E%3Cscript%3E"]) {
    const answer = await ask(place, signedIn);
    const isPage = [answer.status, answer.headers.get("content-type")];
    expect(isPage, place).toEqual([place === "/chatbot/" ? 200 : 404, "text/html; charset=utf-8"]);
    if (answer.status === 200) continue;
    const known = { headers: { "if-none-match": answer.headers.get("etag") ?? "" } };
    expect((await ask(place, known)).status).toBe(404);
  }
  for (const place of ["/chatbot/7", "/chatbot/7/", "/?campanha=3", "/descadastrar/abc"])
    expect((await ask(place, signedIn)).status, place).toBe(200);
});

test("26.20 the page says that the browser holds no session, and to a signed-in person nothing of it", async () => {
  const mark = '<meta name="session" content="none">';
  expect(await (await ask("/login")).text()).toContain(mark);
  expect(await (await ask("/")).text()).toContain(mark);
  expect(await (await ask("/", signedIn)).text()).not.toContain(mark);
});

test("slashes at the end change nothing, and any number of them cost no more than reading them", () => {
  expect(isScreen("/chat//")).toBe(true);
  expect(isScreen(`/${"/".repeat(400_000)}x`)).toBe(false);
});
