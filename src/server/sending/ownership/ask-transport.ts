import type { LaneTransport } from "../../transports/transport.ts";

/** Stores that a group of a connection has this name. */
export type GroupNamed = (
  at: { accountId: string; connectionId: number },
  jid: string,
  subject: string,
) => Promise<void>;

/** How long a chat shows that somebody is typing; one who still does says so again. */
const TYPING_MS = 10_000;

/** Does what another process wants of a connection's transport about one chat: show that we type, or ask what a group is called. */
export async function askTransport(
  one: { taken: Parameters<GroupNamed>[0]; transport: LaneTransport } | undefined,
  wanted: string,
  jid: string,
  named: GroupNamed | undefined,
): Promise<void> {
  if (wanted === "typing") return one?.transport.typing(jid, TYPING_MS);
  const subject = (await one?.transport.groupSubject?.(jid)) ?? null;
  if (one && subject !== null) await named?.(one.taken, jid, subject);
}
