import { sql } from "kysely";
import { expect, test } from "vitest";
import { accountDeps, PASSWORD, settingsDeps, signUpForm, visitor } from "../../../tests/support/accounts.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { systemClock } from "../base/clock.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { AccountRemoval } from "./removal.ts";
import { AccountService } from "./service.ts";
import { AccountSettings } from "./settings.ts";

const { db, database } = await testDatabase();
const { hasher } = countingHasher();
const deps = { ...accountDeps(database), hasher };
const emails = new QueuedAccountEmails({
  clock: systemClock,
  url: "https://recado.exemplo.com.br",
  configured: true,
});
const changes = { mark: () => undefined };
const stranger = {
  via: "session",
  accountId: "",
  sessionId: "00000000-0000-4000-8000-000000000000",
} as const;

function whileOwnerSets(password: string, owner: () => Owner) {
  const late = {
    ...hasher,
    verify: async (hash: string, typed: string) => {
      const right = await hasher.verify(hash, typed);
      const own = new AccountSettings({ ...deps, ...settingsDeps(deps), emails, changes });
      await own.password(owner(), stranger, {
        password: PASSWORD,
        newPassword: password,
        confirmPassword: password,
        endAccess: false,
      });
      return right;
    },
  };
  const removal = {
    db,
    clock: systemClock,
    log: testLog,
    hasher: late,
    guard: deps.guard,
    connections: { removeAll: async () => undefined, forget: async () => undefined },
    pruneImports: async () => undefined,
    ask: async () => undefined,
  };
  return {
    settings: new AccountSettings({ ...deps, ...settingsDeps(deps), hasher: late, emails, changes }),
    removal: new AccountRemoval(removal),
  };
}

type Thief = ReturnType<typeof whileOwnerSets>;
const NEW = "margarida no quintal";
const THIEFS = "erva daninha no quintal";

test.each<[string, (thief: Thief, owner: Owner) => Promise<unknown>]>([
  [
    "another password",
    ({ settings }, owner) =>
      settings.password(owner, stranger, {
        password: PASSWORD,
        newPassword: THIEFS,
        confirmPassword: THIEFS,
        endAccess: false,
      }),
  ],
  [
    "another e-mail",
    ({ settings }, owner) => settings.profile(owner, { email: "outra@exemplo.com.br", password: PASSWORD }),
  ],
  ["the end of the account", ({ removal }, owner) => removal.remove(owner, PASSWORD)],
])("%s is not to be had with a password that its owner replaces while it is compared", async (_what, act) => {
  const { me } = await new AccountService(deps).signUp(signUpForm(), visitor());
  const owner = ownerOf(db, me.id);
  const thief = whileOwnerSets(NEW, () => owner);
  await expect(act(thief, owner)).rejects.toMatchObject({
    code: "invalid_fields",
    details: { fields: { password: "wrong_password" } },
  });
  const { rows } = await sql<Record<string, unknown>>`select a.email, c.password, a.removed_at as removed
      from account a join credential c on c.account_id = a.id where a.id = ${me.id}`.execute(db);
  expect(rows).toEqual([{ email: me.email, password: `plain:${NEW}`, removed: null }]);
});
