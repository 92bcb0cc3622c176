import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Secrets } from "./secrets.ts";

/** The removed row, sealed and given to the caller: nothing stays stored, and it cannot be forged. */
export type Undo = {
  seal(accountId: string, what: string, row: Readonly<Record<string, unknown>>): string;
  /** Throws `undo_too_late` if expired, of another account or kind, or not sealed here. */
  open(accountId: string, what: string, sealed: string): Record<string, unknown>;
};

const VALID_MS = 10 * 60_000;

export function openUndo({
  secrets,
  clock,
}: {
  secrets: Pick<Secrets, "seal" | "open">;
  clock: Pick<Clock, "now">;
}): Undo {
  const placeOf = (accountId: string, what: string) => `undo/${accountId}/${what}`;
  const now = () => clock.now().getTime();
  return {
    seal: (accountId, what, row) =>
      secrets
        .seal(JSON.stringify({ until: now() + VALID_MS, row }), placeOf(accountId, what))
        .toString("base64url"),
    open(accountId, what, sealed) {
      const kept = read(() =>
        secrets.open(Buffer.from(sealed, "base64url"), placeOf(accountId, what)).toString(),
      );
      if (!kept || kept.until < now()) throw new AppError("undo_too_late");
      return kept.row;
    },
  };
}

function read(opened: () => string): { until: number; row: Record<string, unknown> } | null {
  try {
    return JSON.parse(opened()) as { until: number; row: Record<string, unknown> };
  } catch {
    return null;
  }
}
