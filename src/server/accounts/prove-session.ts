import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { Caller } from "../http/session-guard.ts";
import { holdPassword } from "./link-repo.ts";
import { type ProveDeps, provePassword, type StillProved } from "./prove-password.ts";
import { findProvedAt, noteProved } from "./repo.ts";

/** A password that was right in the same session so recently is not asked for again. */
const RECENT_MS = 10 * 60_000;

export type SessionProofDeps = ProveDeps & { clock: Pick<Clock, "now"> };

/** Asks for the password before a key is made or an outward address set: a stolen session must not leave a door behind. */
export type ProveSession = (
  owner: Owner,
  caller: Caller,
  password: string | undefined,
) => Promise<StillProved>;

/** Whether the session has to type the password now. */
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
    // No API key makes a key or sets an outward address: the endpoints are closed to them.
    if (caller.via !== "session") throw new AppError("forbidden_scope");
    const { sessionId } = caller;
    if (password === "" && !(await needsProof(deps, owner, caller)))
      return async (inside) => {
        await holdPassword(inside);
        // Its owner may just have set another password to be rid of this session.
        if ((await findProvedAt(inside, sessionId)) === null) throw new AppError("unauthenticated");
      };
    const stillProved = await provePassword(deps, owner, password);
    await noteProved(owner, sessionId, deps.clock.now());
    return stillProved;
  };
}
