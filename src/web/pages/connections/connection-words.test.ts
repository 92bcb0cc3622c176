import { expect, test } from "vitest";
import { connectionsText } from "../../messages/connections.ts";
import { connectionsText as english } from "../../messages/en/connections.ts";

test("the number of the campaigns that wait is not left at a line's end, away from them", () => {
  expect(connectionsText.notes.waits(1)).toBe("1\u00a0campanha espera.");
  expect(connectionsText.notes.waits(12)).toBe("12\u00a0campanhas esperam.");
  expect(english.notes.waits(1)).toBe("1\u00a0campaign is waiting.");
});
