import type { z } from "zod";
import type { NewChats as Shown } from "../../contract/connections.ts";
import { type NewChats, newChatsLeft } from "../../domain/new-chats.ts";

export function toNewChats(reading: NewChats | null, now: Date): z.input<typeof Shown> | null {
  const left = newChatsLeft(reading, now);
  if (!reading || left === null) return null;
  const { total, used, until, readAt } = reading;
  return { total, used, left, until, readAt };
}
