import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { contract } from "../../contract/all.ts";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { openApiDocument } from "./openapi.ts";

const endpoints: EndpointSpec[] = Object.values(contract).flatMap((noun) => Object.values(noun));
const document = openApiDocument(endpoints, { version: "1.0.0", sessionCookie: "recado.session_token" });

test("the document of the whole contract is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  );
  expect(result).toEqual({ valid: true });
  expect(document.openapi).toBe("3.1.0");
});

test("every endpoint is in it, under a name of its own", () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  expect(operations).toHaveLength(endpoints.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length);
});

test("every operation says what it does, and the provider's interface what each of its fields is", () => {
  const silent: string[] = [];
  type Shown = { description?: string; properties?: Record<string, Shown>; items?: Shown };
  const look = (place: string, { description, properties = {}, items = {} }: Shown, named: boolean) => {
    if (named && !description) silent.push(place);
    for (const [name, field] of Object.entries({ ...properties, ...items.properties }))
      look(`${place}.${name}`, field, true);
  };
  let fields = 0;
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, { summary, parameters = [], requestBody, responses }] of Object.entries(operations)) {
      if (!summary) silent.push(`${method} ${path}`);
      if (!path.startsWith("/api/whatsapp/")) continue;
      for (const each of parameters) look(`${method} ${path} ${each.name}`, each as Shown, true);
      for (const part of [requestBody, ...Object.values(responses)]) {
        const { content } = (part ?? {}) as { content?: Record<string, { schema: Shown }> };
        for (const { schema } of Object.values(content ?? {})) look(`${method} ${path}`, schema, false);
        fields += Object.keys(content?.["application/json"]?.schema.properties ?? {}).length;
      }
    }
  expect(silent).toEqual([]);
  expect(fields).toBeGreaterThan(20);
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
