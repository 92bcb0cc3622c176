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

test("every parameter of a path is declared", () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [] } of Object.values(operations)) {
      const declared = parameters.filter((each) => each.in === "path").map(({ name }) => name);
      expect([path, declared.sort()]).toEqual([path, named.sort()]);
    }
  }
});
