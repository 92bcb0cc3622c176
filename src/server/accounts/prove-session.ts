import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { Caller } from "../http/session-guard.ts";
import { holdPassword } from "./link-repo.ts";
import { type ProveDeps, provePassword, type StillProved } from "./prove-password.ts";
import { findProvedAt, noteProved } from "./repo.ts";

const RECENT_MS = 10 * 60_000;

export type SessionProofDeps = ProveDeps & { clock: Pick<Clock, "now"> };

/** Before an API key or outward address is set: a stolen session must not leave lasting access. */
export type ProveSession = (
  owner: Owner,
  caller: Caller,
  password: string | undefined,
) => Promise<StillProved>;

export async function needsProof(
  { clock }: Pick<SessionProofDeps, "clock">,
  owner: Owner,
  caller: Caller,
): Promise<boolean> {
  const at = caller.via === "session" ? await findProvedAt(owner, caller.sessionId) : null;
  return at === null || clock.now().getTime() - at.getTime() > RECENT_MS;
}

export function sessionProof(deps: SessionProofDeps): ProveSession {
  return async (owner, caller, password = "") => {
    if (caller.via !== "session") throw new AppError("forbidden_scope");
    const { sessionId } = caller;
    if (password === "" && !(await needsProof(deps, owner, caller)))
      return async (inside) => {
        await holdPassword(inside);
        // The owner may have just ended this session by a new password.
        if ((await findProvedAt(inside, sessionId)) === null) throw new AppError("unauthenticated");
      };
    const stillProved = await provePassword(deps, owner, password);
    await noteProved(owner, sessionId, deps.clock.now());
    return stillProved;
  };
}
