import { expect, test } from "vitest";
import { estimateWords } from "./estimate.ts";
import { EMPTY_FORM } from "./form.ts";

const zone = "America/Sao_Paulo";
const now = new Date("2026-11-20T12:00:00Z");
const at = { ...EMPTY_FORM, when: "at" as const, date: "2026-11-27", time: "08:00" };

test("a scheduled campaign says how long it takes, when it starts and when it ends", () => {
  expect(estimateWords(at, 480, zone, now)).toEqual({
    fact: "480 mensagens, cerca de 8 horas.",
    course: "Começa sexta-feira, 27/11, às 08:00 e termina às 16:00.",
  });
  expect(estimateWords({ ...at, time: "20:00" }, 480, zone, now)?.course).toBe(
    "Começa sexta-feira, 27/11, às 20:00 e termina sábado, 28/11, às 04:00.",
  );
});

test("an immediate one ends today, and the random extra counts by half", () => {
  expect(estimateWords({ ...EMPTY_FORM, extraS: "60" }, 10, zone, now)).toEqual({
    fact: "10 mensagens, 15 min.",
    course: "Começa ao criar e termina hoje às 09:15.",
  });
});

test("without an interval nobody knows the end, and nothing is made up", () => {
  expect(estimateWords({ ...EMPTY_FORM, intervalS: "0" }, 480, zone, now)).toEqual({
    fact: "480 mensagens, no ritmo da conexão.",
    course: "Começa ao criar a campanha.",
  });
  expect(estimateWords({ ...EMPTY_FORM, intervalS: "abc" }, 480, zone, now)).toBeNull();
  expect(estimateWords(EMPTY_FORM, null, zone, now)).toBeNull();
});
