import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import { isPublicAddress, readPrivateHosts } from "./addresses.ts";
import { type GuardOptions, openGuardedFetch } from "./guarded-fetch.ts";

let hits = 0;
const canary = http.createServer((request, response) => {
  hits += 1;
  if (request.url === "/away") response.writeHead(307, { location: `http://127.0.0.1:${port}/inside` });
  response.end("inside");
});
await new Promise<void>((resolve) => canary.listen(0, resolve));
const { port } = canary.address() as AddressInfo;
const opened: { close(): Promise<void> }[] = [];
beforeEach(() => {
  hits = 0;
});
afterAll(async () => {
  await Promise.all(opened.map((one) => one.close()));
  canary.closeAllConnections();
  canary.close();
});

const inside: NonNullable<GuardOptions["lookup"]> = (_name, _options, callback) =>
  callback(null, [{ address: "127.0.0.1", family: 4 }]);

async function refusal(address: string, options: Partial<GuardOptions> = {}): Promise<AppError> {
  const client = openGuardedFetch({ privateHosts: readPrivateHosts(undefined), lookup: inside, ...options });
  opened.push(client);
  const error: unknown = await client.fetch(address, { maxBytes: 1_000, timeoutMs: 30_000 }).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof AppError)) throw new Error(`${address} was not refused: ${String(error)}`);
  return error;
}

describe("ways to write an address inside the network", () => {
  test.each([
    ["U03", "localhost"],
    ["U03", "LOCALHOST"],
    ["U03", "localhost."],
    ["U03", "a.b.localhost"],
    ["U03", "ｌｏｃａｌｈｏｓｔ"],
    ["U04", "127.0.0.1"],
    ["U04", "127.0.0.1."],
    ["U04", "127.1"],
    ["U04", "127.0.1"],
    ["U04", "127.255.255.254"],
    ["U04", "%31%32%37.0.0.1"],
    ["U05", "0"],
    ["U05", "0.0.0.0"],
    ["U05", "0.1.2.3"],
    ["U06", "2130706433"],
    ["U06", "3232235777"],
    ["U07", "0x7f.1"],
    ["U07", "0x7f000001"],
    ["U07", "0x7f.0x0.0x0.0x1"],
    ["U07", "0xc0a80101"],
    ["U08", "017700000001"],
    ["U08", "0177.0.0.1"],
    ["U08", "0000177.0.0.01"],
    ["U09", "[::1]"],
    ["U09", "[::]"],
    ["U09", "[0:0:0:0:0:0:0:1]"],
    ["U10", "[::ffff:127.0.0.1]"],
    ["U10", "[::ffff:7f00:1]"],
    ["U10", "[0:0:0:0:0:ffff:192.168.1.1]"],
    ["U10", "[::ffff:0:127.0.0.1]"],
    ["U10", "[::127.0.0.1]"],
    ["U11", "[64:ff9b::7f00:1]"],
    ["U11", "[64:ff9b::10.0.0.1]"],
    ["U11", "[64:ff9b:1::a00:1]"],
    ["U11", "[2002:7f00:1::]"],
    ["U11", "[2002:c0a8:101::1]"],
    ["U11", "[2001:0:7f00:1::1]"],
    ["U12", "[fd00::1]"],
    ["U12", "[fc00::1]"],
    ["U12", "[fe80::1]"],
    ["U12", "[fec0::1]"],
    ["U13", "169.254.169.254"],
    ["U13", "169.254.170.2"],
    ["U13", "[fd00:ec2::254]"],
    ["U13", "[::ffff:169.254.169.254]"],
    ["U13", "2852039166"],
    ["U14", "100.64.0.1"],
    ["U14", "100.100.100.200"],
    ["U14", "198.18.0.1"],
    ["U14", "10.0.0.1"],
    ["U14", "10.255.255.255"],
    ["U14", "172.16.0.1"],
    ["U14", "172.31.255.255"],
    ["U14", "192.168.0.1"],
    ["U14", "192.0.0.192"],
    ["U14", "192.0.2.1"],
    ["U14", "198.51.100.1"],
    ["U14", "203.0.113.1"],
    ["U15", "224.0.0.1"],
    ["U15", "239.255.255.250"],
    ["U15", "240.0.0.1"],
    ["U15", "255.255.255.255"],
    ["U15", "[ff02::1]"],
    ["U15", "[2001:db8::1]"],
    ["U15", "[100::1]"],
    ["U16", "①②⑦.0.0.1"],
    ["U16", "127。0。0。1"],
    ["U16", "１２７．０．０．１"],
  ])("%s %s", async (_id, host) => {
    for (const scheme of ["http", "https"]) {
      const error = await refusal(`${scheme}://${host}/`);
      expect(error.code).toBe("url_private");
    }
    expect(hits).toBe(0);
  });

  test.each([
    ["U02", "http:127.0.0.1/", "url_private"],
    ["U02", "http:/127.0.0.1/", "url_private"],
    ["U02", "http:\\\\127.0.0.1\\", "url_private"],
    ["U02", " \t\nhttp://127.0.0.1/\n", "url_private"],
    ["U02", "ht\ntp://127.0.\n0.1/", "url_private"],
    ["U02", "//127.0.0.1/", "url_forbidden"],
    ["U02", "data:text/plain,a", "url_forbidden"],
    ["U02", "ws://127.0.0.1/", "url_forbidden"],
    ["U20", "http://example.com:80@127.0.0.1/", "url_forbidden"],
    ["U20", "http://@127.0.0.1/", "url_private"],
    ["U20", "http://127.0.0.1#@example.com/", "url_private"],
    ["U20", "http://127.0.0.1?@example.com/", "url_private"],
    ["U20", "http://127.0.0.1\\@example.com/", "url_private"],
    ["U22", "http://127.0.0.1%2f.example.com/", "url_forbidden"],
    ["U22", "http://[fe80::1%25eth0]/", "url_forbidden"],
    ["U22", "http://127.0.0.1.5.6/", "url_forbidden"],
    ["U22", "http://999.1.1.1/", "url_forbidden"],
    ["U22", "http://exa mple.com/", "url_forbidden"],
  ])("%s %j", async (_id, address, code) => {
    expect((await refusal(address)).code).toBe(code);
    expect(hits).toBe(0);
  });

  test.each(["22", "25", "53", "3306", "5432", "6379", "9200", "0", "65535"])("U21 port %s", async (at) => {
    expect((await refusal(`http://example.com:${at}/`)).code).toBe("url_forbidden");
  });
});

describe("names, judged by what they resolve to on every connection", () => {
  test.each([
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.1.2.3",
    "fe80::1",
    "0.0.0.0",
    "64:ff9b::7f00:1",
    "nonsense",
    "",
  ])("U17 %s", async (address) => {
    const lookup: typeof inside = (_name, _options, callback) =>
      callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
    expect((await refusal("http://cliente.example.com:8080/", { lookup })).code).toBe("url_private");
    expect(hits).toBe(0);
  });

  test("U17 a name that resolves to nothing", async () => {
    const lookup: typeof inside = (_name, _options, callback) => callback(null, []);
    expect((await refusal("http://cliente.example.com/", { lookup })).code).toBe("url_private");
  });
});

describe("hosts that the operator vouches for", () => {
  test("U25 one with a port vouches for no other port, one by name for no address", async () => {
    const privateHosts = readPrivateHosts(`127.0.0.1:${port}, evolution`);
    expect((await refusal("http://127.0.0.1:8080/", { privateHosts })).code).toBe("url_private");
    expect((await refusal("http://127.0.0.1/", { privateHosts })).code).toBe("url_private");
    expect((await refusal(`http://[::1]:${port}/`, { privateHosts })).code).toBe("url_forbidden");
    expect((await refusal("http://evolution.example.com/", { privateHosts })).code).toBe("url_private");
    expect(hits).toBe(0);
  });

  test("U25 it is the same host however it is written", async () => {
    const client = openGuardedFetch({ privateHosts: readPrivateHosts(`127.0.0.1:${port}`) });
    opened.push(client);
    for (const host of ["127.0.0.1", "2130706433", "127.0.0.1."])
      await client.fetch(`http://${host}:${port}/`, { maxBytes: 10, timeoutMs: 30_000 });
    expect(hits).toBe(3);
  });

  test("U25 nor how the operator writes it", () => {
    expect([...readPrivateHosts("EVO.interno.,fd00::5 [FD00::6]:8080,câmera.local")]).toEqual([
      "evo.interno",
      "[fd00::5]",
      "[fd00::6]:8080",
      "xn--cmera-3qa.local",
    ]);
  });

  test("U19 it cannot lead elsewhere, neither inside nor out", async () => {
    const privateHosts = readPrivateHosts(`127.0.0.1:${port}`);
    const error = await refusal(`http://127.0.0.1:${port}/away`, { privateHosts });
    expect(error).toMatchObject({ code: "url_failed", details: { reason: "redirect" } });
    expect(hits).toBe(1);
  });
});

test("what is public is public", () => {
  for (const address of [
    "1.1.1.1",
    "200.147.3.157",
    "2800:3f0:4001::200e",
    "::ffff:8.8.8.8",
    "2606:4700::1111",
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
});
