import { expect, test } from "vitest";
import { checkUrl, readPrivateHosts, unboundPrivateHosts, wrongPrivateHosts } from "./addresses.ts";

const LIST =
  "gateway:evolution.interno:8081, relay:10.0.0.5:9000 picture:fotos,mistral:[fd00::1]:443,antiga,[fd00::2]:90,relay:8080";

const isVouched = (address: string, purpose?: Parameters<typeof readPrivateHosts>[1]) => {
  try {
    return checkUrl(address, readPrivateHosts(LIST, purpose)).vouched;
  } catch {
    return false;
  }
};

test("27.8 an internal host is vouched for by purpose and port", () => {
  expect(wrongPrivateHosts(LIST)).toEqual([]);
  expect(isVouched("http://evolution.interno:8081", "gateway")).toBe(true);
  expect(isVouched("http://evolution.interno:8082", "gateway")).toBe(false);
  for (const other of ["relay", "picture", "mistral", undefined] as const)
    expect(isVouched("http://evolution.interno:8081", other)).toBe(false);
  expect(isVouched("http://10.0.0.5:9000", "relay")).toBe(true);
  expect(isVouched("http://10.0.0.5:9200", "relay")).toBe(false);
  expect(isVouched("http://10.0.0.5:9000", "gateway")).toBe(false);
  expect(isVouched("https://[fd00::1]", "mistral")).toBe(true);
});

test("27.8 with a purpose and no port, the ports of web servers alone are meant", () => {
  expect(isVouched("http://fotos/a.png", "picture")).toBe(true);
  expect(isVouched("https://fotos:8443/a.png", "picture")).toBe(true);
  expect(isVouched("http://fotos:9200/a.png", "picture")).toBe(false);
});

test("27.8 the old form counts for every purpose, and is found so that the operator hears of it", () => {
  for (const purpose of ["gateway", "relay", "picture", "mistral", undefined] as const) {
    expect(isVouched("http://antiga:5678", purpose)).toBe(true);
    expect(isVouched("http://[fd00::2]:90", purpose)).toBe(true);
    expect(isVouched("http://relay:8080", purpose)).toBe(true);
  }
  expect(unboundPrivateHosts(LIST)).toEqual(["antiga", "[fd00::2]:90", "relay:8080"]);
  expect(unboundPrivateHosts("gateway:a:80")).toEqual([]);
});

test("27.8 a purpose that does not exist, and one without a host, are wrong", () => {
  expect(wrongPrivateHosts("letters:a.br:80,gateway:,gateway:10.0.0.0/8,gateway:a:80")).toEqual([1, 2, 3]);
});

test("27.8 the operator's own address needs no entry", () => {
  expect(checkUrl("http://10.0.0.7:9100", new Set(), { configured: true }).vouched).toBe(true);
  expect(() => checkUrl("ftp://10.0.0.7", new Set(), { configured: true })).toThrow();
});
