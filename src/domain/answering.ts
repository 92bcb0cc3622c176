import type { MessageKind, MessageSource } from "./chat.ts";
import { leavingWith } from "./leaving.ts";
import { codePoints, isBlank, normalizeText, TEXT_MAX } from "./message-text.ts";
import { whatsappFromMarkdown } from "./whatsapp-markdown.ts";

/** Why an assistant did not answer, or why its answer failed. Words are in contract/error-messages.ts. */
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
  // failed; the first two also while it is tried again
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
 * A message of a chat. `id`: that of what others wrote, rising in the order of arrival; null for what was written here. `answers`: the
 * message that an assistant answered with it. `unsent`: ours, and certainly not with the other side.
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

/** What somebody wrote and nobody answered. */
export type Question = { id: number; text: string; at: Date };

/** All that decides whether an assistant answers in a chat. `said`: oldest first. */
export type Situation = {
  said: readonly Said[];
  now: Date;
  /** What was written before is not the assistant's business. */
  linkedAt: Date;
  /** Until when it was silent for a person, or switched off: what was written meanwhile was said to them. Null: never. */
  silentUntil: Date | null;
  /** The newest message that was answered by an assistant here; 0 when none was. */
  answeredId: number;
  answersWithinHour: number;
  /** Messages that were thought about here, answered or not. */
  askedWithinHour: number;
  /** The other side is itself a number where an assistant answers. */
  otherAgent: boolean;
  /** The same number is linked a second time, and the assistant there answers what comes to both. */
  twinAnswers: boolean;
};

export type Decision =
  | { do: "nothing" }
  | { do: "skip"; question: Question; reason: AnswerReason }
  | { do: "answer"; question: Question };

/**
 * Messages in the order in which they were said. By their times, which are WhatsApp's whole seconds for theirs and those of our own clock
 * for ours, a quick question may stand before the answer that it followed.
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
/** Each costs money, also where the next message comes before the answer: nobody may spend an account's by writing on and on. */
const ASKED_MOST = 60;
const SAME_MOST = 3;
/** Messages that an agent gets as context, and the most of each of them, in UTF-16 units. */
const CONTEXT_MOST = 30;
const CONTEXT_TEXT_MOST = 4_000;

/** Campaigns go out whatever is being talked about, and the confirmation of leaving is nobody's answer. */
const isAside = ({ source, kind }: Said) =>
  source === "campaign" || source === "opt_out" || kind === "reaction";

/** Decides whether an assistant that is on answers, and what. Pure: the same situation, the same decision. */
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

/** A person, or another program, wrote in the chat after this message. */
export function isAnsweredByOthers(said: readonly Said[], question: Question): boolean {
  return said.some(
    (one) =>
      one.fromMe &&
      !isAside(one) &&
      one.source !== "agent" &&
      // Times are of different clocks, and of whole seconds: where both have an id, that tells which came later.
      (one.id === null ? one.at >= question.at : one.id > question.id),
  );
}

/** The newest text of the other side, unless it was answered or asks to leave, which is decided by a human where it is doubtful. */
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

/** Two programs that answer each other would never end. */
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

/** What the other side wrote between answers, the same thing once: a program says it each time, somebody impatient in one go. */
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
 * The conversation as a model reads it: the other side is the user, all of ours the assistant, consecutive ones are one, and the last is
 * the user's, because models refuse to go on from their own. What is no text is named by `words`; of what never left they would say that
 * they had said it.
 */
export function contextOf(
  said: readonly Said[],
  words: Readonly<Record<Exclude<MessageKind, "text">, string>>,
): ContextMessage[] {
  const context: ContextMessage[] = [];
  const heard = said.filter(({ kind, unsent }) => kind !== "reaction" && !unsent);
  for (const { fromMe, kind, text } of heard.slice(-CONTEXT_MOST)) {
    const written = text.toWellFormed().slice(0, CONTEXT_TEXT_MOST).toWellFormed().trim();
    const content = kind === "text" ? written : `[${words[kind]}] ${written}`.trim();
    if (content === "") continue;
    const role = fromMe ? "assistant" : "user";
    const last = context.at(-1);
    if (last?.role === role) last.content += `\n${content}`;
    else context.push({ role, content });
  }
  while (context.at(-1)?.role === "assistant") context.pop();
  return context;
}

/**
 * A model's answer as a message: with WhatsApp's marks in place of Markdown's, at most WhatsApp's length, ended where a sentence ends (`cut`: the model was stopped in the middle of
 * one). Null when nothing can be seen of it.
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
