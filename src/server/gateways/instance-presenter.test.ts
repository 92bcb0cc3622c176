import { expect, test } from "vitest";
import { Instance } from "../../contract/gateways.ts";
import { instancesOf } from "../transports/gateway/instance-rows.ts";
import { toInstance } from "./instance-presenter.ts";

test("a typed phone number is formatted; for the Cloud API it is Meta's id and not a phone", () => {
  const numberOf = (row: object) => {
    const [there = null] = instancesOf().parse([{ name: "loja", connectionStatus: "open", ...row }]);
    return toInstance(1, there, null, []).number;
  };
  const typed = { number: "5511900000001" };
  expect(numberOf({ ...typed, integration: "WHATSAPP-BAILEYS" })).toBe("5511900000001");
  expect(numberOf({ number: "106540352242922", integration: "WHATSAPP-BUSINESS" })).toBeNull();
  const linked = { ownerJid: "5511900000002@s.whatsapp.net", integration: "WHATSAPP-BUSINESS" };
  expect(numberOf({ ...typed, ...linked })).toBe("5511900000002");
});

test("whatever a server says of when an instance was made, it is shown", () => {
  const made = [
    "9999-12-31T23:59:59-12:00",
    "0000-01-01T00:00:00+01:00",
    "2026-11-20T09:06:00-03:00",
    "ontem",
  ];
  const shown = instancesOf()
    .parse(made.map((createdAt) => ({ name: "loja", createdAt })))
    .map((there) => Instance.parse(toInstance(1, there, null, [])).createdAt);
  expect(shown).toEqual([null, null, "2026-11-20T12:06:00.000Z", null]);
});
