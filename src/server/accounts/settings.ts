import type { Logger } from "pino";
import type { z } from "zod";
import type { Me, PasswordChanged } from "../../contract/accounts.ts";
import { OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import type { ApiKey, Session, settings } from "../../contract/settings.ts";
import { confirmationError } from "../../contract/text-errors.ts";
import { ACCOUNT_NAME_MAX, normalizeName } from "../../domain/account.ts";
import { AppError } from "../../domain/errors.ts";
import { isBlank, normalizeText } from "../../domain/message-text.ts";
import { record } from "../audit/service.ts";
import { readOptOutConfirmation, readUndoSeconds, readWeeklyLimit } from "../db/account.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import type { Owner } from "../db/owner.ts";
import type { Caller } from "../http/session-guard.ts";
import { createApiKey } from "./administration.ts";
import { apiKeyPrefix, apiKeyText, newApiKeySecret, repeatableApiKeySecret } from "./api-keys.ts";
import { FORMER_SESSION_MS, SESSION_IDLE_MS } from "./authenticate.ts";
import { newPasswordErrors } from "./new-password.ts";
import { changeProfile, type ProfileDeps, type ProfileForm } from "./profile.ts";
import { provePassword, refuse } from "./prove-password.ts";
import { needsProof, type ProveSession } from "./prove-session.ts";
import {
  type ApiKeyRow,
  countLivingApiKeys,
  deleteOwnSession,
  deleteSessionsOf,
  findAccount,
  findApiKey,
  listApiKeys,
  listSessions,
  revokeApiKey,
  updatePassword,
} from "./repo.ts";
import { keepAccess, type OutwardAccess, revokeAccess } from "./revoke-access.ts";
import { updateOptOutConfirmation, updateUndoSeconds, updateWeeklyLimit } from "./settings-repo.ts";

/** Stops a program creating keys in a loop. */
const LIVING_KEYS = 50;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type SettingsDeps = ProfileDeps & {
  apiKeySecret: Buffer;
  prove: ProveSession;
  outward: OutwardAccess;
  undoSeconds: number;
  setHooks(): Promise<void>;
  log: Logger;
};

type WeeklyLimit = z.output<typeof settings.setWeeklyLimit.body>;
type UndoTime = z.output<typeof settings.setUndoTime.body>;
type OptOutConfirmation = z.output<typeof settings.setOptOutConfirmation.body>;
type PasswordForm = z.output<typeof settings.password.body>;
type KeyForm = z.output<typeof settings.createApiKey.body>;

const sessionOf = (caller: Caller) => (caller.via === "session" ? caller.sessionId : null);

export class AccountSettings {
  readonly #deps: SettingsDeps;

  constructor(deps: SettingsDeps) {
    this.#deps = deps;
  }

  profile(owner: Owner, form: ProfileForm): Promise<Me> {
    return changeProfile(this.#deps, owner, form);
  }

  async weeklyLimit(owner: Owner): Promise<WeeklyLimit> {
    return { campaignsPerWeek: await readWeeklyLimit(owner) };
  }

  async setWeeklyLimit(owner: Owner, form: WeeklyLimit): Promise<WeeklyLimit> {
    await updateWeeklyLimit(owner, form.campaignsPerWeek);
    return form;
  }

  async undoTime(owner: Owner): Promise<UndoTime> {
    return { seconds: (await readUndoSeconds(owner)) ?? this.#deps.undoSeconds };
  }

  async setUndoTime(owner: Owner, form: UndoTime): Promise<UndoTime> {
    await updateUndoSeconds(owner, form.seconds);
    return form;
  }

  async optOutConfirmation(owner: Owner): Promise<OptOutConfirmation> {
    return { text: await readOptOutConfirmation(owner) };
  }

  async setOptOutConfirmation(owner: Owner, form: OptOutConfirmation): Promise<OptOutConfirmation> {
    const error = confirmationError(form.text);
    if (error !== null) throw refuse({ text: error });
    const text = normalizeText(form.text);
    const usual = isBlank(text) || text === OPT_OUT_CONFIRMATION;
    await updateOptOutConfirmation(owner, usual ? null : text);
    return this.optOutConfirmation(owner);
  }

  async password(owner: Owner, caller: Caller, form: PasswordForm): Promise<PasswordChanged> {
    const { hasher, setHooks, log } = this.#deps;
    const account = await findAccount(owner);
    if (!account) throw new AppError("unauthenticated");
    const errors = newPasswordErrors(form, account);
    if (form.password === "") errors.password = "required";
    if (Object.keys(errors).length > 0) throw refuse(errors);
    const stillProved = await provePassword(this.#deps, owner, form.password);
    const hash = await hasher.hash(form.newPassword);
    const changed = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      await stillProved(inside);
      return this.#storePassword(inside, caller, { hash, endAccess: form.endAccess });
    });
    if (changed.ended.some(({ kind }) => kind === "relay"))
      await setHooks().catch((error: unknown) => log.warn({ err: error }, "webhooks not set by now"));
    return changed;
  }

  async passwordProof(owner: Owner, caller: Caller): Promise<{ needed: boolean }> {
    return { needed: await needsProof(this.#deps, owner, caller) };
  }

  async apiKeys(owner: Owner): Promise<{ keys: ApiKey[] }> {
    return { keys: (await listApiKeys(owner)).map(toKey) };
  }

  async createApiKey(
    owner: Owner,
    caller: Caller,
    { idempotencyKey, password, ...typed }: KeyForm,
  ): Promise<{ key: string; apiKey: ApiKey }> {
    const form = { ...typed, name: keyName(typed.name) };
    const secret =
      idempotencyKey === undefined
        ? newApiKeySecret()
        : repeatableApiKeySecret(this.#deps.apiKeySecret, owner.accountId, idempotencyKey);
    const submission = submissionOf("api_key", idempotencyKey, form);
    const stillProved = await this.#deps.prove(owner, caller, password);
    const { made } = await once(owner, submission, async (inside) => {
      await stillProved(inside);
      return this.#storeApiKey(inside, { ...form, secret });
    }).catch((error: unknown) => {
      // The idempotency key was used more than 24 hours ago.
      throw isUniqueViolation(error, "api_key_hash_key") ? new AppError("idempotency_mismatch") : error;
    });
    const apiKey = await keyOf(owner, made);
    // Revoked, or our secret changed: this text would not work.
    if (apiKey.revokedAt !== null || apiKey.prefix !== apiKeyPrefix(made, secret))
      throw new AppError("not_found");
    return { key: apiKeyText(made, secret), apiKey };
  }

  async revokeApiKey(owner: Owner, id: number): Promise<ApiKey> {
    // A repeated request is harmless.
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      if (!(await revokeApiKey(inside, id, this.#deps.clock.now()))) return;
      await record(inside, { kind: "key_revoked", subject: (await keyOf(inside, id)).name });
    });
    return keyOf(owner, id);
  }

  async sessions(owner: Owner, caller: Caller): Promise<{ sessions: Session[] }> {
    const now = this.#deps.clock.now().getTime();
    const lives = { until: new Date(now + FORMER_SESSION_MS), seenSince: new Date(now - SESSION_IDLE_MS) };
    const rows = await listSessions(owner, lives);
    const current = sessionOf(caller);
    return {
      sessions: rows.map((row) => ({
        id: row.id,
        current: row.id === current,
        userAgent: row.user_agent,
        address: row.ip_address,
        createdAt: row.created_at.toISOString(),
        lastSeenAt: row.updated_at.toISOString(),
      })),
    };
  }

  async endSession(owner: Owner, sessionId: string): Promise<{ success: boolean }> {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      if (!UUID.test(sessionId) || !(await deleteOwnSession(inside, sessionId)))
        throw new AppError("not_found");
      await record(inside, { kind: "session_ended" });
    });
    return { success: true };
  }

  async #storePassword(
    inside: Owner,
    caller: Caller,
    { hash, endAccess }: { hash: string; endAccess: PasswordForm["endAccess"] },
  ): Promise<PasswordChanged> {
    await updatePassword(inside, hash, this.#deps.clock.now());
    await record(inside, { kind: "password_changed" });
    const access = await (endAccess ? revokeAccess : keepAccess)(this.#deps, inside);
    await this.#deps.emails.passwordChanged(inside, access);
    return { endedSessions: await deleteSessionsOf(inside, sessionOf(caller)), ...access };
  }

  async #storeApiKey(
    inside: Owner,
    key: Pick<KeyForm, "name" | "days" | "scope"> & { secret: string },
  ): Promise<number> {
    const { clock, emails } = this.#deps;
    if ((await countLivingApiKeys(inside, clock.now())) >= LIVING_KEYS)
      throw new AppError("too_many_keys", { n: LIVING_KEYS });
    const { id } = await createApiKey(inside, key, clock);
    await emails.keyCreated(inside, { id, name: key.name });
    await record(inside, { kind: "key_created", subject: key.name, details: { scope: key.scope } });
    return id;
  }
}

function keyName(typed: string): string {
  const name = normalizeName(typed);
  if (name === "") throw refuse({ name: "required" });
  if (Array.from(name).length > ACCOUNT_NAME_MAX)
    throw refuse({ name: { code: "too_long", n: ACCOUNT_NAME_MAX } });
  return name;
}

async function keyOf(owner: Owner, id: number): Promise<ApiKey> {
  const row = await findApiKey(owner, id);
  if (!row) throw new AppError("not_found");
  return toKey(row);
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function toKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scope: row.scope,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: iso(row.last_used_at),
    expiresAt: iso(row.expires_at),
    revokedAt: iso(row.revoked_at),
  };
}
