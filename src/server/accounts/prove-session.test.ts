import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  accountDeps,
  cookieOf,
  errorOf,
  PASSWORD,
  settingsDeps,
  signUpForm,
  visitor,
  withCookie,
} from "../../../tests/support/accounts.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { noEmails } from "../../../tests/support/no-emails.ts";
import { ownerOf } from "../db/owner.ts";
import { mountGateways } from "../gateways/routes.ts";
import { createApp } from "../http/app.ts";
import { needsProof, sessionProof } from "./prove-session.ts";
import { AccountService } from "./service.ts";
import { AccountSettings } from "./settings.ts";

const { db, database } = await testDatabase();
const MINUTE = 60_000;
const clock = manualClock(new Date());
const deps = { ...accountDeps(database), clock };
const accounts = new AccountService(deps);
const prove = sessionProof(deps);
const changes = { mark: () => undefined };
const settings = new AccountSettings({ ...deps, ...settingsDeps(deps), prove, emails: noEmails, changes });

beforeEach(async () => {
  await sql`truncate rate_limit`.execute(db);
  await removeAccounts(db);
});

async function signedIn() {
  const { me, setCookie } = await accounts.signUp(signUpForm(), visitor());
  const cookie = cookieOf(setCookie);
  const caller = await accounts.authenticate(withCookie(cookie));
  if (!caller) throw new Error("no session");
  return { owner: ownerOf(db, me.id), caller, cookie };
}

type Session = Awaited<ReturnType<typeof signedIn>>;
const makeKey = ({ owner, caller }: Session, password?: string) =>
  errorOf(settings.createApiKey(owner, caller, { name: "x", scope: "all", days: null, password }));

test("a session makes a key without the password for ten minutes after it began or typed it, and not afterwards", async () => {
  const ana = await signedIn();
  expect(await makeKey(ana)).toBe("no error");
  clock.advance(11 * MINUTE);
  expect(await needsProof({ clock }, ana.owner, ana.caller)).toBe(true);
  expect(await makeKey(ana)).toEqual({ password: "required" });
  expect(await makeKey(ana, "errada 123")).toEqual({ password: "wrong_password" });
  expect(await makeKey(ana, PASSWORD)).toBe("no error");
  clock.advance(9 * MINUTE);
  expect(await makeKey(ana)).toBe("no error");
  clock.advance(2 * MINUTE);
  expect(await makeKey(ana)).toEqual({ password: "required" });
});

test("another session of the same account is not vouched for, nor does a key make keys", async () => {
  const ana = await signedIn();
  const { me } = await accounts.signUp(signUpForm(), visitor());
  clock.advance(11 * MINUTE);
  expect(await makeKey(ana, PASSWORD)).toBe("no error");
  const other = { ...ana, caller: { ...ana.caller, sessionId: "00000000-0000-4000-8000-000000000000" } };
  expect(await makeKey(other as Session)).toEqual({ password: "required" });
  expect(await makeKey({ ...ana, owner: ownerOf(db, me.id) })).toEqual({ password: "required" });
  const key = { accountId: ana.owner.accountId, via: "key", keyName: "k", scope: "all" } as const;
  expect(await makeKey({ ...ana, caller: key }, PASSWORD)).toBe("forbidden_scope");
});

test("a session that its owner ends while a key is made has none", async () => {
  const ana = await signedIn();
  await prove(ana.owner, ana.caller, PASSWORD);
  const stillProved = await prove(ana.owner, ana.caller, undefined);
  await sql`delete from session`.execute(db);
  const late = db.transaction().execute((tx) => stillProved(ana.owner.in(tx)));
  await expect(late).rejects.toMatchObject({ code: "unauthenticated" });
});

test("every request that sets an outward address asks for the password, and no other of a gateway does", async () => {
  const ana = await signedIn();
  const done: string[] = [];
  const act = (name: string) => async () => {
    done.push(name);
    throw new Error("far enough");
  };
  const service = {
    create: act("create"),
    update: act("update"),
    movesAddress: async (_owner: unknown, _id: number, url?: string) => url !== undefined,
  };
  const own = { create: act("instance"), setWebhook: act("webhook") };
  const app = createApp({
    db,
    log: testLog,
    authenticate: accounts.authenticate,
    publicOrigin: null,
    trustedProxies: 0,
  });
  mountGateways(app, { service, instances: own, probeArrived: act("probe") } as never, prove);
  const send = async (method: string, path: string, body: object) =>
    (
      await app.hono.request(path, {
        method,
        headers: { cookie: ana.cookie, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
    ).status;
  const server = { url: "https://evolution.example", apiKey: "abc", name: "" };
  const instance = { instanceName: "loja", token: "t", number: "5511987654321" };
  const hook = "/api/gateways/1/instances/loja/webhook";
  const outward = async (more: object) => [
    await send("POST", "/api/gateways", { ...server, ...more }),
    await send("PATCH", "/api/gateways/1", { url: "https://outra.example", ...more }),
    await send("POST", "/api/gateways/1/instances", { ...instance, webhook: "https://x.example", ...more }),
    await send("PUT", hook, { url: "https://x.example", ...more }),
  ];
  clock.advance(11 * MINUTE);
  expect(await outward({})).toEqual([422, 422, 422, 422]);
  expect(await outward({ password: "" })).toEqual([422, 422, 422, 422]);
  expect(done).toEqual([]);
  await send("PATCH", "/api/gateways/1", { name: "Outro nome" });
  await send("POST", "/api/gateways/1/instances", instance);
  await send("PUT", hook, { url: "" });
  expect(done.splice(0)).toEqual(["update", "instance", "webhook"]);
  await outward({ password: PASSWORD });
  expect(done).toEqual(["create", "update", "instance", "webhook"]);
});
