import { expect, test } from "vitest";
import { type HostPlaces, hostRule } from "./host.ts";

const LOOPBACK = [
  "localhost",
  "localhost:3000",
  "LOCALHOST.",
  "127.0.0.1:3000",
  "127.8.8.8",
  "[::1]:3000",
  "[::ffff:127.0.0.1]",
];
const STRANGERS = [
  "evil.example",
  "evil.example:3000",
  "localhost.evil.example",
  "8.8.8.8",
  "a@localhost",
  "localhost/x",
  "",
  "127.0.0.1.evil.example",
];

function answered(places: Partial<HostPlaces>, hosts: readonly string[]): string[] {
  const rule = hostRule({
    publicUrl: null,
    webhookUrl: "http://127.0.0.1:3000",
    bound: "127.0.0.1",
    ownAddresses: () => ["203.0.113.7", "2001:db8::7"],
    ...places,
  });
  return hosts.filter(rule);
}

test.each<[string, Partial<HostPlaces>]>([
  ["bound to loopback", {}],
  ["bound to every address", { bound: "0.0.0.0" }],
  ["with RECADO_URL", { publicUrl: "https://recado.example" }],
])("27.8 F12 loopback names are ours and strangers' names are not: %s", (_, places) => {
  expect(answered(places, LOOPBACK)).toEqual(LOOPBACK);
  expect(answered(places, STRANGERS)).toEqual([]);
});

test("27.8 F12 with RECADO_URL its host and the one that gateways call are ours, and no number", () => {
  const places = { publicUrl: "https://Recado.example", webhookUrl: "http://recado:3000", bound: "0.0.0.0" };
  const ours = ["recado.example", "recado.example:8443", "recado:3000"];
  expect(answered(places, [...ours, "www.recado.example", "192.168.0.10:3000", "203.0.113.7"])).toEqual(ours);
});

test("27.8 F12 without RECADO_URL the bound address is ours, and of every address those near", () => {
  const near = ["192.168.0.10:3000", "10.1.2.3", "[fd00::1]:3000", "203.0.113.7:3000", "[2001:db8::7]"];
  expect(answered({ bound: "192.168.0.10" }, near)).toEqual(["192.168.0.10:3000"]);
  expect(answered({ bound: "recado.local" }, ["recado.local:3000", ...near])).toEqual(["recado.local:3000"]);
  for (const bound of ["0.0.0.0", "::"])
    expect(answered({ bound }, [...near, "recado.local:3000", "203.0.113.8", "[2001:db8::8]"])).toEqual(near);
});
