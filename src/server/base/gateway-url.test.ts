import { describe, expect, test } from "vitest";
import { readGatewayUrl } from "./gateway-url.ts";

test.each([
  ["https://evo.exemplo.com.br", "https://evo.exemplo.com.br"],
  ["https://evo.exemplo.com.br/", "https://evo.exemplo.com.br"],
  ["  https://EVO.exemplo.com.br:443//  ", "https://evo.exemplo.com.br"],
  ["evo.exemplo.com.br", "https://evo.exemplo.com.br"],
  ["evo.exemplo.com.br:8080", "https://evo.exemplo.com.br:8080"],
  ["http://10.0.0.5:8080/", "http://10.0.0.5:8080"],
  ["https://exemplo.com.br/evolution/", "https://exemplo.com.br/evolution"],
  ["https://evo.exemplo.com.br/manager", "https://evo.exemplo.com.br"],
  ["https://evo.exemplo.com.br/manager/login", "https://evo.exemplo.com.br"],
  ["https://evo.exemplo.com.br./", "https://evo.exemplo.com.br"],
  ["https://a.br/x/../y", "https://a.br/y"],
])("%s is stored as %s", (typed, stored) => {
  expect(readGatewayUrl(typed)).toBe(stored);
  expect(readGatewayUrl(stored)).toBe(stored);
});

describe("is no address of a server", () => {
  test.each([
    "",
    "   ",
    "ftp://evo.exemplo.com.br",
    "javascript://x",
    "file:///etc/passwd",
    "https://ana:senha@evo.exemplo.com.br",
    "https://ana@evo.exemplo.com.br",
    "https://evo.exemplo.com.br/?apikey=1",
    "https://evo.exemplo.com.br?",
    "https://evo.exemplo.com.br/#/login",
    "https://",
    "https://evo exemplo",
    "https://evo\n.exemplo.com",
    `https://${"a".repeat(400)}.br`,
  ])("%j", (typed) => {
    expect(readGatewayUrl(typed)).toBeNull();
  });
});
