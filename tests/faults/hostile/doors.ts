import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { until } from "../installation.ts";
import { Caller, network, PASSWORD } from "./person.ts";
import { type HostileWorld, makeListOf } from "./world.ts";

export type Prey = { name: string; line: string; got: number; most: number };

/** F4e, F4f: resources of the operator. */
async function operatorsThings(world: HostileWorld): Promise<Prey[]> {
  const { stranger, operator } = world;
  const asked = operator.mistral.requests().length;
  for (let nth = 0; nth < 5; nth++)
    await stranger.caller
      .json("POST", "/api/mistral/agents", {
        name: `Robô ${nth}`,
        instructions: "Escreva muito.",
        model: "mistral-small-latest",
      })
      .catch(() => undefined);
  const { gateways } = await stranger.caller.call<{ gateways: { id: number; url: string }[] }>(
    "GET",
    "/api/gateways",
  );
  const provided = gateways.find(({ url }) => url === operator.gateway.url);
  for (let nth = 0; provided && nth < 5; nth++)
    await stranger.caller.json("POST", `/api/gateways/${provided.id}/instances`, {
      instanceName: `roubo${nth}`,
      token: `chave-do-roubo-${nth}`,
      number: "5521900000009",
      webhook: "",
    });
  return [
    {
      name: "F4e the operator's Mistral key",
      most: 0,
      got: operator.mistral.requests().length - asked,
      line: "requests with the operator's key for an account that was not named",
    },
    {
      name: "F4f the operator's gateway",
      most: 0,
      got: operator.gateway.world.instances().length,
      line: `instances made there by an account that was not named; it ${provided ? "was" : "was not"} shown the address`,
    },
  ];
}

const makeKey = (caller: Caller, name: string) =>
  caller.json("POST", "/api/settings/api-keys", { name, password: PASSWORD });

async function emails({ product, operator: { mail } }: HostileWorld): Promise<Prey> {
  const thief = new Caller(product);
  await thief.signUp("Parabéns! Você ganhou: https://golpe.example/pix", "ladrao@exemplo.com.br");
  const before = mail.emails.length;
  for (let nth = 0; nth < 20; nth++) {
    await thief.json("PATCH", "/api/settings/profile", {
      email: `alvo${nth}@exemplo.com.br`,
      password: PASSWORD,
    });
    await makeKey(thief, `https://golpe.example/${nth}`);
  }
  await pause(3_000);
  const emails = mail.emails.slice(before);
  const withBait = emails.filter(({ text, headers }) =>
    /golpe\.example/.test(text + (headers.get("subject") ?? "")),
  );
  return {
    name: "F5 e-mails with a stranger's words",
    got: withBait.length,
    most: 0,
    line: `emails of ${emails.length} that carry the stranger's link`,
  };
}

async function takenInAdvance({ product, operator: { mail } }: HostileWorld): Promise<Prey> {
  const email = "maria@exemplo.com.br";
  const thief = new Caller(product);
  await thief.signUp("Maria", email);
  const made = await makeKey(thief, "chave");
  const { key = "" } = (await made.json().catch(() => ({}))) as { key?: string };
  const maria = new Caller(product);
  await maria.json("POST", "/api/password-reset", { email });
  const received = await until(
    "the e-mail",
    async () =>
      mail.emails.find(
        ({ to, text }) => to.includes(email) && /redefinir|senha/i.test(text) && /#/.test(text),
      ) ?? null,
  );
  const token = /#(?:\w+=)?([\w-]+)/.exec(received.text)?.[1] ?? "";
  const reset = await maria.json("POST", "/api/password-reset/password", {
    token,
    newPassword: "outra senha bem longa",
    confirmPassword: "outra senha bem longa",
  });
  const withKey = await product.fetch("/api/whatsapp/devices", {
    headers: { authorization: `Bearer ${key}` },
  });
  const withSession = await thief.json("GET", "/api/connections");
  const open = [withKey, withSession].filter(({ ok }) => ok).length;
  return {
    name: "F6 an account taken in advance",
    got: reset.ok ? open : 2,
    most: 0,
    line: `of the thief's two doors still open after the reset (key ${withKey.status}, session ${withSession.status}, reset ${reset.status})`,
  };
}

/** F8: a download that is not read. */
async function slowExport({ stranger, database }: HostileWorld): Promise<Prey> {
  await makeListOf(database, stranger.accountId, 400_000, 5_521_910_000_000);
  const leaving = new AbortController();
  const readers = Array.from({ length: 3 }, () =>
    stranger.caller
      .ask("GET", "/api/settings/export", { signal: leaving.signal })
      .then(async ({ body }) => (await body?.getReader().read())?.done)
      .catch(() => undefined),
  );
  let oldest = 0;
  for (const end = performance.now() + WATCHED_MS; performance.now() < end; await pause(1_000)) {
    const { rows } = await sql<{ seconds: number }>`select
      coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 as seconds from pg_stat_activity
      where datname = current_database() and backend_xmin is not null and application_name like 'recado%'`.execute(
      database.db,
    );
    oldest = Math.max(oldest, rows[0]?.seconds ?? 0);
  }
  leaving.abort();
  await Promise.all(readers);
  return {
    name: "F8 a download that is not read",
    got: Math.round(oldest),
    most: 60,
    line: "seconds that a snapshot was held",
  };
}

const WATCHED_MS = 75_000;

async function literalWebhooks({ operator, stranger, database }: HostileWorld): Promise<Prey> {
  const { gateways } = await stranger.caller.call<{ gateways: { id: number; url: string }[] }>(
    "GET",
    "/api/gateways",
  );
  const provided = gateways.find(({ url }) => url === operator.gateway.url);
  await sql`update gateway set reaches_us = 'no' where url = ${operator.gateway.url}`.execute(database.db);
  if (provided)
    await stranger.caller.json("POST", `/api/gateways/${provided.id}/instances`, {
      instanceName: "metadados",
      token: "chave-dos-metadados",
      number: "5521900000008",
      webhook: "http://169.254.169.254/latest/meta-data/",
      password: PASSWORD,
    });
  const answer = await fetch(`${operator.gateway.url}/webhook/find/metadados`, {
    headers: { apikey: operator.gateway.apiKey },
  });
  const literal = (await answer.text()).includes("169.254.169.254");
  return {
    name: "F9 addresses inside the network",
    got: literal ? 1 : 0,
    most: 0,
    line: "addresses inside the network that the operator's gateway was given",
  };
}

/** F10: wrong passwords from many networks; answers the seconds until the owner can sign in. */
async function lockOut({ product, honest }: HostileWorld): Promise<Prey> {
  const wrong = (nth: number) =>
    new Caller(product, network()).json("POST", "/api/login", {
      email: "marina@exemplo.com.br",
      password: `errada ${nth}`,
    });
  for (let round = 0; round < 13; round++)
    await Promise.all(Array.from({ length: 8 }, (_, nth) => wrong(round * 8 + nth)));
  const signIn = (caller: Caller) =>
    caller.json("POST", "/api/login", { email: "marina@exemplo.com.br", password: PASSWORD });
  const start = performance.now();
  const known = await signIn(honest.caller);
  const knownMs = performance.now() - start;
  const stranger = new Caller(product);
  let status = 0;
  while (status !== 200 && performance.now() - start < 90_000) {
    ({ status } = await signIn(stranger));
    if (status !== 200) await pause(2_000);
  }
  const seconds = Math.round((performance.now() - start) / 1_000);
  return {
    name: "F10 a lock-out",
    got: known.ok ? seconds : 90,
    most: 60,
    line: `seconds until the owner was in: own browser ${known.status} after ${Math.round(knownMs)} ms, another ${status} after ${seconds} s`,
  };
}

export const DOORS: Readonly<Record<string, (world: HostileWorld) => Promise<Prey | Prey[]>>> = {
  "F4e F4f the operator's things": operatorsThings,
  "F5 e-mails": emails,
  "F6 an account taken in advance": takenInAdvance,
  "F8 a download that is not read": slowExport,
  "F9 addresses inside the network": literalWebhooks,
  "F10 a lock-out": lockOut,
};
