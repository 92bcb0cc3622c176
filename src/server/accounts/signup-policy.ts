import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { findInvitation, hadAccount, spendInvitation, takeFirstAccount } from "./invitations-repo.ts";

/** Everyone; the first person, then invited ones; only invited ones. */
export type SignupMode = "open" | "first" | "invite";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newInvitationToken = () => randomBytes(32).toString("base64url");

/** A plain hash is enough for 256 random bits. */
export const hashInvitation = (token: string): Buffer => createHash("sha256").update(token).digest();

export type Newcomer = { accountId: string; email: string; invitation: string | null };

/** Checked before the form is read, and again in the account's transaction. */
export class SignupDoor {
  readonly #db: Db;
  readonly #mode: SignupMode;
  readonly #clock: Pick<Clock, "now">;

  constructor(db: Db, mode: SignupMode, clock: Pick<Clock, "now">) {
    this.#db = db;
    this.#mode = mode;
    this.#clock = clock;
  }

  async isOpen(): Promise<boolean> {
    if (this.#mode === "first") return !(await hadAccount(this.#db));
    return this.#mode === "open";
  }

  /** Null: any. Throws `invitation_over`. */
  async look(token: string): Promise<{ email: string | null }> {
    const found =
      TOKEN.test(token) && (await findInvitation(this.#db, hashInvitation(token), this.#clock.now()));
    if (!found) throw new AppError("invitation_over");
    return found;
  }

  /** Before validation. Throws `signup_closed`, `invitation_over`. */
  async refuseClosed(invitation: string | null): Promise<void> {
    if (invitation !== null) await this.look(invitation);
    else if (!(await this.isOpen())) throw new AppError("signup_closed");
  }

  /** Throws a field error. */
  async refuseOtherEmail(invitation: string | null, email: string): Promise<void> {
    const bound = invitation === null ? null : (await this.look(invitation)).email;
    if (bound !== null && bound !== email)
      throw new AppError("invalid_fields", { fields: { email: "invited_other_email" } });
  }

  /** In the account's transaction, before its row. Throws `signup_closed`. */
  async enter(tx: Db, invitation: string | null): Promise<void> {
    const first = await takeFirstAccount(tx);
    if (invitation !== null || this.#mode === "open" || (this.#mode === "first" && first)) return;
    throw new AppError("signup_closed");
  }

  /** In the same transaction, after the row. Throws `invitation_over`. */
  async spend(tx: Db, { accountId, email, invitation }: Newcomer): Promise<void> {
    if (invitation === null) return;
    const hash = hashInvitation(invitation);
    if (!(await spendInvitation(tx, { hash, accountId, email, now: this.#clock.now() })))
      throw new AppError("invitation_over");
  }
}
