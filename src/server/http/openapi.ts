import { setImmediate } from "node:timers/promises";
import { type ZodType, z } from "zod";
import type { Language } from "../../contract/accounts.ts";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { ERROR_MESSAGES } from "../../contract/error-messages.ts";

type Schema = Record<string, unknown>;
type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Schema[];
  requestBody?: Schema;
  responses: Record<string, Schema>;
};

export type OpenApi = {
  openapi: "3.1.0";
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Schema;
};

const DESCRIPTIONS: Record<Language, string> = {
  "pt-BR":
    "Campanhas de WhatsApp em servidor próprio. Erros: `{code, error}`, com `fields` por campo quando houver. Em inglês para quem pede com `Accept-Language: en`.",
  en: "WhatsApp campaigns on a server of your own. Errors: `{code, error}`, with `fields` for each field where there are any. In English for callers that send `Accept-Language: en`.",
};

type About = { version: string; sessionCookie: string; language?: Language };

/** OpenAPI 3.1 from the validating schemas; in pieces, since at once it blocks for 0.2 s. */
export async function openApiDocument(
  endpoints: readonly EndpointSpec[],
  { version, sessionCookie, language = "pt-BR" }: About,
): Promise<OpenApi> {
  const paths: OpenApi["paths"] = {};
  for (const endpoint of endpoints) {
    const path = paths[endpoint.path] ?? {};
    path[endpoint.method.toLowerCase()] = operation(endpoint);
    paths[endpoint.path] = path;
    await setImmediate();
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Recado",
      version,
      description: DESCRIPTIONS[language],
      license: { name: "AGPL-3.0-only", identifier: "AGPL-3.0-only" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: sessionCookie },
        apiKey: { type: "http", scheme: "bearer" },
      },
      schemas: { Error: errorSchema() },
    },
  };
}

function operation(endpoint: EndpointSpec): Operation {
  const { method, path, access, status = 200 } = endpoint;
  const made: Operation = {
    operationId: `${method.toLowerCase()}${path.replace(/[^a-zA-Z0-9]+(.)?/g, (_, next?: string) => (next ?? "").toUpperCase())}`,
    summary: endpoint.summary,
    tags: [path.split("/")[2] ?? "api"],
    security: security(access),
    responses: {
      [status]: success(endpoint),
      ...(endpoint.later ? { [endpoint.later]: success(endpoint) } : {}),
      default: { description: "Error", content: jsonContent({ $ref: "#/components/schemas/Error" }) },
    },
  };
  const parameters = [...parametersOf("path", endpoint.params), ...parametersOf("query", endpoint.query)];
  if (parameters.length > 0) made.parameters = parameters;
  if (endpoint.body === "raw")
    made.requestBody = { required: true, content: { "application/octet-stream": { schema: {} } } };
  else if (endpoint.body)
    made.requestBody = { required: true, content: jsonContent(jsonSchema(endpoint.body, "input")) };
  return made;
}

function security(access: EndpointSpec["access"]): Record<string, string[]>[] {
  if (access === "public") return [];
  return access === "key" ? [{ session: [] }, { apiKey: [] }] : [{ session: [] }];
}

function success({ answer, status, media = "application/octet-stream" }: EndpointSpec): Schema {
  if (status === 204) return { description: "Done" };
  if (answer === "stream")
    return { description: "A stream", content: { [media]: { schema: { type: "string" } } } };
  return { description: "Done", content: jsonContent(jsonSchema(answer, "output")) };
}

const jsonContent = (schema: Schema): Schema => ({ "application/json": { schema } });

function jsonSchema(schema: ZodType, io: "input" | "output"): Schema {
  // OpenAPI 3.1 uses JSON Schema; transformations stay open.
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    target: "draft-2020-12",
  });
  return json as Schema;
}

/** Includes path parameters without a schema. */
function parametersOf(where: "path" | "query", schema: ZodType | undefined): Schema[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

function errorSchema(): Schema {
  return {
    type: "object",
    required: ["code", "error"],
    properties: {
      code: { type: "string", enum: Object.keys(ERROR_MESSAGES) },
      error: {
        type: "string",
        description: "To be shown: in Portuguese, or in English where `Accept-Language` prefers it",
      },
      fields: { type: "object", additionalProperties: { type: "string" } },
      details: { type: "object", additionalProperties: true },
    },
  };
}
