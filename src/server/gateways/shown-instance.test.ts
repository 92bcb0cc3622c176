import { expect, test } from "vitest";
import { instancesOf } from "../transports/gateway/shapes.ts";
import { shownInstance } from "./shown-instance.ts";

test("what was typed as the number of a phone is shown as one; of the Cloud API it is Meta's own, and nobody's phone", () => {
  const numberOf = (row: object) => {
    const [there = null] = instancesOf().parse([{ name: "loja", connectionStatus: "open", ...row }]);
    return shownInstance(1, there, null, []).number;
  };
  const typed = { number: "5511900000001" };
  expect(numberOf({ ...typed, integration: "WHATSAPP-BAILEYS" })).toBe("5511900000001");
  expect(numberOf({ number: "106540352242922", integration: "WHATSAPP-BUSINESS" })).toBeNull();
  const linked = { ownerJid: "5511900000002@s.whatsapp.net", integration: "WHATSAPP-BUSINESS" };
  expect(numberOf({ ...typed, ...linked })).toBe("5511900000002");
});
