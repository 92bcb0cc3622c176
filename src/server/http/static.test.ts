import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { createApp } from "./app.ts";
import { mountStatic } from "./static.ts";

const { db } = await testDatabase();
const dist = fs.mkdtempSync(path.join(os.tmpdir(), "recado-dist-"));
afterAll(() => fs.rmSync(dist, { recursive: true }));
fs.mkdirSync(path.join(dist, "assets"));
fs.writeFileSync(path.join(dist, "index.html"), "<!doctype html><p>Recado</p>");
fs.writeFileSync(path.join(dist, "assets", "main-abc123.js"), "export const a = 1;\n".repeat(100));

function appWith(folder: string) {
  const app = createApp({
    db,
    log: testLog,
    authenticate: async () => null,
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

test("what carries its hash in its name is kept for ever, compressed where the browser can read that", async () => {
  const answer = await ask("/assets/main-abc123.js", { headers: { "accept-encoding": "br, gzip" } });
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBeLessThan(200);
  expect(gunzipSync(bytes).toString()).toContain("export const a");
  expect((await (await ask("/assets/main-abc123.js")).text()).length).toBe(2_000);
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
