import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { settingsText as english } from "../../web/messages/en/settings.ts";
import { settingsText as portuguese } from "../../web/messages/settings.ts";
import { keepTerms, loadTerms } from "./terms.ts";

const { db } = await testDatabase();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-terms-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function file(content: string | Buffer): string {
  const name = path.join(folder, `${fs.readdirSync(folder).length}.md`);
  fs.writeFileSync(name, content);
  return name;
}

test("the terms that come with Recado are Portuguese, and their version follows their text", () => {
  const terms = loadTerms(null);
  expect(terms.text).toMatch(/^# Termos de uso\n/);
  expect(terms.version).toMatch(/^[0-9a-f]{12}$/);
  expect(loadTerms(file(`${terms.text.replaceAll("\n", "\r\n")}\r\n`))).toEqual(terms);
  expect(loadTerms(file(`${terms.text} `.replace("Recado", "Outro"))).version).not.toBe(terms.version);
});

test("they come in English too, while an operator's own are the same to everybody", () => {
  expect(loadTerms(null, "en").text).toMatch(/^# Terms of use\n/);
  const sections = (text: string) => text.match(/^## \d+/gm);
  expect(sections(loadTerms(null, "en").text)).toEqual(sections(loadTerms(null).text));
  const own = file("# Regras da casa");
  expect(loadTerms(own, "en")).toEqual(loadTerms(own));
});

test("they say what a person does without the operator, under the names that the settings have", () => {
  for (const [language, common, settings] of [
    ["pt-BR", "operador", portuguese],
    ["en", "operator", english],
  ] as const) {
    const { text } = loadTerms(null, language);
    const data = text.split(/^## /m).find((section) => section.startsWith("5."));
    expect(data).toContain(settings.title);
    expect(data).toContain(settings.tabs.geral);
    expect(data).toMatch(language === "en" ? /delete the account yourself/ : /você mesmo .* exclui a conta/);
    expect(data).toMatch(
      language === "en" ? /download a copy of all your data/ : /baixa uma cópia de todos os seus dados/,
    );
    expect(text).not.toMatch(new RegExp(`(fale com|pe[çd]\\S*|talk to|ask) (o|the) ${common}`));
  }
});

test.each([
  ["missing", () => path.join(folder, "missing.md")],
  ["empty", () => file(" \n ")],
  ["not UTF-8", () => file(Buffer.from("Condições", "latin1"))],
  ["far too long", () => file("a".repeat(600_000))],
  ["a folder", () => folder],
])("a terms file that is %s stops the start, in words", (_name, made) => {
  const name = made();
  expect(() => loadTerms(name)).toThrow(`RECADO_TERMS_FILE=${name}`);
});

test("a text that was accepted stays readable under its version", async () => {
  const first = loadTerms(file("# Primeira"));
  await keepTerms(db, first);
  await keepTerms(db, loadTerms(file("# Segunda")));
  await keepTerms(db, first);
  const kept = await sql<{ text: string }>`
    select value ->> 'text' as text from setting where key like 'terms:%' order by 1`.execute(db);
  expect(kept.rows).toEqual([{ text: "# Primeira" }, { text: "# Segunda" }]);
});
