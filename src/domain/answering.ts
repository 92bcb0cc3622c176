import type { MessageKind, MessageSource } from "./chat.ts";
import { leavingWith } from "./leaving.ts";
import { codePoints, isBlank, normalizeText, TEXT_MAX } from "./message-text.ts";
import { takeMarks } from "./template-marks.ts";
import { whatsappFromMarkdown } from "./whatsapp-markdown.ts";

/** Texts are in contract/error-messages.ts. */
export const ANSWER_REASONS = [
  // skipped
  "human",
  "newer",
  "inactive",
  "switched_off",
  "too_old",
  "other_agent",
  "other_connection",
  "too_many",
  "asked_too_often",
  "repeating",
  "day_limit",
  // sent, but not all of it
  "template_gone",
  "template_values",
  // failed; the first two also while retrying
  "rate_limited",
  "down",
  "no_key",
  "wrong_key",
  "agent_missing",
  "refused",
  "garbage",
  "empty",
  "interrupted",
] as const;
export type AnswerReason = (typeof ANSWER_REASONS)[number];

/**
 * `id`: rising by arrival; null for ours. `answers`: the message an assistant answered. `unsent`: certainly
 * not delivered, or deleted.
 */
export type Said = {
  id: number | null;
  answers: number | null;
  fromMe: boolean;
  unsent: boolean;
  source: MessageSource;
  kind: MessageKind;
  text: string;
  at: Date;
};

/** A received message without an answer. */
export type Question = { id: number; text: string; at: Date };

export type Situation = {
  said: readonly Said[];
  now: Date;
  /** The assistant ignores older messages. */
  linkedAt: Date;
  /** Earlier messages were meant for a person. Null: never silent. */
  silentUntil: Date | null;
  answeredId: number;
  answersWithinHour: number;
  askedWithinHour: number;
  /** The other side is itself a number with an assistant. */
  otherAgent: boolean;
  /** The same number is linked twice, and the other assistant answers for both. */
  twinAnswers: boolean;
};

export type Decision =
  | { do: "nothing" }
  | { do: "skip"; question: Question; reason: AnswerReason }
  | { do: "answer"; question: Question };

/**
 * True order. By time alone a quick question may precede the answer before it: WhatsApp uses whole seconds,
 * ours another clock.
 */
export function inOrder(byTime: readonly Said[]): Said[] {
  const said = byTime.filter(({ answers }) => answers === null);
  for (const [place, one] of byTime.entries()) {
    const { answers } = one;
    if (answers === null) continue;
    const later = new Set(byTime.slice(place + 1));
    const byClock = indexOr(said, (other) => later.has(other), said.length);
    const question = indexOr(said, ({ id }) => id === answers, -1);
    const next = indexOr(said, ({ id, fromMe }) => !fromMe && id !== null && id > answers, said.length);
    said.splice(Math.min(Math.max(byClock, question + 1), next), 0, one);
  }
  return said;
}

function indexOr(said: readonly Said[], fits: (one: Said) => boolean, otherwise: number): number {
  const index = said.findIndex(fits);
  return index < 0 ? otherwise : index;
}

const TOO_OLD_MS = 15 * 60_000;
const HOURLY_MOST = 20;
/**
 * Each call costs money, even with a dropped answer; without a limit strangers could spend an account's
 * budget.
 */
const ASKED_MOST = 60;
const SAME_MOST = 3;
const CONTEXT_MOST = 30;
const CONTEXT_TEXT_MOST = 4_000;

/** Campaigns and opt-out confirmations are not answers to a conversation. */
const isAside = ({ source, kind }: Said) =>
  source === "campaign" || source === "opt_out" || kind === "reaction";

export function decide(situation: Situation): Decision {
  const { said, now, linkedAt, silentUntil, answeredId } = situation;
  const question = questionOf(said, answeredId);
  if (question === null) return { do: "nothing" };
  const since = Math.max(linkedAt.getTime(), silentUntil?.getTime() ?? 0);
  // WhatsApp counts in whole seconds.
  if (question.at.getTime() < Math.floor(since / 1_000) * 1_000) return { do: "nothing" };
  const reason = forbidden(situation, now.getTime() - question.at.getTime());
  return reason === null ? { do: "answer", question } : { do: "skip", question, reason };
}

export function isAnsweredByOthers(said: readonly Said[], question: Question): boolean {
  return said.some(
    (one) =>
      one.fromMe &&
      !isAside(one) &&
      one.source !== "agent" &&
      // Times come from different clocks in whole seconds; where both have an id, the ids decide.
      (one.id === null ? one.at >= question.at : one.id > question.id),
  );
}

/** Newest unanswered text of the other side that is no opt-out request. */
function questionOf(said: readonly Said[], answeredId: number): Question | null {
  let question: Question | null = null;
  for (const { id, fromMe, kind, text, at } of said) {
    if (fromMe || id === null || id <= answeredId) continue;
    if (leavingWith({ kind, text }) !== "no") question = null;
    else if (kind === "text") question = { id, text, at };
  }
  if (question === null || isBlank(question.text)) return null;
  return isAnsweredByOthers(said, question) ? null : question;
}

/** Two programs answering each other would never stop. */
function forbidden(situation: Situation, ageMs: number): AnswerReason | null {
  const { said, otherAgent, twinAnswers, answersWithinHour, askedWithinHour } = situation;
  if (ageMs > TOO_OLD_MS) return "too_old";
  if (otherAgent) return "other_agent";
  if (twinAnswers) return "other_connection";
  if (answersWithinHour >= HOURLY_MOST) return "too_many";
  if (askedWithinHour >= ASKED_MOST) return "asked_too_often";
  const turns = turnsOf(said).slice(-SAME_MOST);
  return turns.length === SAME_MOST && turns.every((turn) => turn === turns[0]) ? "repeating" : null;
}

/**
 * Received messages between answers, repetitions once: a program repeats after each answer, an impatient
 * person before it.
 */
function turnsOf(said: readonly Said[]): string[] {
  const turns: Set<string>[] = [];
  let turn: Set<string> | null = null;
  for (const one of said.filter((each) => !isAside(each) && !each.unsent)) {
    if (one.fromMe) turn = null;
    else {
      if (turn === null) {
        turn = new Set();
        turns.push(turn);
      }
      turn.add(one.text.trim());
    }
  }
  return turns.map((texts) => [...texts].join("\n"));
}

export type ContextMessage = { role: "user" | "assistant"; content: string };

/**
 * The conversation for a model, ending with the user, because models refuse otherwise. Media is named by
 * `words`; unsent messages are left out.
 */
export function contextOf(said: readonly Said[], words: Words): ContextMessage[] {
  const heard = said.filter(({ kind, unsent }) => kind !== "reaction" && !unsent);
  const context = inModelTurns(
    heard.slice(-CONTEXT_MOST).map(({ fromMe, kind, text }) => {
      const content = text.toWellFormed().slice(0, CONTEXT_TEXT_MOST).toWellFormed().trim();
      return { role: fromMe ? "assistant" : "user", kind, content };
    }),
    words,
  );
  while (context.at(-1)?.role === "assistant") context.pop();
  return context;
}

type Words = Readonly<Record<Exclude<MessageKind, "text">, string>>;

/** Models want both sides in turns; of a file they read its kind and caption. */
export function inModelTurns(
  said: readonly (ContextMessage & { kind: MessageKind })[],
  words: Words,
): ContextMessage[] {
  const turns: ContextMessage[] = [];
  for (const { role, kind, content: written } of said) {
    const content = readBy(kind, written, words);
    if (content === "") continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n${content}`;
    else turns.push({ role, content });
  }
  return turns;
}

export const readBy = (kind: MessageKind, text: string, words: Words): string =>
  kind === "text" ? text : `[${words[kind]}] ${text}`.trim();

/** `text` null: nothing visible. `templates`: names that it asks for; none of their marks is left in the text. */
export function readAnswer(answer: string, cut: boolean): { text: string | null; templates: string[] } {
  const asked = takeMarks(normalizeText(answer.toWellFormed().replaceAll("\0", "")));
  const message = messageOf(asked.text, cut);
  if (message === null) return { text: null, templates: asked.names };
  // What was written in Markdown may have become a mark.
  const { text, names } = takeMarks(message);
  return { text: isBlank(text) ? null : text, templates: [...new Set([...asked.names, ...names])] };
}

/**
 * A model's answer as a WhatsApp message, within its length and ending with a sentence (`cut`: stopped
 * early). Null when nothing is visible.
 */
export function messageOf(answer: string, cut: boolean): string | null {
  const text = whatsappFromMarkdown(normalizeText(answer.toWellFormed().replaceAll("\0", ""))).trim();
  if (isBlank(text)) return null;
  if (!cut && codePoints(text) <= TEXT_MAX) return text;
  const room = [...text].slice(0, TEXT_MAX - 1).join("");
  const sentences = /^.*(?:[.!?…](?=\s|$)|(?=\n))/su.exec(room)?.[0].trim() ?? "";
  if (sentences.length >= room.length / 2) return sentences;
  return `${/^.*(?=\s)/su.exec(room)?.[0].trim() || room}…`;
}
