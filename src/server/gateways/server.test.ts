import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { reachBy } from "./server.ts";

test("one account's calls at a server that all share, which takes its time, leave the others their connections", async () => {
  const held: (() => void)[] = [];
  let slow = true;
  const server = http.createServer((_, response) => {
    const answer = () => void response.setHeader("content-type", "application/json").end("[]");
    if (slow) held.push(answer);
    else answer();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
  afterAll(async () => {
    await guardedFetch.close();
    server.closeAllConnections();
    server.close();
  });
  const reach = reachBy(guardedFetch);
  const list = (account: string) =>
    reach(
      { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, provided: false },
      "chave",
      account,
    ).fetchInstances();

  const all = Array.from({ length: 20 }, () => list("a"));
  await expect.poll(() => held.length).toBe(6);
  slow = false;
  expect(await list("b")).toEqual([]);
  expect(held).toHaveLength(6);
  for (const answer of held) answer();
  expect(await Promise.all(all)).toEqual(Array(20).fill([]));
});
