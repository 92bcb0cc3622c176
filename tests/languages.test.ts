import path from "node:path";
import { describe, expect, test } from "vitest";
import { catalogueFor, messagesPlugin } from "../scripts/messages-plugin.ts";
import { ERROR_MESSAGES, PORTUGUESE } from "../src/contract/error-messages.ts";
import { ENGLISH } from "../src/contract/error-messages-en.ts";
import { FIELD_MESSAGES } from "../src/contract/field-messages.ts";
import { ANSWER_REASONS } from "../src/domain/answering.ts";
import { ERROR_CODES } from "../src/domain/errors.ts";
import { FAILURE_REASONS } from "../src/domain/failure-reasons.ts";

type Catalogue = Record<string, unknown>;
const PORTUGUESE_FILES = import.meta.glob<Catalogue>(
  ["../src/web/messages/*.ts", "!**/{texts,locale,server,deliveries,format}.ts", "!**/*.test.ts"],
  { eager: true },
);
const ENGLISH_FILES = import.meta.glob<Catalogue>("../src/web/messages/en/*.ts", { eager: true });

type Pair = { place: string; pt: unknown; en: unknown };

function* pairsIn(place: string, pt: unknown, en: unknown): Generator<Pair> {
  if (typeof pt === "object" && pt !== null) {
    const inner = en as Catalogue;
    expect(Object.keys(inner).toSorted(), place).toEqual(Object.keys(pt).toSorted());
    for (const [key, value] of Object.entries(pt)) yield* pairsIn(`${place}.${key}`, value, inner[key]);
  } else yield { place, pt, en };
}

const pairs = Object.entries(PORTUGUESE_FILES).flatMap(([file, pt]) => {
  const en = ENGLISH_FILES[file.replace("/messages/", "/messages/en/")];
  return en === undefined ? [] : [...pairsIn(path.basename(file, ".ts"), pt, en)];
});
const texts = pairs.filter((pair): pair is Pair & { pt: string; en: string } => typeof pair.pt === "string");
type Say = (...figures: unknown[]) => unknown;
const functions = pairs.filter((pair): pair is Pair & { pt: Say; en: Say } => typeof pair.pt === "function");

const MARKS = ["Alfa", "Bravo", "Delta", "Golf"];
const CAMPAIGNS = { sending: 3, paused: 4, scheduled: 5, names: MARKS };
const COUNTS = { messages: 3, contacts: 4, chats: 5 };
const GIVEN: readonly (readonly unknown[])[] = [
  MARKS,
  [3, 4, 5],
  ["Alfa", 4, 5],
  [3, "Bravo", 5],
  [{ name: "Alfa", since: "Bravo", until: "Delta" }],
  [CAMPAIGNS],
  [COUNTS],
  [MARKS],
];

function said(say: Say, figures: readonly unknown[]): string | null {
  try {
    const answer = say(...figures);
    const all = typeof answer === "object" && answer !== null ? Object.values(answer) : [answer];
    const text = all.join(" ");
    return all.every((each) => typeof each === "string") && !/NaN|undefined|\[object/.test(text)
      ? text
      : null;
  } catch {
    return null;
  }
}

const spoken = functions.flatMap(({ place, pt, en }) =>
  GIVEN.flatMap((figures) => {
    const both = { place, pt: said(pt, figures), en: said(en, figures) };
    return both.pt === null || both.en === null ? [] : [{ place, pt: both.pt, en: both.en }];
  }),
);

const marksIn = (text: string) => [...MARKS, "3", "4", "5"].filter((mark) => text.includes(mark)).join();
const gapsIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted().join();

const server = [
  ...ERROR_CODES.map((code) => ({
    place: `error ${code}`,
    pt: PORTUGUESE.errorText(code),
    en: ENGLISH.errorText(code),
  })),
  ...(Object.keys(FIELD_MESSAGES) as (keyof typeof FIELD_MESSAGES)[]).map((code) => ({
    place: `field ${code}`,
    pt: PORTUGUESE.fieldText(code),
    en: ENGLISH.fieldText(code),
  })),
  ...[...FAILURE_REASONS, "wa_463", "other", null].map((code) => ({
    place: `failure ${code}`,
    pt: PORTUGUESE.failureLine("5531907773055", code),
    en: ENGLISH.failureLine("5531907773055", code),
  })),
  ...ANSWER_REASONS.map((reason) => ({
    place: `answer ${reason}`,
    pt: PORTUGUESE.answerReason(reason),
    en: ENGLISH.answerReason(reason),
  })),
  ...(["sameFile", "sameName"] as const).map((name) => ({
    place: name,
    pt: PORTUGUESE[name]("Alfa"),
    en: ENGLISH[name]("Alfa"),
  })),
];
const everything = [...texts, ...spoken, ...server];

/** Portuguese that English texts may hold: names, opt-out words, and what WhatsApp or a message shows. */
const NAMES =
  /(QR Code|API Key|Campo Grande|São Paulo, Rio de Janeiro|Brasília|Cuiabá|Mato Grosso|do Sul|Fortaleza, Ceará|Maranhão|Piauí|Belém|Amapá|Pará|Santarém|Maceió|Alagoas|Araguaína|Porto Velho|Rondônia|Boa Vista|Rio Branco|Eirunepé|Fernando de Noronha|Contato manual|Ana Beatriz|\{nome\}|SAIR, PARAR, CANCELAR|SAIR)/g;
const PORTUGUESE_WORDS =
  /[ãõçáéíóúâêôà]|(?<![\w{])(de|da|dos|não|uma|um|os|para|por|que|sem|sua|seu|esta|este|mais|ainda|envio|envios|campanha|contato|mensagem|erro|lista|exemplo)(?![\w}])/i;

test("figures in the server's words are written as each language writes them", () => {
  const [error, figures] = [{ code: "too_large", n: 86_400 } as const, { limit: 20_000 }];
  expect(PORTUGUESE.fieldText(error)).toBe("O valor máximo é 86.400.");
  expect(ENGLISH.fieldText(error)).toBe("The largest value is 86,400.");
  expect(PORTUGUESE.fieldText({ code: "too_large", n: 1.5 })).toBe("O valor máximo é 1,5.");
  expect(PORTUGUESE.errorText("monthly_limit_reached", figures)).toContain("limite de 20.000 mensagens");
  expect(ENGLISH.errorText("monthly_limit_reached", figures)).toContain("limit of 20,000 messages");
  expect(PORTUGUESE.errorText("device_not_connected", { phone: "5531907773055" })).toContain("5531907773055");
});

test("every catalogue of Portuguese is there in English, and none is left over", () => {
  const names = (files: Record<string, Catalogue>) => Object.keys(files).map((file) => path.basename(file));
  const english = names(ENGLISH_FILES).filter((name) => !/^(locale|server|deliveries)\.ts$/.test(name));
  expect(english.toSorted()).toEqual(names(PORTUGUESE_FILES).toSorted());
  expect(pairs.length).toBeGreaterThan(900);
  expect(Object.keys(ERROR_MESSAGES).length).toBe(ERROR_CODES.length);
});

test("no Portuguese is left in English", () => {
  const left = everything.filter(({ en }) => PORTUGUESE_WORDS.test(en.replaceAll(NAMES, "")));
  expect(left).toEqual([]);
});

test("26.20 each language has one kind of quotation marks: «…» in Portuguese, “…” in English", () => {
  const pt = everything.filter((each) => /[“”]/.test(each.pt)).map((each) => each.pt);
  const en = everything.filter((each) => /[«»]/.test(each.en)).map((each) => each.en);
  expect([...pt, ...en]).toEqual([]);
});

test("no sentence is the same in both", () => {
  // Texts that only join figures or are names have nothing to translate.
  const words = (text: string) =>
    MARKS.reduce((rest, mark) => rest.replaceAll(mark, ""), text.replaceAll(NAMES, ""));
  const same = everything.filter(({ pt, en }) => pt === en && /\p{L}{2,} \p{L}{2,}/u.test(words(pt)));
  expect(same).toEqual([]);
});

test("both languages show the same figures", () => {
  for (const { place, pt, en } of functions) expect([place, en.length]).toEqual([place, pt.length]);
  const heard = new Set(spoken.map(({ place }) => place));
  const silent = functions.filter(({ place }) => !heard.has(place)).map(({ place }) => place);
  expect(silent).toEqual([]);
  expect(spoken.filter(({ pt, en }) => marksIn(pt) !== marksIn(en))).toEqual([]);
  expect([...texts, ...server].filter(({ pt, en }) => gapsIn(pt) !== gapsIn(en))).toEqual([]);
});

describe("one and many", () => {
  const numbered = (say: Say, count: number) => said(say, [count, count, count, count]);
  const counting = functions.filter(({ pt }) => numbered(pt, 1) !== null);

  const differs = (say: Say) => numbered(say, 1)?.replaceAll("1", "2") !== numbered(say, 2);

  const PARTICIPLE =
    /^(2:? ?|sent|delivered|confirmed|read|imported|repeated|merged|refused|skipped|accepted by the server|pending|, )+$/;

  test("differ in English wherever they differ in Portuguese", () => {
    expect(counting.length).toBeGreaterThan(20);
    const alike = counting.filter(({ pt, en }) => differs(pt) && !differs(en));
    expect(
      alike.filter(({ en }) => !PARTICIPLE.test(numbered(en, 2) ?? "")).map(({ place }) => place),
    ).toEqual([]);
  });

  test("agree with the figure", () => {
    const wrong = counting
      .filter(({ pt }) => differs(pt))
      .flatMap(({ place, pt, en }) =>
        [0, 1, 2].flatMap((count) => {
          const [text, own] = [numbered(en, count) ?? "", numbered(pt, count) ?? ""];
          if (count === 1 && /(?<![\d.,])1 \p{L}+s(?!\p{L})/u.test(own)) return [`${place}: ${own}`];
          const bad = count === 1 ? /\b1 (?!s\b)\w+s\b/ : new RegExp(`\\b${count} (${SINGULAR})\\b`);
          return bad.test(text) ? [`${place}: ${text}`] : [];
        }),
      );
    expect(wrong).toEqual([]);
  });
});

function wordsIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
  const between = code.matchAll(/[>}]([^<>{}()=;"'`&|?:]*)[<{]/g);
  const named = code.matchAll(/\b(?:aria-label|title|placeholder|alt|label)="([^"]*)"/g);
  return [...between, ...named].map(([, text = ""]) => text.trim()).filter((text) => /\p{L}{2,}/u.test(text));
}

test("the screens hold no words of their own: all come from the catalogues", () => {
  const screens = import.meta.glob<string>(["../src/web/**/*.tsx", "!**/*.test.tsx"], {
    eager: true,
    query: "?raw",
    import: "default",
  });
  expect(Object.keys(screens).length).toBeGreaterThan(100);
  // Code between angle brackets; names of keys and console commands are the same in all languages.
  const none =
    /^(else|catch|finally|optional|Promise|Enter|Esc|npm run restore -- --release|\/\w+\/)$|^(export|function|async|const|type|import|return|if)\b/;
  const left = Object.entries(screens).flatMap(([file, source]) =>
    wordsIn(source).flatMap((text) => (none.test(text) ? [] : [`${path.basename(file)}: ${text}`])),
  );
  expect(left).toEqual([]);
});

const SINGULAR =
  "message|contact|campaign|connection|instance|event|list|row|person|day|error|bot|session|chat|key";

describe("the build in English", () => {
  const messages = path.join(import.meta.dirname, "..", "src", "web", "messages");

  test("takes each catalogue from messages/en, and everything else from where it is", () => {
    const english = (file: string) => path.relative(messages, catalogueFor("en", path.join(messages, file)));
    expect(english("chat.ts")).toBe(path.join("en", "chat.ts"));
    expect(english("en/chat.ts")).toBe(path.join("en", "chat.ts"));
    expect(english("texts.ts")).toBe("texts.ts");
    expect(english("../format.ts")).toBe(path.join("..", "format.ts"));
    expect(catalogueFor("pt-BR", path.join(messages, "chat.ts"))).toBe(path.join(messages, "chat.ts"));
  });

  test("says so to the browser before any script runs", () => {
    const { transformIndexHtml } = messagesPlugin("en");
    if (typeof transformIndexHtml !== "function") throw new Error("no transformIndexHtml");
    const html = import.meta.glob<string>("../index.html", { query: "?raw", import: "default", eager: true });
    const made = transformIndexHtml.call({} as never, html["../index.html"] ?? "", {} as never);
    expect(made).toContain('<html lang="en">');
    expect(String(made).replace(/<!--.*?-->/gs, "")).not.toMatch(PORTUGUESE_WORDS);
  });
});
