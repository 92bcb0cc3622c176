import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../tests/support/code-point.ts";
import { greetingName } from "./greeting-name.ts";
import {
  CAMPAIGN_NAME_MAX,
  CAPTION_MAX,
  draftTextError,
  isBlank,
  lineError,
  normalizeLine,
  normalizeText,
  renderMessage,
  TEXT_MAX,
  textError,
  usesName,
} from "./message-text.ts";

const family = "👨‍👩‍👧‍👦";

describe("limits", () => {
  test.each([
    ["T01 4,096 code points", "a".repeat(4096), false, null],
    ["T01 4,096 emoji count as 4,096", "😀".repeat(4096), false, null],
    ["T02 4,097", "a".repeat(4097), false, "too_long"],
    ["T03 caption of 1,024", "a".repeat(CAPTION_MAX), true, null],
    ["T03 caption of 1,025", "a".repeat(CAPTION_MAX + 1), true, "caption_too_long"],
    ["T03 1,025 without an image", "a".repeat(CAPTION_MAX + 1), false, null],
    ["T04 nothing", "", false, "required"],
    ["T04 only spaces", " \n\t\u00a0\u3000", false, "required"],
    ["T04 only spaces as caption", "  ", true, "required"],
    ["T05 only zero-width", "\u200b\u200d\u2060\ufeff\u00ad\u3164\u2800", false, "required"],
    ["T10 lone surrogate", "Oi \ud83d!", false, "unreadable"],
    ["T10 U+0000", "Oi\0", false, "unreadable"],
    ["T11 ZWJ emoji", family, false, null],
    ["T11 Zalgo", "o\u0300\u0301\u0302\u0303\u0304i", false, null],
    ["T07 other templates", `{{nome}} \${x} <%= y %>`, false, null],
    ["T08 markup", "<script>alert(1)</script>", false, null],
    ["T09 SQL", "'; drop table campaign; --", false, null],
  ])("%s", (_, text, caption, expected) =>
    expect(textError(normalizeText(text), caption ? "image" : null)).toBe(expected),
  );

  test("a sound takes no text, a document a caption", () => {
    expect(textError("Ouça", "voice")).toBe("no_caption");
    expect(textError(" ", "audio")).toBeNull();
    expect(textError("Segue", "document")).toBeNull();
  });

  test("a draft's text may be empty, but not unreadable or too long", () => {
    expect(draftTextError("")).toBeNull();
    expect(draftTextError("a".repeat(TEXT_MAX + 1))).toBe("too_long");
    expect(draftTextError("\udc00")).toBe("unreadable");
  });

  test.each([
    ["T13 one letter", "A", null],
    ["T13 120", "ã".repeat(120), null],
    ["T13 121", "a".repeat(121), "too_long"],
    ["T13 empty", "", "required"],
    ["T13 only spaces", "   ", "required"],
    ["T13 zero-width", "\u200b", "required"],
    ["T10 lone surrogate", "\ud800", "unreadable"],
  ])("campaign name: %s", (_, name, expected) => {
    expect(lineError(normalizeLine(name), CAMPAIGN_NAME_MAX)).toBe(expected);
  });

  test("T12 CRLF and CR are stored as LF, letters composed, the rest as typed", () => {
    expect(normalizeText("a\r\nb\rc\n\n  Sa\u0303o  ")).toBe("a\nb\nc\n\n  São  ");
    expect(normalizeLine("  Black\r\n Friday\t2026 ")).toBe("Black Friday 2026");
  });
});

describe("{nome}", () => {
  test.each([
    ["Oi, {nome}! Tudo bem?", "Ana Beatriz", "Oi, Ana Beatriz! Tudo bem?"],
    ["{nome}, {NOME} e {Nome}", "Zé", "Zé, Zé e Zé"],
    ["Oi, {nome}", "  Ana \n Rocha ", "Oi, Ana Rocha"],
    ["Oi, {nome}", "$& $1 {nome}", "Oi, $& $1 {nome}"],
    [
      `T07 {{nome}} \${x} <%= nome %> { nome } {telefone}`,
      "Ana",
      `T07 {{nome}} \${x} <%= nome %> { nome } {telefone}`,
    ],
    ["T08 {nome}", "<b>Ana</b>", "T08 <b>Ana</b>"],
    [`{nome} ${family}`, "Ana", `Ana ${family}`],
  ])("%s for %s", (text, name, expected) => expect(renderMessage(text, name, "cliente")).toBe(expected));

  test("a contact without a name gets the fallback", () => {
    expect(renderMessage("Oi, {nome}!", "", "cliente")).toBe("Oi, cliente!");
    expect(renderMessage("Oi, {nome}!", " \u200b ", "cliente")).toBe("Oi, cliente!");
  });

  test.each([
    ["Oi, {nome}! Tudo bem?", "Oi! Tudo bem?"],
    ["Oi {nome}, tudo bem?", "Oi, tudo bem?"],
    ["Oi, {nome}, tudo bem?", "Oi, tudo bem?"],
    ["Olá, {nome}.\nSua consulta", "Olá.\nSua consulta"],
    ["{nome}, seus óculos chegaram", "Seus óculos chegaram"],
    ["{nome}! Seus óculos", "Seus óculos"],
    ["{nome}", ""],
    ["Bom dia, {nome}", "Bom dia"],
    ["Bom dia, {nome}\nTudo bem?", "Bom dia\nTudo bem?"],
    ["Oi!\n{nome}, é hoje", "Oi!\nÉ hoje"],
    ["Guardamos para {nome} com carinho", "Guardamos para com carinho"],
    ["Oi, *{nome}*! É hoje", "Oi! É hoje"],
    ["Oi, _{nome}_", "Oi"],
    ["{{nome}}, oi", "{{nome}}, oi"],
  ])("without name and fallback «%s»", (text, expected) =>
    expect(renderMessage(text, "", "")).toBe(expected),
  );

  test.each([
    ["Olá {primeiro_nome}!", "Ana Beatriz Rocha", "Olá Ana!"],
    ["Olá {PRIMEIRO_NOME}! {nome}", "Dra. Ana Rocha", "Olá Dra. Ana! Dra. Ana Rocha"],
    ["{primeiro_nome}{nome}{primeiro_nome}", "José Dias", "JoséJosé DiasJosé"],
    ["Oi, {primeiro_nome}", "", "Oi, amigo da loja"],
    [
      "{{primeiro_nome}} { primeiro_nome } {primeironome}",
      "Ana",
      "{{primeiro_nome}} { primeiro_nome } {primeironome}",
    ],
    ["Oi, {primeiro_nome}", "{nome} $1", "Oi, {nome}"],
  ])("MS01 «%s» for «%s»", (text, name, expected) =>
    expect(renderMessage(text, name, "amigo da loja")).toBe(expected),
  );

  test("MS01 the place of {primeiro_nome} is closed as that of {nome} is", () => {
    expect(renderMessage("Oi, *{primeiro_nome}*! É hoje", "", "")).toBe("Oi! É hoje");
    expect(renderMessage("{primeiro_nome}, seus óculos", "", "")).toBe("Seus óculos");
    expect(usesName("{primeiro_nome}")).toBe(true);
  });

  test("MS01 a campaign that started before {primeiro_nome} had a meaning keeps its message", () => {
    const text = "Olá {primeiro_nome}, {nome}";
    expect(renderMessage(text, "Ana Rocha", "", 1)).toBe("Olá {primeiro_nome}, Ana Rocha");
    expect(renderMessage(text, "Ana Rocha", "")).toBe("Olá Ana, Ana Rocha");
    expect(renderMessage(text, "", "", 1)).toBe("Olá {primeiro_nome}");
    expect(usesName("{primeiro_nome}", 1)).toBe(false);
  });

  test("IM28 a campaign that started before names were judged greets as it did: the same id is the same message", () => {
    for (const name of ["NULL", "João da Silva 123.456.789-09"])
      expect(renderMessage("Oi, {nome}!", name, "cliente", 1)).toBe(`Oi, ${name}!`);
    expect(renderMessage("Oi, {nome}!", "NULL", "cliente")).toBe("Oi, cliente!");
  });

  test("usesName says the same every time", () => {
    for (let i = 0; i < 3; i++) expect(usesName("Oi, {nome}")).toBe(true);
    expect(usesName("Oi, {{nome}}")).toBe(false);
  });

  test("a normalized name is rendered like any other, with invisible marks and spaces", () => {
    const latin = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x17f }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(latin, (name) => {
        const own = greetingName(name);
        const called = isBlank(own) ? "cliente" : normalizeLine(own);
        expect(renderMessage("{nome}|{Nome}", name, "cliente")).toBe(`${called}|${called}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a text without the place is never touched, and the result depends on the arguments alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT }), fc.string(), fc.string(), (text, name, fallback) => {
        if (usesName(text)) return;
        expect(renderMessage(text, name, fallback)).toBe(text);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("{nome}", "Oi", ", ", "!", "\n", "*", " ")),
        fc.string(),
        (parts, name) => {
          const text = parts.join("");
          expect(renderMessage(text, name, "")).toBe(renderMessage(text, name, ""));
          expect(renderMessage(text, "", "")).not.toMatch(/(?<!\{)\{nome\}(?!\})/);
        },
      ),
    );
  });
});

describe("fields of a person", () => {
  const said = (text: string, values: Record<string, string>, name = "Ana Rocha") =>
    renderMessage(text, name, "cliente", undefined, values);

  test.each([
    ["{nome}, dia {data}: {preco}", "Ana Rocha, dia 20/12/2026: 1.234,5"],
    ["{DATA} {Data}", "20/12/2026 20/12/2026"],
    ["{{data}} { data } {outro}", "{{data}} { data } {outro}"],
    ["{constructor} {__proto__}", "{constructor} {__proto__}"],
  ])("%s", (text, expected) => {
    expect(said(text, { data: "20/12/2026", preco: "1.234,5" })).toBe(expected);
  });

  test("what a value or a name holds is never read as a place", () => {
    expect(said("{nome}: {pet}, {dono}", { pet: "{nome} {dono} $& $1", dono: "{pet}" }, "{pet} \\0")).toBe(
      "{pet} \\0: {nome} {dono} $& $1, {pet}",
    );
  });

  test("the gap of a nameless person closes as without fields", () => {
    expect(renderMessage("Oi, {nome}! {pet} espera.", "", "", undefined, { pet: "Rex" })).toBe(
      "Oi! Rex espera.",
    );
  });
});
