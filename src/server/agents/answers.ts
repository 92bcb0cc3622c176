import type { z } from "zod";
import type { AgentAnswer } from "../../contract/chats.ts";
import type { Clock } from "../../domain/clock.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import type { Owner } from "../db/owner.ts";
import { type AnswerRow, findAnswers } from "./answers-repo.ts";
import { hasConnection } from "./links-repo.ts";

export type AnswersService = ReturnType<typeof answersService>;

type Shown = z.input<typeof AgentAnswer>;

const PAGE = 50;
const OF_CHAT = 100;
/** By then its process and any successor are dead. */
const LOST_MS = 3_600_000;

export function answersService({ clock }: { clock: Clock }) {
  const show = (row: AnswerRow) => shown(row, clock.now());
  return {
    ofChat: async (owner: Owner, chatId: number): Promise<Shown[]> =>
      (await findAnswers(owner, { chatId }, { before: null, limit: OF_CHAT })).map(show),

    ofConnection: async (owner: Owner, connectionId: number, cursor: string | undefined) => {
      if (!(await hasConnection(owner, connectionId))) throw new AppError("not_found");
      const before = readCursor(cursor);
      const rows = await findAnswers(owner, { connectionId }, { before, limit: PAGE + 1 });
      const last = rows.length > PAGE ? rows[PAGE - 1] : undefined;
      return { answers: rows.slice(0, PAGE).map(show), next: last ? String(last.id) : null };
    },
  };
}

function readCursor(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw new AppError("invalid_request");
  return Number(text);
}

function shown(row: AnswerRow, now: Date): Shown {
  const { id, chat_id, chat_name, agent_name, text, question, created_at, finished_at } = row;
  return {
    id,
    chatId: chat_id,
    chatName: chat_name,
    agentName: agent_name,
    text,
    question,
    ...outcomeOf(row, now),
    createdAt: created_at.toISOString(),
    finishedAt: finished_at?.toISOString() ?? null,
  };
}

function outcomeOf(row: AnswerRow, now: Date): Pick<Shown, "state" | "reason"> {
  const { state, reason, sent_status, sent_error, created_at } = row;
  const doubt = sent_status === DELIVERY.uncertain;
  if (state === "sent" && (doubt || sent_status === DELIVERY.error)) {
    const code = sent_error ?? (doubt ? "no_ack" : "refused");
    return { state: "failed", reason: { code, text: words().failureText(sent_error, doubt) } };
  }
  const lost = state === "thinking" && now.getTime() - created_at.getTime() > LOST_MS;
  const why = lost ? "interrupted" : reason;
  return {
    state: lost ? "failed" : state,
    reason: why === null ? null : { code: why, text: words().answerReason(why) },
  };
}
