import { expect, test } from "vitest";
import { paceText } from "./pace-text.ts";

test("a pace is said as people say it, also where hours or days lie between two messages", () => {
  expect(paceText(null)).toBe("Medindo o ritmo");
  expect([40, 1.2, 0.9].map(paceText)).toEqual([
    "40 mensagens por minuto",
    "1 mensagem por minuto",
    "1 mensagem por minuto",
  ]);
  expect([0.5, 1 / 60, 1 / 160].map(paceText)).toEqual([
    "1 mensagem a cada 2 min",
    "1 mensagem por hora",
    "1 mensagem a cada 2 h 40 min",
  ]);
  expect([1 / 490, 1 / (5 * 1440)].map(paceText)).toEqual([
    "Cerca de 1 mensagem a cada 8 horas",
    "Cerca de 1 mensagem a cada 5 dias",
  ]);
});
