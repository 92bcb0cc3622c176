import { randomUUID } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { AccountEmails } from "../accounts/service.ts";
import type { Owner } from "../db/owner.ts";
import {
  addressChangeEmail,
  confirmAddressEmail,
  keyEmail,
  newSignInEmail,
  passwordEmail,
  resetEmail,
  signUpEmail,
  wrongPasswordsEmail,
} from "./emails.ts";
import { CONFIRM_EMAIL, findReader, insertEmail, RESET_EMAIL, type Reader } from "./mail-repo.ts";
import { findPreferences, savePreferences } from "./preferences-repo.ts";

type Deps = { clock: Pick<Clock, "now">; url: string | null; configured: boolean };
type Written = { key: string; subject: string; body: string; address?: string };
type Write = (reader: Reader, at: Date) => Written;

type Access = Parameters<AccountEmails["passwordChanged"]>[1];
type ConfirmLink = Parameters<AccountEmails["confirmAsked"]>[1];

const URGENT = { urgent: true };
const NOT_URGENT = { urgent: false };

export class QueuedAccountEmails implements AccountEmails {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  passwordChanged(owner: Owner, access: Access): Promise<void> {
    const { url } = this.#deps;
    const write: Write = (reader, at) => ({
      key: `password/${randomUUID()}`,
      ...passwordEmail(reader, { at, url, ...access }),
    });
    return this.#put(owner, write, NOT_URGENT);
  }

  notifyAgain(owner: Owner): Promise<void> {
    return savePreferences(owner, { emailAccountUpdates: true }, this.#deps.clock.now());
  }

  resetAsked(owner: Owner, { id, until }: { id: string; until: Date }): Promise<void> {
    const write: Write = (reader, at) => ({
      key: `${RESET_EMAIL}${id}`,
      ...resetEmail(reader, { at, until }),
    });
    return this.#put(owner, write, URGENT);
  }

  confirmAsked(owner: Owner, { id, until, to, change }: ConfirmLink): Promise<void> {
    const write: Write = (reader, at) => ({
      key: `${CONFIRM_EMAIL}${id}`,
      address: to,
      ...confirmAddressEmail(reader, { at, until, change }),
    });
    return this.#put(owner, write, URGENT);
  }

  /** The key holds the day: one e-mail per day. */
  signUpAsked(owner: Owner): Promise<void> {
    const { url } = this.#deps;
    const write: Write = (reader, at) => ({
      key: `sign-up/${dayOf(at)}`,
      ...signUpEmail(reader, { at, url }),
    });
    return this.#put(owner, write, URGENT);
  }

  /** The key holds the day: one e-mail per day. */
  wrongPasswords(owner: Owner): Promise<void> {
    const { url } = this.#deps;
    const write: Write = (reader, at) => ({
      key: `wrong-passwords/${dayOf(at)}`,
      ...wrongPasswordsEmail(reader, { at, url }),
    });
    return this.#put(owner, write, NOT_URGENT);
  }

  emailChanged(owner: Owner, { from }: { from: string }): Promise<void> {
    const write: Write = (reader, at) => ({
      key: `email/${randomUUID()}`,
      address: from,
      ...addressChangeEmail(reader, { at }),
    });
    return this.#put(owner, write, NOT_URGENT);
  }

  newBrowser(owner: Owner, signIn: { browser: string; address: string }): Promise<void> {
    const { url } = this.#deps;
    return this.#putIfWanted(owner, (reader, at) => ({
      key: `sign-in/${randomUUID()}`,
      ...newSignInEmail(reader, { at, url, ...signIn }),
    }));
  }

  keyCreated(owner: Owner, { id, name }: { id: number; name: string }): Promise<void> {
    const { url } = this.#deps;
    return this.#putIfWanted(owner, (reader, at) => ({
      key: `key/${id}`,
      ...keyEmail(reader, { at, url, name }),
    }));
  }

  async #putIfWanted(owner: Owner, write: Write): Promise<void> {
    if (this.#deps.configured && (await findPreferences(owner))?.emailAccountUpdates)
      await this.#put(owner, write, NOT_URGENT);
  }

  async #put(owner: Owner, write: Write, { urgent }: { urgent: boolean }): Promise<void> {
    const { clock, configured } = this.#deps;
    const reader = configured ? await findReader(owner) : undefined;
    if (!reader) return;
    const at = clock.now();
    await insertEmail(owner, { kind: "account_updates", urgent, ...write(reader, at) }, at);
  }
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
