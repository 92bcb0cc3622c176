import type { LaneTransport } from "../../transports/transport.ts";

export type GroupNamed = (
  at: { accountId: string; connectionId: number },
  jid: string,
  subject: string,
) => Promise<void>;

export type FetchFiles = (
  at: { accountId: string; connectionId: number },
  transport: Pick<LaneTransport, "ready" | "fetchFile" | "filesInMemory">,
) => void;

/** WhatsApp shows "typing" this long; it is repeated. */
const TYPING_MS = 10_000;

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
