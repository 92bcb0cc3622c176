import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { createApp } from "./app.ts";
import { screenShown } from "./first-files.ts";
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
  fs.writeFileSync(path.join(dist, language, "index.html"), `<!doctype html><p>Recado: ${words}</p>`);
  fs.writeFileSync(path.join(dist, language, "favicon.svg"), "<svg/>");
  fs.writeFileSync(path.join(assets, "main-abc123.js"), `export const a = "${words}";\n`.repeat(100));
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

test.each(["/", "/login", "/campanhas/7", "/nao-existe"])(
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
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBeLessThan(200);
  expect(gunzipSync(bytes).toString()).toContain("export const a");
  expect((await (await ask("/assets/pt-BR/main-abc123.js")).text()).length).toBe(2_400);
});

test("the page is in the browser's chosen language, in Portuguese without one", async () => {
  const pageFor = async (cookie: string) => {
    const answer = await ask("/login", { headers: { cookie, "accept-language": "en-US,en;q=0.9" } });
    return [(await answer.text()).match(/Recado: (\S+)</)?.[1], answer.headers.get("set-cookie")];
  };
  const remembered = "language=pt-BR; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly";
  expect(await pageFor("")).toEqual(["Olá", remembered]);
  expect(await pageFor("language=tlh; recado.session_token=x")).toEqual(["Olá", remembered]);
  expect(await pageFor("language=pt-BR")).toEqual(["Olá", null]);
  expect(await pageFor("recado.session_token=x; language=en")).toEqual(["Hello", null]);
  expect((await ask("/index.html", { headers: { cookie: "language=en" } })).status).toBe(200);
});

test("no cache gives one language's page to the other, and each finds the files of both", async () => {
  const portuguese = await ask("/");
  expect(portuguese.headers.get("vary")).toBe("accept-encoding, cookie");
  const etag = portuguese.headers.get("etag") ?? "";
  const switched = await ask("/", { headers: { cookie: "language=en", "if-none-match": etag } });
  expect([switched.status, await switched.text()]).toEqual([200, "<!doctype html><p>Recado: Hello</p>"]);
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

test.each(["/assets/gone.js", "/favicon.ico", "/assets/../../package.json", "/.env"])(
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

function knowingItsScreens() {
  const folder = path.join(dist, "knowing");
  const files = (name: string) => ({
    ...{ scripts: [`/assets/${name}.js`], styles: [`/assets/${name}.css`] },
    paint: `<div id="ahead">${name}, $& $1</div>`,
  });
  const screens = [
    { path: "/login", framed: false, ...files("login") },
    { path: "/", framed: true, ...files("dashboard") },
    { path: "/chatbot/$agentId", framed: true, ...files("agent") },
    { path: "/chatbot/new", framed: true, ...files("new-agent") },
  ];
  const first = { questions: "/assets/ask-first.js", screens };
  fs.mkdirSync(path.join(folder, "pt-BR"), { recursive: true });
  const html = '<!doctype html><head><title>Recado</title></head><body><div id="root"></div></body>';
  fs.writeFileSync(path.join(folder, "pt-BR", "index.html"), html);
  fs.writeFileSync(path.join(folder, "pt-BR", "first-files.json"), JSON.stringify(first));
  return appWith(folder);
}
const signedIn = { headers: { cookie: "language=pt-BR; recado.session_token=x" } };

test("a screen's page names the files that it is made of, and the script that asks its first questions", async () => {
  const answer = await knowingItsScreens()("/", signedIn);
  const head = (await answer.text()).match(/<head>(.*)<\/head>/)?.[1];
  expect(head).toBe(
    [
      "<title>Recado</title>",
      '<script type="module" async crossorigin src="/assets/ask-first.js"></script>',
      '<link rel="stylesheet" crossorigin href="/assets/dashboard.css">',
      '<link rel="modulepreload" crossorigin href="/assets/dashboard.js">',
    ].join(""),
  );
});

test("a screen's page shows its frame and heading before its script has run, in front of where the screen will be", async () => {
  const asking = knowingItsScreens();
  const body = async (place: string, init: RequestInit) =>
    (await (await asking(place, init)).text()).match(/<body>(.*)<\/body>/)?.[1];
  const painted = (name: string) => `<div id="ahead">${name}, $& $1</div><div id="root"></div>`;
  expect(await body("/", signedIn)).toBe(painted("dashboard"));
  expect(await body("/chatbot/7", signedIn)).toBe(painted("agent"));
  expect(await body("/", {})).toBe(painted("login"));
  expect(await body("/nao-existe", signedIn)).toBe('<div id="root"></div>');
});

test("who is not signed in is given the files of the login, and asked nothing for", async () => {
  const asking = knowingItsScreens();
  for (const place of ["/", "/login", "/chatbot/7"]) {
    const html = await (await asking(place)).text();
    expect(html, place).toContain('href="/assets/login.js"');
    expect(html, place).not.toMatch(/ask-first|dashboard|agent/);
  }
  expect(await (await asking("/login", signedIn)).text()).not.toContain("ask-first");
});

test("a path names its screen whatever stands for its parts; one that is no screen's names no file", async () => {
  const asking = knowingItsScreens();
  const scripts = async (place: string) =>
    (await (await asking(place, signedIn)).text()).match(/(?<=modulepreload" crossorigin href=")[^"]+/g);
  expect(await scripts("/chatbot/7")).toEqual(["/assets/agent.js"]);
  expect(await scripts("/chatbot/7/")).toEqual(["/assets/agent.js"]);
  expect(await scripts("/chatbot/new")).toEqual(["/assets/new-agent.js"]);
  expect(await scripts("/?campanha=3")).toEqual(["/assets/dashboard.js"]);
  for (const place of ["/chatbot/", "/chatbot/7/8", "/nao-existe", "/%22%3E%3Cscript%3E"])
    expect(await scripts(place), place).toBeNull();
  expect((await asking("/first-files.json")).status).toBe(404);
});

test("a page whose files are named otherwise is another page to a cache", async () => {
  const asking = knowingItsScreens();
  const etag = async (place: string, init: RequestInit) => (await asking(place, init)).headers.get("etag");
  const [mine, again] = [await etag("/", signedIn), await etag("/?dias=30", signedIn)];
  expect(again).toBe(mine);
  expect(await etag("/", {})).not.toBe(mine);
  expect(await etag("/chatbot/7", signedIn)).not.toBe(mine);
  const known = { headers: { ...signedIn.headers, "if-none-match": mine ?? "" } };
  expect([(await asking("/", known)).status, (await asking("/chatbot/7", known)).status]).toEqual([304, 200]);
});

test("26.20 a path that is no screen's is the page with status 404, also where the browser has it already", async () => {
  const asking = knowingItsScreens();
  for (const place of ["/nao-existe", "/chatbot/7/8"]) {
    const answer = await asking(place, signedIn);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const known = { headers: { "if-none-match": answer.headers.get("etag") ?? "" } };
    expect((await asking(place, known)).status).toBe(404);
  }
  expect((await asking("/chatbot/7", signedIn)).status).toBe(200);
});

test("26.20 the page says that the browser holds no session, and to a signed-in person nothing of it", async () => {
  const asking = knowingItsScreens();
  const mark = '<meta name="session" content="none">';
  expect(await (await asking("/login")).text()).toContain(mark);
  expect(await (await asking("/")).text()).toContain(mark);
  expect(await (await asking("/", signedIn)).text()).not.toContain(mark);
});

test("slashes after an address change nothing, and any number of them before its end cost no more than reading them", () => {
  const chat = { path: "/chat", framed: true, paint: "", scripts: [], styles: [] };
  const files = { questions: "", screens: [chat] };
  expect(screenShown(files, "/chat//", true)).toBe(chat);
  expect(screenShown(files, `/${"/".repeat(400_000)}x`, true)).toBeUndefined();
});
