import { once } from "node:events";
import net from "node:net";
import { afterAll, expect, test } from "vitest";
import { contract } from "../../src/contract/all.ts";
import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import { testDatabase } from "../support/database.ts";
import { askHealth, OPERATOR, startProduct } from "../support/server.ts";

const { url: databaseUrl } = await testDatabase({ empty: true });
const product = await startProduct({ databaseUrl, env: OPERATOR });
afterAll(() => product.close());

async function raw(request: string): Promise<{ status: number; headers: string; body: string }> {
  const socket = net.connect(Number(new URL(product.url).port), "127.0.0.1");
  socket.write(request);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "close");
  const [headers = "", body = ""] = text.split("\r\n\r\n", 2);
  return { status: Number(headers.split(" ")[1]), headers, body };
}

test("27.8 F12 GET /api/health tells strangers up or down alone", async () => {
  const wrong = { headers: { authorization: "Bearer token-of-a-stranger" } };
  for (const init of [{}, wrong]) {
    const answer = await product.fetch("/api/health", init);
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
  }
});

test("GET /api/health says what is up, to the operator", async () => {
  const answer = await askHealth(product);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    status: "ok",
    process: "all",
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    node: expect.stringMatching(/^v24/),
    database: { up: true, kind: "external", version: expect.stringMatching(/^\d+\./) },
    disk: { low: expect.any(Boolean) },
    lanes: { owned: 0, connected: 0 },
    workers: expect.any(Number),
    uptimeSeconds: expect.any(Number),
  });
});

test("27.8 F12 under a name that is not ours only health answers", async () => {
  const ask = (what: string, host: string, more = "") =>
    raw(`${what} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
  const origin = "Origin: http://evil.example\r\nContent-Length: 2\r\nContent-Type: application/json\r\n";
  for (const what of ["GET /api/me", "POST /api/signup", "GET /api/openapi.json"]) {
    const answer = await ask(what, "evil.example", what.startsWith("POST") ? origin : "");
    expect([what, answer.status, answer.body]).toEqual([what, 421, expect.stringContaining("unknown_host")]);
  }
  const page = await ask("GET /login", "evil.example:3000");
  expect([page.status, page.body]).toEqual([421, expect.stringContaining("defin")]);
  expect((await ask("GET /login", "evil.example", "X-Forwarded-Host: localhost\r\n")).status).toBe(421);
  for (const what of ["GET /api/health", "GET /api/health/live", "GET /api/health/ready"])
    expect([what, (await ask(what, "10.0.0.5")).status]).toEqual([what, 200]);
  expect((await ask("GET /login", "localhost")).status).toBe(200);
  expect(
    (await ask("GET /api/whatsapp/devices", "recado:3000", "Authorization: Bearer rcd_x\r\n")).status,
  ).toBe(401);
});

test("a balancer that asks by HTTP/1.0, which names no host, is answered", async () => {
  const answer = await raw("GET /api/health/ready HTTP/1.0\r\n\r\n");
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { status: "ready" }]);
});

test("an idle connection is kept for longer than the minute for which nginx keeps it", async () => {
  const kept = (await product.fetch("/api/health")).headers.get("keep-alive");
  expect(Number(/^timeout=(\d+)/.exec(kept ?? "")?.[1])).toBeGreaterThan(60);
});

test("H21 an unknown path of the API is a JSON 404", async () => {
  for (const path of ["/api", "/api/", "/api/nothing", "/api/health/x"]) {
    const answer = await product.fetch(path);
    expect([path, answer.status, (await answer.json()).code]).toEqual([path, 404, "not_found"]);
  }
});

test.each(["/api/%2e%2e/", "/api/../", "/%2E%2e/etc/passwd", "/api/.%2e/x"])(
  "H22 %s is 404",
  async (path) => {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, "not_found"]);
  },
);

test("dots between slashes are no path where they are asked for", async () => {
  expect((await product.fetch("/login?q=a/../b/./c")).status).toBe(200);
});

test("H23 an address of 100 KB is 414, one beyond any bound is refused too", async () => {
  expect((await product.fetch(`/api/health?x=${"1".repeat(100_000)}`)).status).toBe(414);
  const giant = await raw(`GET /${"1".repeat(200_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect([giant.status, JSON.parse(giant.body).code]).toEqual([431, "uri_too_long"]);
});

test("H24 a chunked body that also declares a length is 400", async () => {
  const answer = await raw(
    "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
  );
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, "invalid_request"]);
});

test("H19 a header that must stand once and stands twice is 400", async () => {
  const head = "GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  expect((await raw(`${head}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`)).status).toBe(400);
  expect((await raw(`${head}\r\n`)).status).toBe(401);
});

test("a body over the limit is 413 while it is sent, and the connection goes", async () => {
  const body = '{"email":"'.padEnd(40_000, "a");
  const answer = await raw(
    `POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n${body}`,
  );
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([413, "payload_too_large"]);
  const chunked = await raw(
    "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
      `${body.length.toString(16)}\r\n${body}\r\n`,
  );
  expect(chunked.status).toBe(413);
});

test("H25 of 300 parallel logins the first are checked, the rest must wait, other requests are not delayed", async () => {
  const login = (attempt: number) =>
    product.fetch("/api/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: `pessoa${attempt}@exemplo.com.br`, password: "seja o que for" }),
    });
  const begun = performance.now();
  const flood = Promise.all(Array.from({ length: 300 }, (_, attempt) => login(attempt)));
  // Serving the page file needs a thread of the pool that hashes passwords.
  expect((await product.fetch("/login")).status).toBe(200);
  expect((await product.fetch("/api/health")).status).toBe(200);
  const answers = await flood;
  const judged = answers.filter(({ status }) => status === 401);
  const waiting = answers.filter(({ status }) => status === 429);
  // Past the first fifty one more is due after 2 s, the next after 4 s more, then 8 s.
  const seconds = (performance.now() - begun) / 1_000;
  const due = [2, 6, 14, 30, 62, 122].filter((at) => at <= seconds).length;
  expect(judged.length).toBeGreaterThanOrEqual(50);
  expect(judged.length).toBeLessThanOrEqual(50 + due);
  expect(waiting.length).toBe(300 - judged.length);
  for (const { headers } of waiting) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
});

test("H05 nothing that changes data can be asked for with GET", async () => {
  const { paths } = (await (await product.fetch("/api/openapi.json")).json()) as {
    paths: Record<string, object>;
  };
  const onlyGet = Object.entries(paths).filter(([, methods]) => "get" in methods);
  for (const [path] of onlyGet)
    expect(path).not.toMatch(/delete|remove|pause|resume|cancel|logout|connect$|send$/);
});

test("HEAD answers like GET, without a body", async () => {
  const answer = await product.fetch("/api/health", { method: "HEAD" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
});

test("every answer says what browsers must not do with it; the API's are never stored @decision 3", async () => {
  for (const path of ["/api/health", "/api/docs", "/api/nothing", "/login"]) {
    const { headers } = await product.fetch(path);
    expect(headers.get("content-security-policy")).toMatch(
      /default-src 'self'; script-src 'self';.*frame-ancestors 'none'/,
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    if (path.startsWith("/api/")) expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("the description of the API is a page without a script or anything from outside", async () => {
  const answer = await product.fetch("/api/docs");
  const page = await answer.text();
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page).toContain("/api/login");
  expect(page).not.toMatch(/<script|https?:\/\//);
});

test("every endpoint of the contract is served, and nothing that the contract does not say @spec 7.25", async () => {
  const { paths } = (await (await product.fetch("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const endpoints: EndpointSpec[] = Object.values(contract).flatMap((noun) => Object.values(noun));
  expect(served.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort());
});
