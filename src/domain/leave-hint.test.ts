import { expect, test } from "vitest";
import { LEAVE_HINT, withLeaveHint } from "./leave-hint.ts";
import { codePoints, renderMessage } from "./message-text.ts";

test("the line stands after a blank line, also below a name or a value that is missing", () => {
  expect(withLeaveHint("Oi!", true)).toBe("Oi!\n\nResponda SAIR para não receber mais");
  const text = withLeaveHint("Promoção para você, {nome}", true);
  expect(renderMessage(text, "", "")).toBe(`Promoção para você\n\n${LEAVE_HINT}`);
  expect(renderMessage(text, "Ana", "")).toBe(`Promoção para você, Ana\n\n${LEAVE_HINT}`);
});

test("without the switch nothing is added; a picture alone gets the line as its caption, a text that says SAIR gets it too", () => {
  expect(withLeaveHint("Oi!", false)).toBe("Oi!");
  expect(withLeaveHint(" \n", true)).toBe(LEAVE_HINT);
  expect(codePoints(withLeaveHint("Responda SAIR.", true))).toBe(14 + 2 + codePoints(LEAVE_HINT));
});
