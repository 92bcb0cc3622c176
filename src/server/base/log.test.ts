import { expect, test } from "vitest";
import { logTo, takeConsole } from "./log.ts";
import { during, operatorRequest } from "./request-context.ts";

const lines: string[] = [];
const log = logTo("trace", { write: (line: string) => void lines.push(line) });
const last = () => JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown>;

test.each([
  ["a phone", { to: "veio de 5511987654321 agora" }, "veio de …4321 agora"],
  ["a phone's address", { to: "5511987654321@s.whatsapp.net" }, "…4321@s.whatsapp.net"],
  ["a linked device", { to: "5511987654321:12@s.whatsapp.net" }, "…4321:12@s.whatsapp.net"],
  ["a key of ours", { to: "rcd_12_AbCdEf-x falhou" }, "rcd_… falhou"],
  ["a bearer's token", { to: "Authorization: Bearer abc.def-123" }, "Authorization: Bearer …"],
  ["a password in an address", { to: "postgres://recado:senha@host/db" }, "postgres://…@host/db"],
  ["a key in an address", { to: "https://x/y?apikey=123&z=1" }, "https://x/y?apikey=…&z=1"],
])("%s is not written down", (_, fields, shown) => {
  log.info(fields, "x");
  expect(last().to).toBe(shown);
});

test("cleaning takes linear time even for a hostile text", () => {
  const text = `postgres://${":".repeat(400_000)}`;
  log.info({ to: text }, "x");
  expect(last().to).toBe(text);
});

test("fields that hold texts, people or secrets are hidden, however deep; ids and figures stay", () => {
  const message = { text: "canário", phone: "5511987654321", keys: [{ apikey: "canário" }] };
  log.child({ connectionId: 7 }).warn({ campaignId: 3, ms: 12, token: "canário", message }, "x");
  expect(last()).toMatchObject({
    connectionId: 7,
    token: "[hidden]",
    campaignId: 3,
    ms: 12,
    message: { text: "[hidden]", phone: "[hidden]", keys: [{ apikey: "[hidden]" }] },
  });
  expect(lines.at(-1)).not.toContain("canário");
});

test("an error's own words, its stack and its causes are cleaned; message and plain text too", () => {
  const cause = new Error("value 5511987654321 is out of range");
  log.error({ err: new Error("to 5511987654321 with Bearer abcdef", { cause }) }, "for 5511987654321");
  log.error("for 5511987654321");
  for (const line of lines.slice(-2)) expect(line).not.toMatch(/5511987654321|abcdef/);
  expect(JSON.parse(lines.at(-2) ?? "{}")).toMatchObject({
    err: {
      type: "Error",
      message: "to …4321 with Bearer …",
      cause: { message: "value …4321 is out of range" },
    },
    msg: "for …4321",
  });
});

test("an error as a plain object, as from the job library, logs its message only", () => {
  const { message, stack } = new Error("sorry, too many clients for 5511987654321");
  log.warn({ err: { message, stack, code: "53300", queue: "recount", password: "canário" } }, "x");
  expect(last().err).toMatchObject({ code: "53300", message: "sorry, too many clients for …4321" });
  expect(lines.at(-1)).not.toMatch(/5511987654321|canário|object Object/);
});

test("what a library prints is a line like all others, cleaned", () => {
  const { console: printing } = globalThis;
  const before = { ...printing };
  takeConsole(log);
  try {
    printing.error(new Error("lost the row of 5511987654321"));
    expect(last()).toMatchObject({ level: 50, err: { message: "lost the row of …4321" } });
    printing.info("to 5511987654321", { password: "canário" });
    expect(last()).toMatchObject({ level: 30, msg: "to …4321" });
    expect(lines.at(-1)).not.toContain("canário");
  } finally {
    Object.assign(printing, before);
  }
});

test("ids of messages, accounts and times are no phones", () => {
  const kept =
    "3EB0A1B2C3D4E5F60718 0f8fad5b-d9cb-469f-a165-708679289501 2026-11-20T18:21:03.123456Z 1.2345678901";
  log.info({ kept }, "x");
  expect(last().kept).toBe(kept);
});

test("a line says which request it belongs to, and none where there is none", () => {
  const visit = operatorRequest();
  during(visit, () => log.info("within"));
  expect(last().requestId).toBe(visit.requestId);
  log.info("outside");
  expect(last()).not.toHaveProperty("requestId");
});
