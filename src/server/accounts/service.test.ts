import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import type { SignUp } from "../../contract/accounts.ts";
import { ownerOf } from "../db/owner.ts";
import { ACCOUNT_LIMITS, type AccountLimits, accountGuard } from "./limits.ts";
import { argon2idHasher, type PasswordHasher } from "./password.ts";
import { type AccountDeps, accountService } from "./service.ts";

const { db, database } = await testDatabase();
const SECRET = "a secret that is not in the database 0123456789";
const DAY = 86_400_000;
const terms = { version: "v1", text: "Termos" };

/** Counts what costs time; hashing itself is proved once, in the first test. */
function countingHasher() {
  const count = { hash: 0, verify: 0 };
  const hasher: PasswordHasher = {
    hash: async (password) => {
      count.hash++;
      return `plain:${password}`;
    },
    verify: async (hashed, password) => {
      count.verify++;
      return hashed === `plain:${password}`;
    },
  };
  return { count, hasher };
}

function service(changes: Partial<AccountDeps> & { limits?: AccountLimits; now?: () => Date } = {}) {
  const { limits = ACCOUNT_LIMITS, now = () => new Date(), ...deps } = changes;
  return accountService({
    database,
    log: testLog,
    clock: { now, monotonic: () => performance.now() },
    secret: SECRET,
    publicUrl: null,
    terms,
    hasher: countingHasher().hasher,
    guard: accountGuard(database, limits),
    ...deps,
  });
}

let person = 0;
const newEmail = () => `pessoa${++person}@exemplo.com.br`;
const form = (changes: Partial<SignUp> = {}): SignUp => ({
  name: "Ana Souza",
  email: newEmail(),
  password: "girassol no quintal",
  confirmPassword: "girassol no quintal",
  acceptTerms: true,
  timeZone: "America/Manaus",
  ...changes,
});

let address = 0;
/** Each call another address, so that only the tests of limits meet a limit. */
const visitor = (headers: Record<string, string> = {}) => ({
  address: `10.0.${++address >> 8}.${address & 255}`,
  headers: new Headers(headers),
});

const cookieOf = (setCookie: string) => setCookie.split(";")[0] ?? "";
const withCookie = (cookie: string) => ({ headers: new Headers({ cookie }) });

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "no fault",
    (error: { code?: string; details?: { fields?: unknown } }) => error.details?.fields ?? error.code,
  );

beforeEach(async () => {
  await sql`truncate account, rate_limit cascade`.execute(db);
});

describe("sign-up", () => {
  test("keeps an argon2id hash, the zone and the accepted terms, and signs the person in", async () => {
    const at = new Date("2026-11-20T12:00:00Z");
    const accounts = service({ hasher: argon2idHasher, now: () => at });
    const { me, setCookie } = await accounts.signUp(form({ email: " Ana@Exemplo.COM " }), visitor());

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
      accounts.login({ email: "ANA@exemplo.com", password: "girassol no quintal" }, visitor()),
    ).resolves.toMatchObject({ me });
    expect(await faultOf(accounts.login({ email: me.email, password: "girassol" }, visitor()))).toBe(
      "login_failed",
    );
  });

  test("A07 a taken e-mail is refused without saying so, and A01 whatever its case", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(form({ email: "ana@exemplo.com" }), visitor());
    expect(await faultOf(accounts.signUp(form({ email: "ANA@Exemplo.com" }), visitor()))).toBe(
      "signup_failed",
    );
    expect(await faultOf(accounts.signUp(form({ email: "ana＠exemplo.com" }), visitor()))).toBe(
      "signup_failed",
    );
    const rows = await sql<{ id: string }>`select id from account`.execute(db);
    expect(rows.rows).toEqual([{ id: me.id }]);
  });

  test("eight sign-ups at once with one e-mail make one account with one password", async () => {
    const accounts = service();
    const email = newEmail();
    const results = await Promise.all(
      Array.from({ length: 8 }, () => faultOf(accounts.signUp(form({ email }), visitor()))),
    );
    expect(results.toSorted()).toEqual(["no fault", ...Array(7).fill("signup_failed")]);
    const counts = await sql`
      select (select count(*) from account) as accounts, (select count(*) from credential) as credentials,
        (select count(*) from session) as sessions`.execute(db);
    expect(counts.rows).toEqual([{ accounts: 1, credentials: 1, sessions: 1 }]);
  });

  test("every fault of the form is named at once, before anything is hashed", async () => {
    const { count, hasher } = countingHasher();
    const fault = await faultOf(
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
    expect(fault).toEqual({
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
  ])("%s is refused as a password", async (_name, password, fault) => {
    const signUp = form({ email: "bruna.lima@exemplo.com", password, confirmPassword: password });
    expect(await faultOf(service().signUp(signUp, visitor()))).toEqual({ password: fault });
  });

  test.each([
    ["A08 8 characters", "azul-mar"],
    ["A08 128 characters", "azul-mar".repeat(16).replace("azul-mar", "verde-lã")],
    ["A10 emoji", "🐝🌵🚲🎺🍋🧵🪁🔭"],
    ["A13 SQL", "'; drop table account; --"],
  ])("%s is accepted, and opens the account", async (_name, password) => {
    const accounts = service({ hasher: argon2idHasher });
    const { me } = await accounts.signUp(
      form({ password, confirmPassword: password, name: "'; drop --" }),
      visitor(),
    );
    expect((await accounts.login({ email: me.email, password }, visitor())).me).toEqual(me);
  });

  test("without a zone the account gets São Paulo's", async () => {
    const { timeZone: _, ...without } = form();
    expect((await service().signUp(without, visitor())).me.timeZone).toBe("America/Sao_Paulo");
  });
});

describe("login", () => {
  test("A16 an unknown e-mail and a wrong password cost one hash each and are told alike", async () => {
    const { count, hasher } = countingHasher();
    const accounts = service({ hasher });
    const { me } = await accounts.signUp(form(), visitor());
    const cost = async (email: string, password: string) => {
      count.hash = 0;
      count.verify = 0;
      const fault = await faultOf(accounts.login({ email, password }, visitor()));
      return { fault, hashes: count.hash + count.verify };
    };
    expect(await cost(me.email, "não é esta")).toEqual({ fault: "login_failed", hashes: 1 });
    expect(await cost(newEmail(), "não é esta")).toEqual({ fault: "login_failed", hashes: 1 });
  });

  test.each([
    ["A06 no top-level domain", { email: "ana@exemplo", password: "x" }, { email: "invalid_email" }],
    ["A12 nothing", { email: "", password: "" }, { email: "invalid_email", password: "required" }],
    ["A08 10,000 characters", { email: "ana@exemplo.com", password: "x".repeat(10_000) }, "login_failed"],
    ["A13 SQL", { email: "ana@exemplo.com", password: "' or 1=1 --" }, "login_failed"],
  ])("%s is refused", async (_name, body, fault) => {
    expect(await faultOf(service().login(body, visitor()))).toEqual(fault);
  });

  test("A17 the cookie that the browser came with is neither kept nor left alive", async () => {
    const accounts = service();
    const { me, setCookie } = await accounts.signUp(form(), visitor());
    const planted = cookieOf(setCookie);
    const again = await accounts.login(
      { email: me.email, password: "girassol no quintal" },
      visitor({ cookie: planted }),
    );
    expect(cookieOf(again.setCookie)).not.toBe(planted);
    expect(await accounts.authenticate(withCookie(planted))).toBeNull();
    expect(await accounts.authenticate(withCookie(cookieOf(again.setCookie)))).toMatchObject({
      accountId: me.id,
    });
    const invented = visitor({ cookie: "recado.session_token=fixed-by-a-stranger" });
    const fresh = await accounts.login({ email: me.email, password: "girassol no quintal" }, invented);
    expect(fresh.setCookie).not.toContain("fixed-by-a-stranger");
  });

  test("A15 the sixth wrong login in a quarter of an hour must wait, the right password too", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(form(), visitor());
    const from = visitor();
    const wrong = () => faultOf(accounts.login({ email: me.email, password: "não é esta" }, from));
    for (let attempt = 1; attempt <= 5; attempt++) expect(await wrong()).toBe("login_failed");
    const sixth = await accounts
      .login({ email: me.email, password: "girassol no quintal" }, from)
      .catch((e) => e);
    expect(sixth.code).toBe("too_many_requests");
    expect(sixth.details.retryAfter).toBeGreaterThan(14 * 60);
    expect(sixth.details.retryAfter).toBeLessThanOrEqual(15 * 60);
    // Its owner, elsewhere, is not locked out, and another account at the same address is not either.
    await accounts.login({ email: me.email, password: "girassol no quintal" }, visitor());
    expect(await faultOf(accounts.login({ email: newEmail(), password: "x" }, from))).toBe("login_failed");
  });

  test("a right login gives its attempts back", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(form(), visitor());
    const from = visitor();
    for (let round = 0; round < 3; round++) {
      for (let wrong = 0; wrong < 4; wrong++) {
        expect(await faultOf(accounts.login({ email: me.email, password: "não é esta" }, from))).toBe(
          "login_failed",
        );
      }
      await accounts.login({ email: me.email, password: "girassol no quintal" }, from);
    }
  });

  test("H25 of fifty parallel wrong logins five are judged and the rest must wait", async () => {
    const { count, hasher } = countingHasher();
    const accounts = service({ hasher });
    const from = visitor();
    const email = newEmail();
    const faults = await Promise.all(
      Array.from({ length: 50 }, () => faultOf(accounts.login({ email, password: "x" }, from))),
    );
    expect(faults.filter((fault) => fault === "login_failed")).toHaveLength(5);
    expect(faults.filter((fault) => fault === "too_many_requests")).toHaveLength(45);
    expect(count.hash + count.verify).toBe(5);
  });

  test("one address cannot try one password on many accounts, nor many addresses one account for ever", async () => {
    const limits = {
      ...ACCOUNT_LIMITS,
      loginAddress: { attempts: 3, seconds: 60 },
      loginAccount: { attempts: 4, seconds: 60 },
    };
    const accounts = service({ limits });
    const from = visitor();
    const { me } = await accounts.signUp(form(), visitor());
    // Right ones are given back: they do not use up the address.
    for (let right = 0; right < 4; right++) {
      await accounts.login({ email: me.email, password: "girassol no quintal" }, from);
    }
    for (let attempt = 0; attempt < 3; attempt++)
      await faultOf(accounts.login({ email: newEmail(), password: "x" }, from));
    expect(await faultOf(accounts.login({ email: newEmail(), password: "x" }, from))).toBe(
      "too_many_requests",
    );
    const email = newEmail();
    for (let attempt = 0; attempt < 4; attempt++)
      await faultOf(accounts.login({ email, password: "x" }, visitor()));
    expect(await faultOf(accounts.login({ email, password: "x" }, visitor()))).toBe("too_many_requests");
  });

  test("the sixth sign-up of an hour from one IPv6 network must wait; a form with faults does not count", async () => {
    const accounts = service();
    const from = (host: string) => ({ address: `2001:db8:1:2::${host}`, headers: new Headers() });
    for (let attempt = 0; attempt < 6; attempt++)
      await faultOf(accounts.signUp(form({ name: "" }), from("1")));
    for (const host of ["1", "2", "3", "4", "ffff:1"]) await accounts.signUp(form(), from(host));
    expect(await faultOf(accounts.signUp(form(), from("9")))).toBe("too_many_requests");
    await accounts.signUp(form(), { address: "2001:db8:1:3::1", headers: new Headers() });
    for (let attempt = 0; attempt < 6; attempt++) {
      await accounts.signUp(form(), { address: "127.0.0.1", headers: new Headers() });
    }
  });
});

describe("session", () => {
  test("a copy of the database opens no session: the row's token is not the cookie", async () => {
    const accounts = service();
    const { setCookie } = await accounts.signUp(form(), visitor());
    const rows = await sql<{ token: string }>`select token from session`.execute(db);
    const token = rows.rows[0]?.token ?? "";
    expect(decodeURIComponent(setCookie)).toContain(`${token}.`);
    for (const value of [token, `${token}.`, `${token}.${token}`, encodeURIComponent(`${token}.AAAA`)]) {
      expect(await accounts.authenticate(withCookie(`recado.session_token=${value}`))).toBeNull();
    }
    const otherServer = service({ secret: "another secret, of another server 0123456789" });
    expect(await otherServer.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
    expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).not.toBeNull();
  });

  test.each([
    ["A19 forged", "recado.session_token=abc.def"],
    ["A19 long", `recado.session_token=${"a".repeat(12_000)}`],
    ["A19 not a cookie", "recado.session_token=%ff%00;;;===;"],
    ["A19 NUL in the token", `recado.session_token=${encodeURIComponent("a\0b.sig")}`],
    ["empty", "recado.session_token="],
    ["of another name", "session=1"],
  ])("%s cookie opens nothing", async (_name, cookie) => {
    expect(await service().authenticate(withCookie(cookie))).toBeNull();
  });

  test("A18 a cookie is worth nothing after logout", async () => {
    const accounts = service();
    const { me, setCookie } = await accounts.signUp(form(), visitor());
    const other = await accounts.login({ email: me.email, password: "girassol no quintal" }, visitor());
    const removal = await accounts.logout(new Headers({ cookie: cookieOf(setCookie) }));
    expect(removal).toBe("recado.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
    expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
    // A20 the other device stays signed in.
    expect(await accounts.authenticate(withCookie(cookieOf(other.setCookie)))).toMatchObject({
      accountId: me.id,
    });
    await accounts.logout(new Headers());
  });

  test("A18 deleting the account ends its sessions", async () => {
    const accounts = service();
    const { me, setCookie } = await accounts.signUp(form(), visitor());
    await sql`delete from account where id = ${me.id}`.execute(db);
    expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).toBeNull();
    expect(await faultOf(accounts.me(ownerOf(db, randomUUID())))).toBe("unauthenticated");
  });

  test("seven days without use end it; use carries it on, to thirty days and no longer", async () => {
    let now = Date.now();
    const accounts = service({ now: () => new Date(now) });
    const { setCookie } = await accounts.signUp(form(), visitor());
    const cookie = withCookie(cookieOf(setCookie));
    for (let use = 0; use < 3; use++) {
      now += 6.9 * DAY;
      expect(await accounts.authenticate(cookie)).not.toBeNull();
    }
    now += 7.1 * DAY;
    expect(await accounts.authenticate(cookie)).toBeNull();
    expect((await sql`select id from session`.execute(db)).rows).toEqual([]);

    const second = await accounts.login(
      { email: `pessoa${person}@exemplo.com.br`, password: "girassol no quintal" },
      visitor(),
    );
    const ends = await sql<{ days: number }>`
      select extract(epoch from expires_at - created_at)::float8 / 86400 as days from session`.execute(db);
    expect(ends.rows[0]?.days).toBeCloseTo(30, 3);
    await sql`update session set created_at = created_at - interval '31 days', expires_at = expires_at - interval '31 days'`.execute(
      db,
    );
    now = Date.now();
    expect(await accounts.authenticate(withCookie(cookieOf(second.setCookie)))).toBeNull();
  });

  test("sessions that are over are forgotten by the nightly job, living ones stay", async () => {
    const accounts = service();
    const { me } = await accounts.signUp(form(), visitor());
    await accounts.login({ email: me.email, password: "girassol no quintal" }, visitor());
    await accounts.login({ email: me.email, password: "girassol no quintal" }, visitor());
    const ids = (await sql<{ id: string }>`select id from session`.execute(db)).rows.map((row) => row.id);
    await sql`update session set expires_at = now() - interval '1 second' where id = ${ids[0]}`.execute(db);
    await sql`update session set updated_at = now() - interval '8 days' where id = ${ids[1]}`.execute(db);
    await accounts.forgetOldSessions();
    expect((await sql`select id from session`.execute(db)).rows).toEqual([{ id: ids[2] }]);
  });

  test("over https the cookie is Secure and bound to the host", async () => {
    const accounts = service({ publicUrl: "https://recado.exemplo.com.br" });
    const { setCookie } = await accounts.signUp(form(), visitor());
    expect(setCookie).toMatch(/^__Host-recado\.session_token=.+; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(await accounts.authenticate(withCookie(cookieOf(setCookie)))).not.toBeNull();
    expect(await accounts.logout(new Headers())).toContain("; Secure");
  });
});
