import { expect, test } from "vitest";
import { gatewayLab } from "../../tests/support/gateway-lab.ts";
import { type ErrorName, FAULTS } from "./faults.ts";

const lab = gatewayLab();
const { start, call, openLinked } = lab;

async function attempt(words = "oi", ms = 60_000) {
  try {
    const response = await fetch(`${lab.url}/message/sendText/loja`, {
      method: "POST",
      headers: { apikey: lab.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ number: "5511988887777", text: words }),
      signal: AbortSignal.timeout(ms),
    });
    const { status, headers } = response;
    const text = await response.text();
    const { type, retryAfter } = {
      type: headers.get("content-type"),
      retryAfter: headers.get("retry-after"),
    };
    return { status, type, retryAfter, length: text.length, text: text.slice(0, 2000) };
  } catch (error) {
    return { failed: (error as Error).name };
  }
}

const html = { type: "text/html" };
const SEEN: Record<ErrorName, object> = {
  resetBefore: { failed: "TypeError" },
  acceptThenReset: { failed: "TypeError" },
  hangBefore: { failed: "TimeoutError" },
  acceptThenHang: { failed: "TimeoutError" },
  badGatewayBefore: { status: 502, ...html },
  acceptThenBadGateway: { status: 502, ...html },
  errorBefore: { status: 500, text: expect.stringContaining('"status":500') },
  acceptThenError: { status: 500, text: expect.stringContaining('"status":500') },
  halfJson: { status: 201, text: expect.stringMatching(/^\{"key":.*[^}]$/) },
  cutBody: { failed: "TypeError" },
  htmlPage: { status: 200, ...html },
  acceptThenHtmlPage: { status: 200, ...html },
  withoutId: { status: 201, text: expect.not.stringContaining('"id"') },
  tooMany: { status: 429, retryAfter: "7" },
  connectionClosed: { status: 400, text: expect.stringContaining("Error: Connection Closed") },
  halfDone: { status: 400, text: expect.stringContaining("[object Object]") },
  uploadFailed: { status: 500, text: expect.stringContaining("Error: Media upload failed on all hosts") },
  slow: { status: 201, text: expect.stringContaining('"id"') },
  hugeBody: { status: 201, length: expect.closeTo(10.5e6, -6) },
};

test.each(Object.keys(SEEN) as ErrorName[])(
  "%s: what the caller sees, and whether it was accepted",
  async (name) => {
    const world = await start();
    await openLinked("loja");
    world.faults.next("sendText", name, { retryAfterSeconds: 7, ms: name === "slow" ? 50 : 0 });
    const began = performance.now();
    expect(await attempt("oi", /hang/i.test(name) ? 2_000 : undefined)).toMatchObject(SEEN[name]);
    if (name === "slow") expect(performance.now() - began).toBeGreaterThan(45);
    const { accepted } = FAULTS[name];
    expect(world.accepted.map(({ fault }) => fault)).toEqual(accepted ? [name] : []);
    expect(world.faults.log).toMatchObject([{ call: "sendText", instance: "loja", fault: name, accepted }]);
    expect(await attempt()).toMatchObject({ status: 201 });
  },
);

test("a down gateway refuses connections and returns on its port, reconnecting after its end", async () => {
  const world = await start();
  await openLinked("loja", lab.webhook({ events: ["CONNECTION_UPDATE"] }));
  await world.idle();
  await world.goDown({ losesWebhooks: true });
  expect(await attempt()).toEqual({ failed: "TypeError" });
  const before = lab.receiver.posted.length;
  await world.comeBack();
  await world.idle();
  expect(
    lab.receiver.posted
      .slice(before)
      .map(({ body }) => (body.data as { state: string }).state)
      .sort(),
  ).toEqual(["connecting", "open"]);
  expect(await attempt()).toMatchObject({ status: 201 });
});

test("faults by chance come out the same for the same seed, about as often as asked", async () => {
  const world = await start();
  await openLinked("loja");
  const run = async () => {
    world.faults.rate({ seed: 7, acceptThenReset: 0.1, errorBefore: 0.2 });
    const seen: string[] = [];
    for (let index = 0; index < 200; index += 1) {
      const { status, failed } = (await attempt(`${index}`)) as { status?: number; failed?: string };
      seen.push(failed ?? `${status}`);
    }
    return seen;
  };
  const first = await run();
  expect(await run()).toEqual(first);
  const share = (outcome: string) => first.filter((one) => one === outcome).length / first.length;
  expect(share("TypeError")).toBeCloseTo(0.1, 1);
  expect(share("500")).toBeCloseTo(0.2, 1);
  expect(world.accepted.length).toBe(400 - world.faults.log.filter(({ accepted }) => !accepted).length);
  world.faults.clear();
  expect(await attempt()).toMatchObject({ status: 201 });
});

test("what fails anyway is not counted as accepted; other calls can go wrong too", async () => {
  const world = await start();
  await openLinked("loja");
  world.person({ phone: "5511988887777", onWhatsApp: false });
  world.faults.next("sendText", "acceptThenReset");
  expect(await attempt()).toMatchObject({ status: 400 });
  expect(world.faults.log).toMatchObject([{ accepted: false }]);
  expect(world.accepted).toEqual([]);
  world.faults.next("connectionState", "tooMany", { times: 2 });
  expect((await call("GET", "/instance/connectionState/loja")).status).toBe(429);
  expect((await call("GET", "/instance/connectionState/loja")).status).toBe(429);
  expect((await call("GET", "/instance/connectionState/loja")).status).toBe(200);
});
