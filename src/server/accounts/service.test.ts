import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import {
  confirmEmailOf,
  cookieOf,
  errorOf,
  newEmail,
  PASSWORD,
  signUpForm,
  testAccounts,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { countingHasher } from "../../../tests/support/counting-hasher.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { ownerOf } from "../db/owner.ts";
import { QueuedAccountEmails } from "../notifications/account-emails.ts";
import { knownBrowsers } from "./known-browsers.ts";
import { ACCOUNT_LIMITS, accountGuard } from "./limits.ts";
import { argon2idHasher } from "./password.ts";
import type { AccountDeps } from "./service.ts";

const { db, database } = await testDatabase();

const service = (changes: Partial<AccountDeps> = {}) =>
  testAccounts(database, { hasher: countingHasher().hasher, ...changes });

beforeEach(async () => {
  await removeAccounts(db);
});

describe("sign-up", () => {
  test("keeps an argon2id hash, the zone and the accepted terms, and signs the person in @spec 3.1,4.8,6.3,7.9 @decision 1,12", async () => {
    const at = new Date("2026-11-20T12:00:00Z");
    const accounts = service({ hasher: argon2idHasher, clock: { now: () => at, monotonic: () => 0 } });
    const { me, setCookie } = await accounts.signUp(signUpForm({ email: " Ana@Exemplo.COM " }), visitor());

    expect(me).toMatchObject({ name: "Ana Souza", email: "ana@exemplo.com", timeZone: "America/Manaus" });
    expect(setCookie).toMatch(/^recado\.session_token=.+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const stored = await sql<Record<string, unknown>>`
      select account.terms_version, account.terms_accepted_at, credential.password, session.ip_address
      from account join credential on credential.account_id = account.id
      join session on session.account_id = account.id`.execute(db);
    expect(stored.rows).toHaveLength(1);
    expect(stored.rows[0]).toMatchObject({ terms_version: "v1", terms_accepted_at: at });
    expect(stored.rows[0]?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const caller = await accounts.authenticate(withCookie(cookieOf(setCookie)));
    expect(caller).toMatchObject({ accountId: me.id, via: "session" });
    expect(await accounts.me(ownerOf(db, me.id))).toEqual(me);
    await expect(
      accounts.login({ email: "ANA@exemplo.com", password: PASSWORD }, visitor()),
    ).resolves.toMatchObject({ me });
    expect(await errorOf(accounts.login({ email: me.email, password: "girassol" }, visitor()))).toBe(
      "login_failed",
    );
  });

  test("A07 a taken e-mail is refused without saying so, and A01 whatever its case", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(signUpForm({ email: "ana@exemplo.com" }), visitor());
    expect(await errorOf(accounts.signUp(signUpForm({ email: "ANA@Exemplo.com" }), visitor()))).toBe(
      "signup_failed",
    );
    expect(await errorOf(accounts.signUp(signUpForm({ email: "ana＠exemplo.com" }), visitor()))).toBe(
      "signup_failed",
    );
    const rows = await sql<{ id: string }>`select id from account`.execute(db);
    expect(rows.rows).toEqual([{ id: me.id }]);
  });

  test("26.16 signing up with a taken e-mail notifies its owner once a day and gives the usual answer", async () => {
    let at = new Date("2026-11-20T12:00:00Z");
    const clock = { now: () => at, monotonic: () => 0 };
    const watch = {
      browsers: knownBrowsers(Buffer.alloc(32, 3), false),
      emails: new QueuedAccountEmails({ clock, url: "https://recado.example", configured: true }),
    };
    const accounts = service({ watch, mail: true });
    const form = signUpForm({ email: "ana@exemplo.com" });
    await accounts.signUp(form, visitor());
    const emails = async () =>
      (await sql<{ body: string }>`select body from mail where key like 'sign-up/%'`.execute(db)).rows;
    for (const day of [20, 20, 21]) {
      at = new Date(`2026-11-${day}T12:00:00Z`);
      await expect(accounts.signUp(form, visitor())).rejects.toMatchObject({
        code: "signup_failed",
        details: { mail: true },
      });
      await expect.poll(async () => (await emails()).length).toBe(day - 19);
    }
    const [received] = await emails();
    expect(received?.body).toContain("alguém tentou criar uma conta no Recado com este e-mail");
    expect(received?.body).toContain("https://recado.example/login");
    await expect(service().signUp(form, visitor())).rejects.toMatchObject({ details: {} });
  });

  test("opening an https installation by plain http names the address instead of an ended session", async () => {
    const accounts = service({ publicUrl: "https://recado.example" });
    const at = (origin: string) => visitor({ origin });
    const form = signUpForm();
    for (const origin of ["http://192.168.0.10:3000", "http://recado.example"])
      await expect(accounts.signUp(form, at(origin))).rejects.toMatchObject({
        code: "insecure_address",
        details: { url: "https://recado.example" },
      });
    const rows = await sql`select from account`.execute(db);
    expect(rows.rows).toHaveLength(0);
    await accounts.signUp(form, at("http://localhost:3000"));
    const login = { email: form.email, password: PASSWORD };
    expect(await errorOf(accounts.login(login, at("http://192.168.0.10:3000")))).toBe("insecure_address");
    for (const kept of [at("https://recado.example"), at("http://127.0.0.1:3000"), visitor()])
      expect((await accounts.login(login, kept)).setCookie).toContain("Secure");
    await service().login(login, at("http://192.168.0.10:3000"));
  });

  test("eight sign-ups at once with one e-mail make one account with one password", async () => {
    const accounts = service();
    const email = newEmail();
    const results = await Promise.all(
      Array.from({ length: 8 }, () => errorOf(accounts.signUp(signUpForm({ email }), visitor()))),
    );
    expect(results.toSorted()).toEqual(["no error", ...Array(7).fill("signup_failed")]);
    const counts = await sql`
      select (select count(*) from account) as accounts, (select count(*) from credential) as credentials,
        (select count(*) from session) as sessions`.execute(db);
    expect(counts.rows).toEqual([{ accounts: 1, credentials: 1, sessions: 1 }]);
  });

  test("every error of the form is named at once, before anything is hashed @spec 5.2", async () => {
    const { count, hasher } = countingHasher();
    const error = await errorOf(
      service({ hasher }).signUp(
        {
          name: " ",
          email: "ana@exemplo",
          password: "curta",
          confirmPassword: "outra",
          acceptTerms: false,
          timeZone: "Marte",
        },
        visitor(),
      ),
    );
    expect(error).toEqual({
      name: "required",
      email: "invalid_email",
      password: { code: "too_short", n: 8 },
      confirmPassword: "passwords_differ",
      acceptTerms: "terms_required",
      timeZone: "invalid_option",
    });
    expect(count).toEqual({ hash: 0, verify: 0 });
  });

  test.each([
    ["A08 129 characters", "a".repeat(129), { code: "too_long", n: 128 }],
    ["A08 10,000 characters", "ab".repeat(5_000), { code: "too_long", n: 128 }],
    ["A09 senha123", "senha123", "password_common"],
    ["A09 with accents and capitals", "Felicidadé", "password_common"],
    ["A09 keyboard row", "poiuytrewq", "password_common"],
    ["A09 repeated piece", "12341234", "password_common"],
    ["A09 own e-mail", "bruna.lima@exemplo.com", "password_common"],
    ["A10 NUL", "abcd\0efgh", "invalid_text"],
    ["A12 empty", "", "required"],
  ])("%s is refused as a password", async (_name, password, error) => {
    const signUp = signUpForm({ email: "bruna.lima@exemplo.com", password, confirmPassword: password });
    expect(await errorOf(service().signUp(signUp, visitor()))).toEqual({ password: error });
  });

  test.each([
    ["A08 8 characters", "azul-mar"],
    ["A08 128 characters", "azul-mar".repeat(16).replace("azul-mar", "verde-lã")],
    ["A10 emoji", "🐝🌵🚲🎺🍋🧵🪁🔭"],
    ["A13 SQL", "'; drop table account; --"],
  ])("%s is accepted, and opens the account", async (_name, password) => {
    const accounts = service({ hasher: argon2idHasher });
    const { me } = await accounts.signUp(
      signUpForm({ password, confirmPassword: password, name: "'; drop --" }),
      visitor(),
    );
    expect((await accounts.login({ email: me.email, password }, visitor())).me).toEqual(me);
  });

  test.each([undefined, "", "Etc/Unknown"])(
    "with %o for a zone the account gets São Paulo's",
    async (timeZone) => {
      const { timeZone: _, ...rest } = signUpForm();
      const signUp = timeZone === undefined ? rest : { ...rest, timeZone };
      expect((await service().signUp(signUp, visitor())).me.timeZone).toBe("America/Sao_Paulo");
    },
  );
});

describe("login", () => {
  test("A16 an unknown e-mail and a wrong password cost one hash each and look alike", async () => {
    const { count, hasher } = countingHasher();
    const accounts = service({ hasher });
    const { me } = await accounts.signUp(signUpForm(), visitor());
    const cost = async (email: string, password: string) => {
      count.hash = 0;
      count.verify = 0;
      const error = await errorOf(accounts.login({ email, password }, visitor()));
      return { error, hashes: count.hash + count.verify };
    };
    expect(await cost(me.email, "não é esta")).toEqual({ error: "login_failed", hashes: 1 });
    expect(await cost(newEmail(), "não é esta")).toEqual({ error: "login_failed", hashes: 1 });
  });

  test.each([
    ["A06 no top-level domain", { email: "ana@exemplo", password: "x" }, { email: "invalid_email" }],
    ["A12 nothing", { email: "", password: "" }, { email: "invalid_email", password: "required" }],
    ["A08 10,000 characters", { email: "ana@exemplo.com", password: "x".repeat(10_000) }, "login_failed"],
    ["A13 SQL", { email: "ana@exemplo.com", password: "' or 1=1 --" }, "login_failed"],
  ])("%s is refused", async (_name, body, error) => {
    expect(await errorOf(service().login(body, visitor()))).toEqual(error);
  });

  test("A17 the cookie that the browser came with is neither kept nor left alive", async () => {
    const accounts = service();
    const planted = cookieOf((await accounts.signUp(signUpForm(), visitor())).setCookie);
    const { me } = await accounts.signUp(signUpForm(), visitor());
    const again = await accounts.login({ email: me.email, password: PASSWORD }, visitor({ cookie: planted }));
    expect(cookieOf(again.setCookie)).not.toBe(planted);
    expect(await accounts.authenticate(withCookie(planted))).toBeNull();
    expect(await accounts.authenticate(withCookie(cookieOf(again.setCookie)))).toMatchObject({
      accountId: me.id,
    });
    const invented = visitor({ cookie: "recado.session_token=fixed-by-a-stranger" });
    const fresh = await accounts.login({ email: me.email, password: PASSWORD }, invented);
    expect(fresh.setCookie).not.toContain("fixed-by-a-stranger");
  });

  test("signing in again ends the former session in ten seconds: other tabs still send its cookie", async () => {
    const accounts = service();
    const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
    const former = cookieOf(setCookie);
    const before = Date.now();
    await accounts.login({ email: me.email, password: PASSWORD }, visitor({ cookie: former }));
    expect(await accounts.authenticate(withCookie(former))).toMatchObject({ accountId: me.id });
    const ends = await sql<{ at: Date }>`select min(expires_at) as at from session`.execute(db);
    expect(ends.rows[0]?.at.getTime()).toBeLessThanOrEqual(Date.now() + 10_000);
    expect(ends.rows[0]?.at.getTime()).toBeGreaterThanOrEqual(before + 10_000);
    await sql`update session set expires_at = ${new Date(before)}
      where expires_at = (select min(expires_at) from session)`.execute(db);
    expect(await accounts.authenticate(withCookie(former))).toBeNull();
  });

  test("A15 the sixth wrong login in a quarter of an hour must wait, the right password too, and not for long", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(signUpForm(), visitor());
    const from = visitor();
    const wrong = () => errorOf(accounts.login({ email: me.email, password: "não é esta" }, from));
    for (let attempt = 1; attempt <= 5; attempt++) expect(await wrong()).toBe("login_failed");
    const sixth = await accounts.login({ email: me.email, password: PASSWORD }, from).catch((e) => e);
    expect(sixth.code).toBe("too_many_requests");
    expect(sixth.details.retryAfter).toBeLessThanOrEqual(2);
    await accounts.login({ email: me.email, password: PASSWORD }, visitor());
    expect(await errorOf(accounts.login({ email: newEmail(), password: "x" }, from))).toBe("login_failed");
  });

  test("F10 strangers' wrong passwords do not block a known browser, and notify the owner once a day", async () => {
    const clock = { now: () => new Date("2026-11-20T12:00:00Z"), monotonic: () => 0 };
    const watch = {
      browsers: knownBrowsers(Buffer.alloc(32, 3), false),
      emails: new QueuedAccountEmails({ clock, url: "https://recado.example", configured: true }),
    };
    const accounts = service({ watch, guard: accountGuard(database, ACCOUNT_LIMITS, clock) });
    const { me, browserCookie = "" } = await accounts.signUp(signUpForm(), visitor());
    await confirmEmailOf(db, me.id);
    const login = (password: string, from: ReturnType<typeof visitor>) =>
      errorOf(accounts.login({ email: me.email, password }, from));
    const networks = Array.from({ length: 21 }, () => visitor());
    for (let nth = 0; nth < 101; nth++) await login("não é esta", networks[nth % 21] ?? visitor());
    expect(await login(PASSWORD, networks[0] ?? visitor())).toBe("too_many_requests");
    const known = { ...visitor({ cookie: cookieOf(browserCookie) }), address: networks[0]?.address ?? "" };
    expect(await login(PASSWORD, known)).toBe("no error");
    expect(await login(PASSWORD, visitor())).toBe("no error");
    const emails = () =>
      sql<{ body: string }>`select body from mail where key like 'wrong-passwords/%'`.execute(db);
    await expect.poll(async () => (await emails()).rows.length).toBe(1);
    expect((await emails()).rows[0]?.body).toContain("muitas tentativas de entrar na sua conta");
  }, 60_000);

  test("a right login gives its attempts back", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(signUpForm(), visitor());
    const from = visitor();
    for (let round = 0; round < 3; round++) {
      for (let wrong = 0; wrong < 4; wrong++) {
        expect(await errorOf(accounts.login({ email: me.email, password: "não é esta" }, from))).toBe(
          "login_failed",
        );
      }
      await accounts.login({ email: me.email, password: PASSWORD }, from);
    }
  });

  test("H25 of fifty parallel wrong logins five are judged and the rest must wait", async () => {
    const { count, hasher } = countingHasher();
    const accounts = service({ hasher });
    const from = visitor();
    const email = newEmail();
    const errors = await Promise.all(
      Array.from({ length: 50 }, () => errorOf(accounts.login({ email, password: "x" }, from))),
    );
    expect(errors.filter((error) => error === "login_failed")).toHaveLength(5);
    expect(errors.filter((error) => error === "too_many_requests")).toHaveLength(45);
    expect(count.hash + count.verify).toBe(5);
  });

  test("one address cannot try one password on many accounts, nor many addresses one account for ever", async () => {
    const limits = {
      ...ACCOUNT_LIMITS,
      loginAddress: { free: 3, seconds: 60 },
      loginAccount: { free: 4, seconds: 60 },
      loginFresh: { attempts: 0, seconds: 60 },
    };
    const accounts = service({ guard: accountGuard(database, limits) });
    const from = visitor();
    const { me } = await accounts.signUp(signUpForm(), visitor());
    for (let right = 0; right < 4; right++) {
      await accounts.login({ email: me.email, password: PASSWORD }, from);
    }
    for (let attempt = 0; attempt < 3; attempt++)
      await errorOf(accounts.login({ email: newEmail(), password: "x" }, from));
    expect(await errorOf(accounts.login({ email: newEmail(), password: "x" }, from))).toBe(
      "too_many_requests",
    );
    const email = newEmail();
    for (let attempt = 0; attempt < 4; attempt++)
      await errorOf(accounts.login({ email, password: "x" }, visitor()));
    expect(await errorOf(accounts.login({ email, password: "x" }, visitor()))).toBe("too_many_requests");
  });

  test("the sixth sign-up of an hour from one IPv6 network must wait; a form with errors does not count", async () => {
    const accounts = service();
    const from = (host: string) => ({ address: `2001:db8:1:2::${host}`, headers: new Headers() });
    for (let attempt = 0; attempt < 6; attempt++)
      await errorOf(accounts.signUp(signUpForm({ name: "" }), from("1")));
    for (const host of ["1", "2", "3", "4", "ffff:1"]) await accounts.signUp(signUpForm(), from(host));
    expect(await errorOf(accounts.signUp(signUpForm(), from("9")))).toBe("too_many_requests");
    await accounts.signUp(signUpForm(), { address: "2001:db8:1:3::1", headers: new Headers() });
    for (let attempt = 0; attempt < 6; attempt++) {
      await accounts.signUp(signUpForm(), { address: "127.0.0.1", headers: new Headers() });
    }
  });
});
