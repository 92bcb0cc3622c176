import { afterAll, expect, test } from "vitest";
import { openLiveUpdates } from "../../src/server/db/live-updates.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { startProduct } from "../support/server.ts";

const { database, url: databaseUrl } = await testDatabase();
const product = await startProduct({ databaseUrl });
const second = await startProduct({ databaseUrl, dataFolder: product.dataFolder });
const elsewhere = await openLiveUpdates(database, testLog);
afterAll(async () => {
  await elsewhere.close();
  await second.stop();
  await product.close();
});

async function signUp(name: string): Promise<{ cookie: string; id: string }> {
  const answer = await product.fetch("/api/signup", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name,
      email: `${name}@exemplo.com.br`,
      password: "um bom segredo longo",
      confirmPassword: "um bom segredo longo",
      acceptTerms: true,
    }),
  });
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { id: string };
  return { id, cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

async function listen(server: { url: string }, cookie: string) {
  const answer = await fetch(`${server.url}/api/events`, { headers: { cookie } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function until(pattern: RegExp): Promise<string> {
    while (!pattern.test(text)) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`the stream ended: ${text}`);
      text += value;
    }
    return text;
  }
  await until(/retry: 2000/);
  return {
    until,
    heard: () => [...text.matchAll(/data: (.*)/g)].map(([, data]) => JSON.parse(data ?? "")),
    async end() {
      while (!(await reader.read()).done);
    },
  };
}

test("without a sign-in the stream is refused", async () => {
  expect((await product.fetch("/api/events")).status).toBe(401);
});

test("a change made in one process is heard at every other by its own account alone", async () => {
  const [ana, bia] = [await signUp("ana"), await signUp("bia")];
  const here = await listen(product, ana.cookie);
  const there = await listen(second, ana.cookie);
  const stranger = await listen(product, bia.cookie);
  elsewhere.mark(ana.id, "campaigns", 7);
  elsewhere.mark(bia.id, "contacts");
  await Promise.all([here.until(/data:/), there.until(/data:/), stranger.until(/data:/)]);
  expect(here.heard()).toEqual([{ topic: "campaigns", id: 7 }]);
  expect(there.heard()).toEqual([{ topic: "campaigns", id: 7 }]);
  expect(stranger.heard()).toEqual([{ topic: "contacts", id: null }]);
});

test("logging out ends the session's streams, at every process", async () => {
  const caio = await signUp("caio");
  const [here, there] = [await listen(product, caio.cookie), await listen(second, caio.cookie)];
  const headers = { cookie: caio.cookie };
  expect((await product.fetch("/api/logout", { method: "POST", headers })).status).toBe(204);
  await Promise.all([here.end(), there.end()]);
});

test("F39 SIGTERM ends open streams and the process at once, with code 0", async () => {
  const davi = await signUp("davi");
  const stream = await listen(second, davi.cookie);
  const start = performance.now();
  const [code] = await Promise.all([second.stop(), stream.end()]);
  expect(code).toBe(0);
  // An open stream that delayed the stop would take the grace period of 25 s.
  expect(performance.now() - start).toBeLessThan(20_000);
});
