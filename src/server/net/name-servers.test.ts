import dgram from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { afterAll, expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import { openGuardedFetch } from "./guarded-fetch.ts";
import { askNameServers } from "./name-servers.ts";

const IPV4 = 1;
const NO_SUCH_NAME = 3;

type Zone = (name: string, kind: number) => string[] | "no such name" | undefined;

async function startNameServer(zone: Zone) {
  const asked: string[] = [];
  const socket = dgram.createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join(".");
    const kind = query.readUInt16BE(at + 1);
    asked.push(name);
    const known = zone(name, kind);
    if (known) socket.send(answer(query.subarray(0, at + 5), known), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  afterAll(() => socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

function answer(question: Buffer, known: string[] | "no such name"): Buffer {
  const head = Buffer.from(question);
  const addresses = known === "no such name" ? [] : known;
  head.writeUInt16BE(0x8180 | (known === "no such name" ? NO_SUCH_NAME : 0), 2);
  for (const [at, count] of [1, addresses.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 0x0c, 0, IPV4, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([head, ...records]);
}

const lookUp = (lookup: ReturnType<typeof askNameServers>, name: string, family?: 4 | 6) =>
  new Promise((resolve, reject) => {
    lookup(name, { all: true, ...(family ? { family } : {}) }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    );
  });

const onlyIpv4: Zone = (name, kind) => {
  if (name.startsWith("silent") || kind !== IPV4)
    return name.startsWith("half") ? undefined : kind === IPV4 ? undefined : [];
  return name === "missing.example.com" ? "no such name" : ["192.0.2.1", "192.0.2.2"];
};

test("a name's addresses are found, also where its server has no word on IPv6; one that does not exist is said", async () => {
  const lookup = askNameServers(await startNameServer(onlyIpv4));
  const both = ["192.0.2.1", "192.0.2.2"].map((address) => ({ address, family: 4 }));
  expect(await lookUp(lookup, "shop.example.com")).toEqual(both);
  expect(await lookUp(lookup, "half.example.com")).toEqual(both);
  expect(await lookUp(lookup, "shop.example.com", 4)).toEqual(both);
  await expect(lookUp(lookup, "missing.example.com")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("names whose servers are silent keep no other name from being found, neither here nor by the system's way", async () => {
  const zone: Zone = (name) => (name.startsWith("silent") ? undefined : ["127.0.0.1"]);
  const { servers, asked } = await startNameServer(zone);
  const lookup = askNameServers({ servers });
  const client = openGuardedFetch({ privateHosts: new Set(), lookup });
  afterAll(() => client.close());
  const limits = { maxBytes: 1_000, timeoutMs: 60_000 };
  let ended = 0;
  const hanging = Array.from({ length: 40 }, (_, nth) =>
    client
      .fetch(`https://silent-${nth}.example.com/`, limits)
      .then(
        () => null,
        (error: unknown) => error,
      )
      .finally(() => ended++),
  );
  await expect.poll(() => new Set(asked).size).toBe(40);
  await expect(client.fetch("https://quick.example.com/", limits)).rejects.toMatchObject({
    code: "url_private",
  });
  await dns.lookup("localhost");
  expect(ended).toBeLessThan(40);
  for (const error of await Promise.all(hanging)) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "timeout", sent: false } });
  }
});
