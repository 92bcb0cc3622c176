import {
  confirmingOf,
  type EmailConfirmations,
  emailConfirmations,
} from "../../accounts/email-confirmation.ts";
import { type KnownBrowsers, knownBrowsers } from "../../accounts/known-browsers.ts";
import { type AccountGuard, accountGuard } from "../../accounts/limits.ts";
import { argon2idHasher, boundedHasher, type PasswordHasher } from "../../accounts/password.ts";
import { sessionProof } from "../../accounts/prove-session.ts";
import { PasswordResets } from "../../accounts/reset.ts";
import { AccountService } from "../../accounts/service.ts";
import { watchSessionEnds } from "../../accounts/session-ends.ts";
import { AccountSettings } from "../../accounts/settings.ts";
import { CONFIRM_KEY, RESET_KEY } from "../../base/link-token.ts";
import type { NotificationsFeature } from "../../notifications/notifications.ts";
import { outwardAccess } from "../outward-access.ts";
import type { Common } from "./common.ts";

type Emails = NotificationsFeature["accountEmails"];
/** What signing in and settings share: their limits count together. */
type Shared = { hasher: PasswordHasher; guard: AccountGuard; browsers: KnownBrowsers; emails: Emails };

export type ComposedAccounts = Awaited<ReturnType<typeof composeAccounts>>;

export async function composeAccounts(common: Common, emails: Emails) {
  const { config, database, pages, secrets, clock, limits } = common;
  const sessionEnds = await watchSessionEnds(database);
  const hasher = boundedHasher(argon2idHasher);
  const guard = accountGuard(pages, limits, clock);
  const browsers = knownBrowsers(
    secrets.derive("known browsers"),
    config.publicUrl?.startsWith("https:") ?? false,
  );
  const shared = { hasher, guard, browsers, emails };
  const confirmations = composeConfirmations(common, shared);
  return {
    sessionEnds,
    hasher,
    guard,
    confirmations,
    accounts: composeSignIn(common, shared, confirmations),
    ...composeSettings(common, shared, confirmations),
  };
}

function composeConfirmations(common: Common, { guard, emails }: Shared): EmailConfirmations {
  const { config, database, secrets, clock, log, changes } = common;
  return emailConfirmations({
    db: database.db,
    clock,
    log,
    guard,
    emails,
    changes,
    key: secrets.derive(CONFIRM_KEY),
    by: confirmingOf(config),
  });
}

function composeSignIn(common: Common, shared: Shared, confirmations: EmailConfirmations): AccountService {
  const { config, pages, secrets, clock, log, terms } = common;
  const { hasher, guard, browsers, emails } = shared;
  return new AccountService({
    database: pages,
    clock,
    log,
    secret: secrets.derive("session cookie").toString("base64url"),
    publicUrl: config.publicUrl,
    ...terms,
    hasher,
    guard,
    confirmations,
    signup: config.signup,
    watch: { browsers, emails },
    mail: config.mail !== null,
    attachmentMb: config.attachmentMb,
  });
}

function composeSettings(common: Common, shared: Shared, confirmations: EmailConfirmations) {
  const { config, pages, secrets, clock, log, changes, jobs } = common;
  const { hasher, guard, browsers, emails } = shared;
  const prove = sessionProof({ hasher, guard, clock });
  const revoking = { outward: outwardAccess, setHooks: () => jobs.runNow("set-webhooks") };
  const settings = new AccountSettings({
    hasher,
    guard,
    clock,
    emails,
    changes,
    log,
    confirmations,
    prove,
    ...revoking,
    undoSeconds: config.undoSeconds,
    attachmentMb: config.attachmentMb,
    apiKeySecret: secrets.derive("API keys"),
  });
  const resets = new PasswordResets({
    db: pages.db,
    clock,
    log,
    hasher,
    guard,
    emails,
    browsers,
    ...revoking,
    key: secrets.derive(RESET_KEY),
    // Never from the request: links must lead to our own address.
    configured: config.mail !== null && config.publicUrl !== null,
  });
  return { prove, settings, resets };
}
