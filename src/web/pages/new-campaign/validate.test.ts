import { expect, test } from "vitest";
import { attachment as picture } from "../../../../tests/component/support/rows.ts";
import { EMPTY_FORM, inputOf } from "./form.ts";
import { errorsOf } from "./validate.ts";

const now = new Date("2026-11-20T12:00:00Z");
const zone = "America/Sao_Paulo";
const good = { ...EMPTY_FORM, name: "Natal", text: "Oi, {nome}!", list: "7" };
const judged = (changes: Partial<typeof good>, intent: "draft" | "create" = "create") =>
  errorsOf({ ...good, ...changes }, intent, zone, now);

test("a draft needs a name alone, a campaign a text and a list too", () => {
  expect(errorsOf({ ...EMPTY_FORM, name: "Natal" }, "draft", zone, now)).toEqual({});
  expect(errorsOf(EMPTY_FORM, "create", zone, now)).toEqual({
    name: "Preencha este campo.",
    text: "Escreva a mensagem.",
    list: "Escolha uma lista de contatos.",
  });
  expect(judged({})).toEqual({});
});

test("S13 S15 S16 S17 S18 intervals are whole seconds up to a day", () => {
  expect(judged({ intervalS: "-1" }).intervalS).toBe("O valor mínimo é 0.");
  expect(judged({ intervalS: "1000000000" }).intervalS).toBe("O valor máximo é 86.400.");
  for (const typed of ["0.5", "1,5", "abc", "NaN", "Infinity", "1e9"])
    expect(judged({ intervalS: typed }).intervalS).toMatch(/^Use um número inteiro de segundos/);
  expect(judged({ intervalS: "" }).intervalS).toBe("Preencha este campo.");
  expect(judged({ intervalS: "0" })).toEqual({});
  expect(judged({ extraS: "" })).toEqual({});
});

test("T02 T03 T04 T05 texts are too long or cannot be seen", () => {
  expect(judged({ text: "a".repeat(4097) }).text).toBe("Use no máximo 4.096 caracteres.");
  const attachment = picture();
  expect(judged({ text: "a".repeat(1025), attachment }).text).toBe(
    "Com um arquivo, o texto vai até 1.024 caracteres.",
  );
  expect(judged({ text: " \n " }).text).toBe("Escreva a mensagem.");
  expect(judged({ text: "\u200b" }).text).toBe("Escreva a mensagem.");
  expect(judged({ text: "{nome}!" }).text).toBe("Escreva a mensagem.");
  expect(judged({ text: "{nome}!", nameFallback: "Oi" })).toEqual({});
  expect(judged({ text: "{nome}!", attachment })).toEqual({});
});

test("S01 S11 a time that is missing or has passed is said where it stands", () => {
  const at = { when: "at" as const };
  expect(judged({ ...at })).toMatchObject({ date: "Preencha este campo.", time: "Preencha este campo." });
  expect(judged({ ...at, date: "2026-11-27" })).toEqual({ time: "Preencha este campo." });
  expect(judged({ ...at, date: "2026-11-19", time: "08:00" })).toEqual({
    date: "A data do envio já passou.",
  });
  expect(judged({ ...at }, "draft")).toEqual({});
});

test("26.20 what was typed as a day or a time and is none is said there, of a draft too", () => {
  const at = { when: "at" as const, date: "31/02/2027", time: "oito" };
  const said = {
    date: "Escreva uma data que exista, como 27/11/2026.",
    time: "Escreva a hora como 08:00.",
  };
  expect(judged(at)).toEqual(said);
  expect(errorsOf({ ...good, ...at }, "draft", zone, now)).toEqual(said);
});

test("what is sent has the default connection as null and the time in the zone it is meant in", () => {
  expect(inputOf({ ...good, when: "at", date: "2026-11-27", time: "08:00" }, "create", zone, "k")).toEqual({
    audience: null,
    name: "Natal",
    text: "Oi, {nome}!",
    nameFallback: "",
    leaveHint: false,
    attachmentId: null,
    moreAttachmentIds: [],
    connectionId: null,
    listId: 7,
    schedule: { kind: "at", wall: "2026-11-27T08:00", zone },
    intervalS: "60",
    extraS: "0",
    intent: "create",
    idempotencyKey: "k",
  });
});
