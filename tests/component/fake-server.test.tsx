import { expect, test } from "vitest";
import { api } from "../../src/web/api/call.ts";
import { fakeServer } from "./support/fake-server.ts";
import { contactList } from "./support/rows.ts";
import { world } from "./support/world.ts";

test("an answer that does not fit the contract is a problem of the test", async () => {
  const server = fakeServer();
  const missing = { items: [{ ...contactList(), count: "3" }], next: null, total: { lists: 1, contacts: 3 } };
  server.on("GET /api/contact-lists", () => missing as never);
  await expect(api("GET /api/contact-lists", {})).rejects.toThrow();
  expect(server.close().join()).toContain("GET /api/contact-lists: answer does not fit the contract");
});

test("an answer with more than the contract knows is a problem of the test", async () => {
  const server = fakeServer();
  server.on("GET /api/signup/policy", () => ({ open: true, shownTo: "todos" }));
  await expect(api("GET /api/signup/policy")).rejects.toThrow();
  expect(server.close().join()).toContain("answer has «shownTo»");
});

test("a request that does not fit the contract is a problem of the test", async () => {
  const server = fakeServer();
  const limit = 5_000;
  await expect(api("GET /api/contact-lists", { query: { limit } })).rejects.toThrow();
  await expect(api("POST /api/contacts", { body: { name: "Ana" } as never })).rejects.toThrow();
  const problems = server.close();
  expect(problems[0]).toContain("GET /api/contact-lists: query");
  expect(problems[1]).toContain("POST /api/contacts: body");
});

test("a request without a handler names its endpoint", async () => {
  const server = fakeServer();
  await expect(api("POST /api/logout")).rejects.toThrow();
  expect(server.close().join()).toContain("POST /api/logout has no handler");
});

test("answers are held, refused and dropped until the test ends it", async () => {
  const server = fakeServer(world({ lists: [contactList({ name: "Clientes" })] }));
  const lists = () => api("GET /api/contact-lists", {}).then(({ items }) => items.length);
  const held = server.hold("GET /api/contact-lists", ({ query }) => query.after === undefined);
  const answer = lists();
  expect((await held.asked).query.limit).toBe(24);
  held.release();
  expect(await answer).toBe(1);

  const refused = server.refuse("GET /api/contact-lists", "unavailable");
  await expect(lists()).rejects.toMatchObject({ code: "unavailable", status: 503 });
  refused.stop();
  const dropped = server.drop("GET /api/contact-lists");
  await expect(lists()).rejects.toMatchObject({ code: "unreachable", status: 0 });
  dropped.stop();
  expect(await lists()).toBe(1);
  expect(server.requests("GET /api/contact-lists")).toHaveLength(4);
});

test("nothing arrives from the server of an ended test: neither an answer, nor its body, nor an error", async () => {
  const arrived: string[] = [];
  const note = (what: string, answer: Promise<unknown>) =>
    void answer.then(
      () => arrived.push(what),
      () => arrived.push(`${what} failed`),
    );
  const ask = async () => {
    const server = fakeServer();
    const begun = await fetch("/api/me");
    const held = server.hold("GET /api/connections");
    const patience = new AbortController();
    note("answer", fetch("/api/connections"));
    note("aborted", fetch("/api/connections", { signal: patience.signal }));
    const finish = async () => {
      note("body", begun.json());
      patience.abort();
      held.release();
      await Response.json({}).json();
      await new Promise((resolve) => setTimeout(resolve));
    };
    return { server, finish };
  };
  const open = await ask();
  await open.finish();
  await expect.poll(() => arrived.toSorted()).toEqual(["aborted failed", "answer", "body"]);
  const ended = await ask();
  ended.server.close();
  await ended.finish();
  expect(arrived).toHaveLength(3);
});
