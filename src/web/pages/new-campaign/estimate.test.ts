import { expect, test } from "vitest";
import { attachment as picture } from "../../../../tests/component/support/rows.ts";
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

test("one that ends on another day than tomorrow says on which, in a sentence", () => {
  expect(estimateWords({ ...EMPTY_FORM, intervalS: "3600" }, 120, zone, now)).toEqual({
    fact: "120 mensagens, cerca de 5 dias.",
    course: "Começa ao criar e termina em 25/11/2026 às 09:00.",
  });
});

test("without an interval no end is estimated", () => {
  expect(estimateWords({ ...EMPTY_FORM, intervalS: "0" }, 480, zone, now)).toEqual({
    fact: "480 mensagens, no ritmo da conexão.",
    course: "Começa ao criar a campanha.",
  });
  expect(estimateWords({ ...EMPTY_FORM, intervalS: "abc" }, 480, zone, now)).toBeNull();
  expect(estimateWords(EMPTY_FORM, null, zone, now)).toBeNull();
});

test("one that starts now says no end while others send over its connection, and no start while that sends nothing", () => {
  const through = (state: "connected" | "disconnected", cause: string | null, sending = 0) => ({
    state,
    cause,
    campaigns: { sending, paused: 0, scheduled: 0, names: [] },
  });
  const said = (form: typeof EMPTY_FORM, way: ReturnType<typeof through> | null) =>
    estimateWords(form, 10, zone, now, way);
  expect(said(EMPTY_FORM, through("connected", null))?.course).toBe(
    "Começa ao criar e termina hoje às 09:10.",
  );
  expect(said(EMPTY_FORM, through("connected", null, 2))).toEqual({
    fact: "10 mensagens, no ritmo da conexão, dividido com 2 campanhas em andamento.",
    course: "Começa ao criar a campanha.",
  });
  const waits = { fact: "10 mensagens, 10 min.", course: "Começa quando a conexão puder enviar." };
  expect(said(EMPTY_FORM, through("disconnected", "network"))).toEqual(waits);
  expect(said(EMPTY_FORM, through("connected", "timelocked"))).toEqual(waits);
  const attachment = picture();
  expect(said({ ...EMPTY_FORM, attachment }, through("connected", "upload_failed"))).toEqual(waits);
  expect(said(EMPTY_FORM, through("connected", "upload_failed"))?.course).toMatch(
    /^Começa ao criar e termina/,
  );
  expect(said(EMPTY_FORM, null)?.course).toBe("");
});

test("one that starts at an hour says an end without more only where no other is to share its connection", () => {
  const said = (sending: number, scheduled: number, unbound = 0) => {
    const through = {
      state: "connected" as const,
      cause: null,
      campaigns: { sending, paused: 0, scheduled, names: [] },
    };
    return estimateWords(at, 10, zone, now, through, unbound)?.course;
  };
  expect(said(0, 0)).toBe("Começa sexta-feira, 27/11, às 08:00 e termina às 08:10.");
  const alone = "Começa sexta-feira, 27/11, às 08:00 e, se nenhuma outra usar a conexão, termina às 08:10.";
  expect([said(2, 0), said(0, 1), said(0, 0, 1)]).toEqual([alone, alone, alone]);
});
