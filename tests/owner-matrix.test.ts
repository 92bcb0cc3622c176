import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { ZodType, z } from "zod";
import type { EndpointSpec } from "../src/contract/endpoint.ts";
import { composedApp, type Person } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { mistralForTests } from "./support/mistral.ts";
import {
  fixtureOf,
  OWNED_BODIES,
  OWNED_REFERENCES,
  parametersOf,
  UNOWNED_NAMES,
} from "./support/owned-fixtures.ts";

/* H07–H14: on every mounted route another account's row answers with the same bytes as a missing one. A new
   route fails until tests/support/owned-fixtures.ts has an entry. */

const database = await testDatabase();
const { db } = database;
/** Ending a session waits for its owner process, which is absent here: a short wait. */
const waits = { answerMs: 100, ownerMs: 100, testMs: 100 };
const env = {
  ...(await mistralForTests()),
  RECADO_PROCESS: "web",
  DATABASE_URL: database.url,
  RECADO_URL: "https://recado.example",
};
const { app, signUp, dataFolder } = await composedApp(database, env, waits);
const ana = await signUp("ana");
const bruno = await signUp("bruno");

const keyOf = (route: EndpointSpec) => `${route.method} ${route.path}`;
const routes = app.endpoints.map((route) => ({ key: keyOf(route), route }));
/** A public route (a webhook, authenticated by its secret: tests/webhooks) has no account. */
const owned = routes.filter(({ route }) => parametersOf(route.path).length > 0 && route.access !== "public");
const guarded = routes.filter(({ route }) => route.access !== "public");

type Seen = { status: number; headers: [string, string][]; text: string };

async function call(
  route: EndpointSpec,
  path: string,
  headers: Record<string, string>,
  body: unknown = OWNED_BODIES[keyOf(route)] ?? {},
): Promise<Seen> {
  const init: RequestInit = { method: route.method, headers };
  if (route.body === "raw") {
    init.headers = { ...headers, "content-type": "text/csv" };
    init.body = "x";
  } else if (route.body !== undefined) {
    init.headers = { ...headers, "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const answer = await app.hono.request(path, init);
  answer.headers.delete("x-request-id");
  return { status: answer.status, headers: [...answer.headers].toSorted(), text: await answer.text() };
}

function fill(path: string, values: Record<string, string | number>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

const WRONG_IDS = [
  "999999999999999",
  randomUUID(),
  "0",
  "-1",
  "1e99",
  "1e0",
  "1.0",
  "0x1",
  "%2B1",
  "%201",
  "1,2",
  "1%00",
  "..%2F1",
  "%2e%2e%2f1",
  "9007199254740993",
  "99999999999999999999999999",
  "%27%20or%201%3D1",
  "null",
  "%F0%9F%90%9D",
  "%ff",
];

/** All owned data as one value: a foreign call must not change a column. */
async function everything(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in ('session', 'rate_limit', 'worker') order by 1`.execute(db);
  const parts = tables.rows.map(
    ({ name }) => sql`
      select ${name}::text as name, count(*) as rows,
        md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as sum from ${sql.table(name)} t`,
  );
  const sums = await sql`${sql.join(parts, sql` union all `)} order by 1`.execute(db);
  return JSON.stringify(sums.rows);
}

test.each(owned)("$key has an entry in tests/support/owned-fixtures.ts", ({ route }) => {
  expect(fixtureOf(route.path)).toBeDefined();
  const needsBody = route.body !== undefined && route.body !== "raw";
  expect(needsBody).toBe(keyOf(route) in OWNED_BODIES);
});

test.each(owned)("H07–H14 $key: another account's row answers like a missing one", async ({ route }) => {
  const make = fixtureOf(route.path);
  const values = (await make?.(db, ana.id, dataFolder)) ?? {};
  const before = await everything();
  const foreign = await call(route, fill(route.path, values), { cookie: bruno.cookie });
  expect(foreign.status).toBe(404);

  for (const name of parametersOf(route.path)) {
    // Recipients are counted from 0, so 0 exists.
    const wrongIds = WRONG_IDS.filter((id) => name !== "seq" || id !== "0");
    for (const [at, wrong] of wrongIds.entries()) {
      const asked = fill(route.path, { ...values, [name]: wrong });
      // How an id is read does not depend on who asks: a missing one is asked by both, the rest by one.
      for (const { cookie } of at === 0 ? [ana, bruno] : [ana])
        expect({ asked, ...(await call(route, asked, { cookie })) }).toEqual({ asked, ...foreign });
    }
  }
  expect(await everything()).toBe(before);

  // The owner must find it: otherwise a fixture that makes nothing would pass.
  const own = await call(route, fill(route.path, values), { cookie: ana.cookie });
  expect(own.text === foreign.text && own.status === foreign.status).toBe(false);
  expect(own.status).not.toBe(422);
  expect(own.status).toBeLessThan(500);
});

const references = OWNED_REFERENCES.flatMap((reference) =>
  routes.filter(({ key }) => key === reference.route).map(({ route }) => ({ ...reference, spec: route })),
);

test.each(references)(
  "H07–H14 $route: another account's $what answers like a missing one",
  async ({ spec, make, call: words, missing }) => {
    const foreign = await make(db, ana.id);
    // The row in the path, if any, is the caller's own.
    const own = fixtureOf(spec.path) ?? (async () => ({}));
    const paths = {
      [ana.id]: await own(db, ana.id, dataFolder),
      [bruno.id]: await own(db, bruno.id, dataFolder),
    };
    const before = await everything();
    const ask = (value: string | number, { id, cookie }: Person) => {
      const { query = "", body } = words(value);
      return call(spec, `${fill(spec.path, paths[id] ?? {})}${query}`, { cookie }, body);
    };
    const seen = await ask(foreign, bruno);
    // A filter of the caller's own list may also answer an empty one.
    if (seen.status !== 200) expect([404, 422]).toContain(seen.status);
    expect(await ask(missing, bruno)).toEqual(seen);
    expect(await everything()).toBe(before);
    const found = await ask(foreign, ana);
    expect(found.status === seen.status && found.text === seen.text).toBe(false);
  },
);

function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, unknown> };
  const named = Object.keys(properties).filter((name) => /ids?$|^campaign$|^undo$/i.test(name));
  return [...named, ...Object.values(schema).flatMap(namesIn), ...Object.values(properties).flatMap(namesIn)];
}

test("every id in a body or after the ? is listed in tests/support/owned-fixtures.ts", () => {
  const named = guarded.flatMap(({ key, route }) =>
    [route.query, route.body]
      .filter((schema) => schema instanceof ZodType)
      .flatMap((schema) => namesIn(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })))
      .map((name) => `${key} ${name}`),
  );
  const listed = OWNED_REFERENCES.map(({ route, what }) => `${route} ${what}`);
  expect(new Set(named)).toEqual(new Set([...listed, ...Object.keys(UNOWNED_NAMES)]));
});

test.each(guarded)("$key asks who is calling", async ({ route }) => {
  const path = fill(route.path, Object.fromEntries(parametersOf(route.path).map((name) => [name, 1])));
  const callers: Record<string, string>[] = [
    {},
    { cookie: "recado.session_token=abc.def" },
    { authorization: `Bearer rcd_1_${"A".repeat(43)}` },
    { authorization: "Bearer undefined", cookie: ana.cookie },
  ];
  for (const headers of callers) {
    const { status, text } = await call(route, path, headers);
    expect([status, JSON.parse(text).code]).toEqual([401, "unauthenticated"]);
  }
});
