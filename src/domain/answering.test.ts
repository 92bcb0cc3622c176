import { describe, expect, test } from "vitest";
import {
  contextOf,
  decide,
  inOrder,
  isAnsweredByOthers,
  messageOf,
  type Said,
  type Situation,
} from "./answering.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
let ids = 0;
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

const theirs = (text: string, more: Partial<Said> = {}): Said => ({
  id: ++ids,
  answers: null,
  fromMe: false,
  unsent: false,
  source: "contact",
  kind: "text",
  text,
  at: secondsAgo(5),
  ...more,
});
const ours = (text: string, more: Partial<Said> = {}): Said => ({
  id: null,
  answers: null,
  fromMe: true,
  unsent: false,
  source: "agent",
  kind: "text",
  text,
  at: secondsAgo(60),
  ...more,
});
const situation = (said: readonly Said[], more: Partial<Situation> = {}): Situation => ({
  said,
  now: NOW,
  linkedAt: secondsAgo(3_600),
  silentUntil: null,
  answeredId: 0,
  answersWithinHour: 0,
  askedWithinHour: 0,
  otherAgent: false,
  twinAnswers: false,
  ...more,
});
const done = (said: readonly Said[], more: Partial<Situation> = {}) => {
  const decision = decide(situation(said, more));
  return decision.do === "skip" ? decision.reason : decision.do;
};

describe("decide", () => {
  test("the newest text of the other side is answered, what comes with it or before it too", () => {
    const first = theirs("Oi");
    const question = theirs("Quanto custa?");
    const said = [first, question, theirs("", { kind: "image" }), theirs("👍", { kind: "reaction" })];
    expect(decide(situation(said))).toMatchObject({
      do: "answer",
      question: { text: "Quanto custa?", id: question.id },
    });
  });

  test("no answer to silence, media alone, blank text, a word of leaving, or the same message twice", () => {
    const answered = theirs("Oi");
    expect(done([])).toBe("nothing");
    expect(done([ours("Oi")])).toBe("nothing");
    expect(done([theirs("", { kind: "audio" })])).toBe("nothing");
    expect(done([theirs(" \u200b")])).toBe("nothing");
    expect(done([theirs("Quanto custa?"), theirs("Sair!")])).toBe("nothing");
    expect(done([theirs("Quanto custa?"), theirs("Sair!", { kind: "image" })])).toBe("nothing");
    expect(done([theirs("Sair!", { kind: "image" }), theirs("Quanto custa?")])).toBe("answer");
    expect(done([answered], { answeredId: answered.id ?? 0 })).toBe("nothing");
    expect(done([theirs("quero sair mais cedo")])).toBe("answer");
  });

  test("an answer by phone, screen or another program counts; campaigns and confirmations do not", () => {
    const question = theirs("Oi");
    for (const source of ["phone", "gateway"] as const)
      expect(done([question, ours("Olá", { source, id: ++ids })])).toBe("nothing");
    for (const source of ["chat", "api"] as const)
      expect(done([question, ours("Olá", { source, at: secondsAgo(1) })])).toBe("nothing");
    for (const source of ["campaign", "opt_out"] as const)
      expect(done([question, ours("Promoção", { source, at: secondsAgo(1) })])).toBe("answer");
    // An earlier message is no answer to the question, even if a wrong clock says so.
    const before = ours("Olá", { source: "phone", id: ++ids, at: secondsAgo(1) });
    expect(done([before, theirs("Oi")])).toBe("answer");
    expect(
      isAnsweredByOthers([question, ours("Olá", { at: secondsAgo(1) })], { id: 1, text: "", at: NOW }),
    ).toBe(false);
  });

  test("an answer of ours whose clock is ahead hides no new message", () => {
    const first = theirs("Oi", { at: secondsAgo(30) });
    const second = theirs("E o preço?", { at: secondsAgo(8) });
    expect(done([first, second, ours("Olá!", { at: secondsAgo(3) })], { answeredId: first.id ?? 0 })).toBe(
      "answer",
    );
  });

  test("what was written before the link is not its business, of the same second it is", () => {
    expect(done([theirs("Oi")], { linkedAt: secondsAgo(4) })).toBe("nothing");
    expect(done([theirs("Oi")], { linkedAt: new Date(secondsAgo(5).getTime() + 900) })).toBe("answer");
  });

  test("what was written while a person had the conversation is not its business afterwards, of the same second it is", () => {
    expect(done([theirs("Obrigada!")], { silentUntil: secondsAgo(4) })).toBe("nothing");
    expect(done([theirs("Oi")], { silentUntil: new Date(secondsAgo(5).getTime() + 900) })).toBe("answer");
    expect(
      done([theirs("Obrigada!"), theirs("Oi", { at: secondsAgo(3) })], { silentUntil: secondsAgo(4) }),
    ).toBe("answer");
  });

  test("old messages, other agents, the twenty-first answer and the sixty-first question of an hour and repetitions are skipped", () => {
    expect(done([theirs("Oi", { at: secondsAgo(901) })])).toBe("too_old");
    expect(done([theirs("Oi", { at: secondsAgo(899) })])).toBe("answer");
    expect(done([theirs("Oi")], { otherAgent: true })).toBe("other_agent");
    expect(done([theirs("Oi")], { twinAnswers: true })).toBe("other_connection");
    expect(done([theirs("Oi")], { answersWithinHour: 20 })).toBe("too_many");
    expect(done([theirs("Oi")], { answersWithinHour: 19 })).toBe("answer");
    expect(done([theirs("Oi")], { askedWithinHour: 60 })).toBe("asked_too_often");
    expect(done([theirs("Oi")], { askedWithinHour: 59 })).toBe("answer");
    const loop = (text: string) => [theirs(text), ours("Não entendi")];
    expect(done([...loop("Digite 1"), ...loop("Digite 1"), theirs("Digite 1 ")])).toBe("repeating");
    const unanswered = [...loop("Digite 1"), ...loop("Digite 1"), theirs("Digite 1"), theirs("Digite 1")];
    expect(done(unanswered)).toBe("repeating");
    expect(done([...loop("Digite 1"), ...loop("Digite 2"), theirs("Digite 1")])).toBe("answer");
    expect(done([theirs("oi"), theirs("oi"), theirs("oi")])).toBe("answer");
    // Repeating a question that got no answer does not look like a program.
    const unheard = [theirs("oi"), ours("Olá!", { unsent: true })];
    expect(done([...unheard, ...unheard, theirs("oi")])).toBe("answer");
  });
});

test("inOrder: an answer stands before the question that followed it, whatever the clocks say", () => {
  const [first, second, third] = [theirs("1"), theirs("2"), theirs("3")];
  const answer = ours("A1", { answers: first.id });
  const campaign = ours("Promoção", { source: "campaign" });
  const texts = (said: readonly Said[]) => inOrder(said).map(({ text }) => text);
  expect(texts([first, second, answer, third])).toEqual(["1", "A1", "2", "3"]);
  expect(texts([first, answer, campaign, second])).toEqual(["1", "A1", "Promoção", "2"]);
  expect(texts([answer, first, second])).toEqual(["1", "A1", "2"]);
  const both = ours("A2", { answers: second.id });
  expect(texts([first, second, both, third, campaign])).toEqual(["1", "2", "A2", "3", "Promoção"]);
});

const WORDS = {
  image: "imagem",
  audio: "áudio",
  video: "v",
  document: "d",
  sticker: "s",
  location: "l",
  contact: "c",
  reaction: "r",
  vote: "v",
  poll: "p",
  event: "e",
  product: "pr",
  order: "or",
  payment: "pa",
  invite: "i",
  other: "o",
};

describe("contextOf", () => {
  test("what certainly never left was not said", () => {
    const context = contextOf(
      [
        ours("Promoção", { source: "campaign", unsent: true }),
        theirs("Quanto custa?"),
        ours("R$ 50", { unsent: true }),
        theirs("E então?"),
      ],
      WORDS,
    );
    expect(context).toEqual([{ role: "user", content: "Quanto custa?\nE então?" }]);
  });

  test("both sides take turns, media is named, and the last word is theirs", () => {
    const context = contextOf(
      [
        ours("Promoção de óculos!", { source: "campaign" }),
        theirs("Oi"),
        theirs("olha", { kind: "image" }),
        theirs("", { kind: "audio" }),
        theirs("❤️", { kind: "reaction" }),
        ours("Que lindo"),
        theirs("Quanto custa?"),
        ours("Outra campanha", { source: "campaign" }),
      ],
      WORDS,
    );
    expect(context).toEqual([
      { role: "assistant", content: "Promoção de óculos!" },
      { role: "user", content: "Oi\n[imagem] olha\n[áudio]" },
      { role: "assistant", content: "Que lindo" },
      { role: "user", content: "Quanto custa?" },
    ]);
  });

  test("the last thirty messages at most, long ones shortened without half a character", () => {
    const long = `${"a".repeat(3_999)}🐝🐝`;
    const context = contextOf(
      [...Array.from({ length: 40 }, (_, i) => theirs(`m${i}`)), theirs(long), theirs("fim")],
      WORDS,
    );
    const lines = context[0]?.content.split("\n") ?? [];
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([30, "m12", "fim"]);
    expect(context[0]?.content.isWellFormed()).toBe(true);
    expect(contextOf([ours("só nós")], WORDS)).toEqual([]);
  });
});

describe("messageOf", () => {
  test("an answer that fits stays as it is", () => {
    expect(messageOf(" Olá!\r\nTudo bem? ", false)).toBe("Olá!\nTudo bem?");
    expect(messageOf("á".repeat(4_096), false)).toHaveLength(4_096);
  });

  test("a long one ends with a sentence, or with a word and a sign that there was more", () => {
    const sentences = messageOf("Uma frase de teste. ".repeat(400), false) ?? "";
    expect(sentences.length).toBeLessThanOrEqual(4_096);
    expect(sentences.length).toBeGreaterThan(4_000);
    expect(sentences.endsWith("teste.")).toBe(true);
    const words = messageOf("palavra ".repeat(900), false) ?? "";
    expect(words).toMatch(/palavra…$/);
    expect([...(messageOf("🐝".repeat(9_000), false) ?? "")]).toHaveLength(4_096);
  });

  test("what the model was stopped in loses its broken end", () => {
    expect(messageOf("Temos três modelos. O primeiro cus", true)).toBe("Temos três modelos.");
    expect(messageOf("Sim. Temos muitos modelos de óculos na lo", true)).toBe(
      "Sim. Temos muitos modelos de óculos na…",
    );
  });

  test("what cannot be seen or sent is nothing", () => {
    expect(messageOf("\u200b \n", false)).toBeNull();
    expect(messageOf("a\0b\ud800", false)).toBe("ab\ufffd");
  });
});
