import type { Arrival } from "./arrival.ts";
import type { CleanMessage } from "./incoming.ts";
import type { Summary } from "./receive-repo.ts";

/** A phone answer marks earlier messages read and pauses the assistant (`pauseMinutes` null: none). */
export function summariesOf(
  arrivals: readonly Arrival[],
  isHuman: (message: CleanMessage) => boolean,
  pauseMinutes: number | null,
  now: Date,
): Summary[] {
  const byChat = new Map<number, Summary>();
  for (const { chatId, message } of arrivals.toSorted(
    (a, b) => a.message.at.getTime() - b.message.at.getTime(),
  )) {
    const { at, text, kind, fromMe, pushName, kindOfChat } = message;
    const before = byChat.get(chatId);
    const one: Summary = before ?? {
      chatId,
      unread: 0,
      pushName: null,
      pausedUntil: null,
      last: { at, text, kind, fromMe },
    };
    one.last = { at, text, kind, fromMe };
    if (kindOfChat === "person") one.pushName = pushName ?? one.pushName;
    if (isHuman(message)) {
      one.unread = 0;
      if (pauseMinutes !== null) one.pausedUntil = pause(at, pauseMinutes, now);
    } else if (!fromMe && kind !== "reaction") one.unread += 1;
    byChat.set(chatId, one);
  }
  return [...byChat.values()];
}

/** Null when already over. */
function pause(at: Date, minutes: number, now: Date): Date | null {
  const until = new Date(at.getTime() + minutes * 60_000);
  return until > now ? until : null;
}
