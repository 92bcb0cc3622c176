import { afterAll, expect, test } from "vitest";
import { testLog } from "../../../tests/support/database.ts";
import type { Db } from "../db/client.ts";
import { createApp } from "./app.ts";
import { openPort } from "./listen.ts";

const port = await openPort("127.0.0.1", 0);
afterAll(() => port.stop(0));
const url = `http://127.0.0.1:${port.port}`;

test("27.10 F12 an open port answers that it is starting until it is given an app; a supervisor hears that it lives", async () => {
  for (const [path, init] of [
    ["/api/me", {}],
    ["/api/health", {}],
    ["/api/health/ready", {}],
    ["/hooks/evolution/x", { method: "POST", body: "{}" }],
  ] as const) {
    const answer = await fetch(url + path, init);
    const { code } = (await answer.json()) as { code: string };
    expect([path, answer.status, code]).toEqual([path, 503, "starting"]);
    expect(answer.headers.get("retry-after")).toBe("2");
  }
  expect((await fetch(`${url}/api/health/live`)).status).toBe(200);
  const page = await fetch(url, { headers: { accept: "text/html" } });
  expect([page.status, page.headers.get("refresh"), await page.text()]).toEqual([
    503,
    "2",
    expect.stringContaining("O Recado está iniciando"),
  ]);

  const app = createApp({
    db: null as unknown as Db,
    log: testLog,
    publicOrigin: null,
    trustedProxies: 0,
    authenticate: async () => null,
  });
  port.serve(app);
  expect((await fetch(`${url}/api/me`)).status).toBe(404);
});
