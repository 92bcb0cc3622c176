import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, expect, inject, test } from "vitest";
import type { Caller } from "./fuzz/requests.ts";
import { fuzzRoute } from "./fuzz/run.ts";
import { openWorld } from "./fuzz/world.ts";
import { PASSWORD, SECRET_KEY } from "./support/compose-app.ts";

/* Marked secrets are stored everywhere, then the whole API is called with valid and invalid requests. None
   may appear in an answer, a log or a table readable without the key. */

const canary = (name: string) => `canario-${name}-${randomBytes(9).toString("hex")}`;
const given = {
  smtpPassword: canary("smtp"),
  gatewayKey: canary("gateway"),
  operatorGatewayKey: canary("operator-gateway"),
  mistralKeys: [canary("mistral-operator"), canary("mistral-account")] as const,
};
const instanceToken = canary("instance-token");
const wrongPassword = canary("wrong-password");

let log = "";
const world = await openWorld(inject("databaseServer"), inject("databaseTemplate"), {
  ...given,
  logged: (line) => {
    log += line;
  },
});
afterAll(() => world.close());

const made: Record<string, string> = {};
const withSecrets = async (route: Parameters<typeof world.caller>[0]): Promise<Caller> => {
  const caller = await world.caller(route);
  made[`session ${caller.cookie}`] = decodeURIComponent(caller.cookie.split("=")[1] ?? "");
  // The secret may itself contain an underscore after the prefix and the number.
  made[`API key ${caller.apiKey}`] = caller.apiKey.split("_").slice(2).join("_");
  const known = {
    ...caller.known,
    apiKey: route.path.includes("mistral") ? [given.mistralKeys[1]] : [given.gatewayKey],
    token: [instanceToken],
    password: [PASSWORD, PASSWORD, wrongPassword],
    newPassword: [wrongPassword],
    confirmPassword: [PASSWORD, wrongPassword],
  };
  return { ...caller, known };
};

const answers: { where: string; text: string }[] = [];
for (const route of world.app.endpoints) {
  await fuzzRoute({ ...world, caller: withSecrets }, route, {
    seed: "canaries",
    requests: 12,
    heard({ method, path: asked }, { headers, text }) {
      // A sign-in returns its own session, in a cookie only.
      const heads = [...headers].filter(([name]) => name !== "set-cookie");
      answers.push({ where: `${method} ${asked}`, text: `${JSON.stringify(heads)}\n${text}` });
    },
  });
}

const formsOf = (secret: string) => [
  ...new Set([
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    Buffer.from(secret).toString("base64url"),
  ]),
];

async function hashesOfPasswords(): Promise<string[]> {
  const { rows } = await sql<{ password: string }>`select password from credential`.execute(world.db);
  return rows.map((row) => row.password);
}

async function secrets(): Promise<[string, string][]> {
  const hashes = await hashesOfPasswords();
  return [
    ...Object.entries({
      ...given,
      mistralKeys: given.mistralKeys[0],
      mistralOfAccount: given.mistralKeys[1],
    }),
    ...Object.entries({ instanceToken, wrongPassword, PASSWORD, ...made }),
    ...Object.entries({ SECRET_KEY, secretKeyBytes: Buffer.from(SECRET_KEY, "base64").toString("hex") }),
    ...hashes.map((hash): [string, string] => ["a password's hash", hash]),
  ];
}

function foundIn(text: string, all: readonly [string, string][]): string[] {
  return all
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}

test("canaries: the product holds all secrets and uses them", async () => {
  const all = await secrets();
  expect(all.length).toBeGreaterThan(10);
  const count = async (query: ReturnType<typeof sql<{ n: number }>>) =>
    (await query.execute(world.db)).rows[0]?.n;
  expect(await count(sql`select count(*)::int as n from gateway where length(api_key) > 50`)).toBeGreaterThan(
    1,
  );
  expect(
    answers.some(({ where, text }) => where.startsWith("PUT /api/mistral") && text.includes('"account"')),
  ).toBe(true);
  expect(await count(sql`select count(*)::int as n from api_key`)).toBeGreaterThan(0);
  expect(answers.filter(({ text }) => text.includes('"success":true')).length).toBeGreaterThan(5);
});

test("canaries: no answer has one of them, whether it succeeds or refuses", async () => {
  const all = await secrets();
  const leaks = answers.flatMap(({ where, text }) => foundIn(text, all).map((name) => `${name} in ${where}`));
  expect(leaks).toEqual([]);
});

test("canaries: no line of the log has one of them", async () => {
  expect(log.length).toBeGreaterThan(100);
  expect(foundIn(log, await secrets())).toEqual([]);
});

test("canaries: who reads the tables without the key finds none of them", async () => {
  const tables = await sql<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(
    world.db,
  );
  // The database stores password hashes by design.
  const all = (await secrets()).filter(([name]) => name !== "a password's hash");
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
      world.db,
    );
    found.push(
      ...foundIn(rows.map((row) => row.text).join("\n"), all).map((secret) => `${secret} in ${name}`),
    );
  }
  expect(tables.rows.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});

test("canaries: what the table of sessions holds opens none: the cookie's signature is made with the key", async () => {
  const { rows } = await sql<{ token: string }>`select token from session`.execute(world.db);
  expect(rows.length).toBeGreaterThan(0);
  for (const { token } of rows) {
    for (const value of [
      token,
      `${token}.`,
      `${token}.${token}`,
      encodeURIComponent(`${token}.${"A".repeat(43)}=`),
    ]) {
      const headers = { cookie: `recado.session_token=${value}` };
      expect((await world.app.hono.request("/api/me", { headers })).status).toBe(401);
    }
  }
});

test("canaries: the built page knows no secret, nor the settings that hold them", async () => {
  const folder = path.join(import.meta.dirname, "../dist");
  const all = await secrets();
  const files = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  // The server lies beside the page and reads its secrets by such names.
  const ofPage = (name: string) => /\.(js|css|html|map)$/.test(name) && !name.startsWith(`server${path.sep}`);
  for (const file of files.filter(ofPage)) {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    expect({ file, found: foundIn(text, all) }).toEqual({ file, found: [] });
    expect({ file, found: /RECADO_[A-Z]+_KEY|DATABASE_URL|process\.env/.exec(text)?.[0] }).toEqual({ file });
  }
});
