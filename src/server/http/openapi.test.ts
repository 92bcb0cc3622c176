import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { contract } from "../../contract/all.ts";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";

/** Maximum reported items. */
const MOST_ITEMS = 500;
const endpoints: EndpointSpec[] = Object.values(contract).flatMap((noun) => Object.values(noun));
const document = await openApiDocument(endpoints, {
  version: "1.0.0",
  sessionCookie: "recado.session_token",
});

test("the document of the whole contract is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  expect(result).toEqual({ valid: true });
  expect(document.openapi).toBe("3.1.0");
});

test("27.4 F2 it is made in pieces, between which the process does its other work", async () => {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns += 1;
    counting = setImmediate(count);
  });
  await openApiDocument(endpoints, { version: "1.0.0", sessionCookie: "" });
  clearImmediate(counting);
  expect(turns).toBeGreaterThanOrEqual(endpoints.length - 1);
});

test("27.4 F3 every list in a body says how many it may have, at which validation stops", () => {
  type Field = { type?: string; maxItems?: number } & { [name: string]: Field | Field[] | undefined };
  const endless: string[] = [];
  const look = (place: string, field: unknown) => {
    if (typeof field !== "object" || field === null) return;
    const { type, maxItems = Number.POSITIVE_INFINITY } = field as Field;
    if (type === "array" && maxItems > MOST_ITEMS) endless.push(place);
    for (const [name, inner] of Object.entries(field)) look(`${place}.${name}`, inner);
  };
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { requestBody, parameters }] of Object.entries(operations))
      look(`${method} ${path}`, { requestBody, parameters });
  expect(endless).toEqual([]);
});

test("every endpoint is in it, under a name of its own", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(endpoints.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length);
});

test("every operation says what it does, and each that a program may call what its fields are", () => {
  type Field = { description?: string; properties?: Record<string, Field>; items?: Field; anyOf?: Field[] };
  const silent: string[] = [];
  let fields = 0;
  const look = (place: string, { properties = {}, items, anyOf = [] }: Field) => {
    for (const inner of [...anyOf, ...(items ? [items] : [])]) look(place, inner);
    for (const [name, field] of Object.entries(properties)) check(`${place}.${name}`, field);
  };
  const check = (place: string, field: Field) => {
    fields++;
    if (!field.description) silent.push(place);
    look(place, field);
  };
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const { summary, security, parameters = [], requestBody, responses } = operation;
      if (!summary) silent.push(`${method} ${path}`);
      if (!security.some((one) => "apiKey" in one)) continue;
      for (const each of parameters) check(`${method} ${path} ${String(each.name)}`, each);
      for (const part of [requestBody, ...Object.values(responses)]) {
        const { content = {} } = (part ?? {}) as { content?: Record<string, { schema: Field }> };
        for (const { schema } of Object.values(content)) look(`${method} ${path}`, schema);
      }
    }
  expect(silent).toEqual([]);
  expect(fields).toBeGreaterThan(200);
});

test("the page to read says what each parameter is", async () => {
  expect(await docsPage(document, "pt-BR")).toContain(
    "<li><code>cursor</code> (na consulta): The `next` of the page before</li>",
  );
});

test("every parameter of a path is declared", () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(operations)) {
      const declared = parameters.filter((each) => each.in === "path").map(({ name }) => name);
      expect([path, declared.sort()]).toEqual([path, named.sort()]);
    }
  }
});
