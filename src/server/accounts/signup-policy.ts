import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { findInvitation, hadAccount, spendInvitation, takeFirstAccount } from "./invitations-repo.ts";

/** Who may sign up: everybody; the first person, then invited ones; invited ones alone. */
export type SignupMode = "open" | "first" | "invite";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** 32 random bytes, base64url: the secret of an invitation's link. */
export const newInvitationToken = () => randomBytes(32).toString("base64url");

/** A plain hash is enough: 256 random bits cannot be guessed from it. */
export const hashInvitation = (token: string): Buffer => createHash("sha256").update(token).digest();

export type Newcomer = { accountId: string; email: string; invitation: string | null };

/** Decides who may make an account. What it finds before the form is read is decided again in the account's own transaction. */
export class SignupDoor {
  readonly #db: Db;
  readonly #mode: SignupMode;
  readonly #clock: Pick<Clock, "now">;

  constructor(db: Db, mode: SignupMode, clock: Pick<Clock, "now">) {
    this.#db = db;
    this.#mode = mode;
    this.#clock = clock;
  }

  /** Whether a person without an invitation may sign up now. */
  async isOpen(): Promise<boolean> {
    if (this.#mode === "first") return !(await hadAccount(this.#db));
    return this.#mode === "open";
  }

  /** For which e-mail alone the invitation is; null: for any. Throws `invitation_over`. */
  async look(token: string): Promise<{ email: string | null }> {
    const found =
      TOKEN.test(token) && (await findInvitation(this.#db, hashInvitation(token), this.#clock.now()));
    if (!found) throw new AppError("invitation_over");
    return found;
  }

  /** Throws `signup_closed` or `invitation_over` before a form is judged that nothing can come of. */
  async refuseClosed(invitation: string | null): Promise<void> {
    if (invitation !== null) await this.look(invitation);
    else if (!(await this.isOpen())) throw new AppError("signup_closed");
  }

  /** Throws a field fault of the e-mail when the invitation is for another one. */
  async refuseOtherEmail(invitation: string | null, email: string): Promise<void> {
    const bound = invitation === null ? null : (await this.look(invitation)).email;
    if (bound !== null && bound !== email)
      throw new AppError("invalid_fields", { fields: { email: "invited_other_email" } });
  }

  /** In the transaction that makes the account, before its row is written: throws `signup_closed` unless it may be. */
  async enter(tx: Db, invitation: string | null): Promise<void> {
    const first = await takeFirstAccount(tx);
    if (invitation !== null || this.#mode === "open" || (this.#mode === "first" && first)) return;
    throw new AppError("signup_closed");
  }

  /** In the same transaction, once the account's row is written: spends the invitation. Throws `invitation_over`. */
  async spend(tx: Db, { accountId, email, invitation }: Newcomer): Promise<void> {
    if (invitation === null) return;
    const hash = hashInvitation(invitation);
    if (!(await spendInvitation(tx, { hash, accountId, email, now: this.#clock.now() })))
      throw new AppError("invitation_over");
  }
}
