import fc from "fast-check";
import { expect, test } from "vitest";
import { ZodObject, type ZodType } from "zod";
import type { EndpointSpec } from "../src/contract/endpoint.ts";
import { composedApp } from "./support/composed-app.ts";
import { testDatabase } from "./support/database.ts";
import { mistralForTests } from "./support/mistral.ts";

/*
 * Whatever anybody sends to whatever route: an answer below 500, and if it is a refusal, a code with words. The routes are those that
 * the product mounts, so a new one is in here by itself.
 */

const database = await testDatabase();
const { app, signUp } = await composedApp(database, await mistralForTests());
const { cookie } = await signUp("ana");

/** Of each route; seeds differ from run to run, and a failure names its own. */
const RUNS = 60;

const oddText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    "",
    " ",
    "0",
    "-1",
    "1e400",
    "1",
    "NaN",
    "null",
    "\0",
    "\ud800",
    "'; drop table account; --",
  ),
  fc.constantFrom(
    "2026-13-40T25:61",
    "America/Nowhere",
    "á".repeat(5_000),
    "\u202e\u200b",
    "%00",
    "../../etc",
  ),
);
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: oddText },
  fc.constantFrom<unknown[]>(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, 99_999_999_999, [], {}),
  fc.array(oddText, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("name", "phone", "type", "__proto__", "wall", "zone"), oddText, {
    maxKeys: 3,
  }),
);

const keysOf = (schema: ZodType | undefined) =>
  schema instanceof ZodObject ? Object.keys(schema.shape as Record<string, unknown>) : [];

/** An object with some of the fields that the route knows, and now and then one that it does not. */
const oddObject = (schema: ZodType | undefined, value: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...keysOf(schema), "accountId"), value, { maxKeys: 6 });

function oddRequest(
  route: EndpointSpec,
): fc.Arbitrary<{ path: string; body: BodyInit | null; type: string }> {
  const path = fc
    .tuple(fc.array(oddText, { minLength: 3, maxLength: 3 }), oddObject(route.query, oddText))
    .map(([values, query]) => {
      let at = 0;
      const filled = route.path.replace(/\{\w+\}/g, () => segment(values[at++] ?? ""));
      const asked = new URLSearchParams(query as Record<string, string>).toString();
      return asked === "" ? filled : `${filled}?${asked}`;
    });
  const json = (route.body === "raw" ? oddValue : fc.oneof(oddObject(route.body, oddValue), oddValue)).map(
    (value) => JSON.stringify(value),
  );
  const body: fc.Arbitrary<BodyInit | null> =
    route.method === "GET"
      ? fc.constant(null)
      : fc.oneof(
          { weight: 4, arbitrary: json },
          fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
        );
  const type = fc.constantFrom(
    "application/json",
    "application/json",
    "application/json",
    "text/csv",
    "image/png",
  );
  return fc.record({ path, body, type });
}

/** As a client would put it into an address; what no client can put there is left out. */
const segment = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll(".", "%2e") || "0";

const routes = app.endpoints
  .filter(({ path, method }) => `${method} ${path}` !== "POST /api/logout")
  .map((route) => ({ key: `${route.method} ${route.path}`, route }));

test.each(routes)(
  "$key never answers 500",
  async ({ route }) => {
    await fc.assert(
      fc.asyncProperty(oddRequest(route), async ({ path, body, type }) => {
        const headers = { cookie, ...(body === null ? {} : { "content-type": type }) };
        const answer = await app.hono.request(path, { method: route.method, headers, body });
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) return void (await answer.body?.cancel());
        const refused = (await answer.json()) as { code: string; error: string };
        expect(refused.code).toMatch(/^[a-z_]+$/);
        expect(refused.error).toMatch(/^\p{Lu}.*\p{L}{3}/u);
      }),
      { numRuns: RUNS },
    );
  },
  120_000,
);
