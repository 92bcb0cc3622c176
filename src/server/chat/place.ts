import { AppError } from "../../domain/errors.ts";
import { type Place, SOURCES } from "./messages-repo.ts";
import type { ChatPlace } from "./repo.ts";

const LISTED = /^(\d{1,17})\.(\d{1,15})$/;
const WRITTEN = /^(\d{1,17})\.([dmo])\.(\d{1,15})\.(\d{1,15})$/;

export const chatCursor = ({ us, id }: ChatPlace): string => `${us}.${id}`;

export function readChatCursor(text: string | undefined): ChatPlace | null {
  if (text === undefined) return null;
  const [, us, id] = LISTED.exec(text) ?? [];
  if (us === undefined || id === undefined) throw new AppError("invalid_request");
  return { us: place(us), id: Number(id) };
}

export const messageCursor = ({ us, source, a, b }: Place): string => `${us}.${source}.${a}.${b}`;

export function readMessageCursor(text: string | undefined): Place | null {
  if (text === undefined) return null;
  const [, us, letter, a, b] = WRITTEN.exec(text) ?? [];
  const source = SOURCES.find((one) => one === letter);
  if (us === undefined || source === undefined) throw new AppError("invalid_request");
  return { us: place(us), source, a: Number(a), b: Number(b) };
}

/** PostgreSQL's years end there. */
const MOST = 9_000_000_000_000_000;
const place = (digits: string) => Math.min(Number(digits), MOST);
