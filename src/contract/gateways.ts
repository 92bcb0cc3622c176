import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, ProvedPassword, RowId } from "./ids.ts";

/** Name of a new instance. It becomes a path segment at the gateway. */
export const INSTANCE_NAME = /^[A-Za-z0-9_-]{1,60}$/;

export const GatewayCheckState = z.enum([
  "ok",
  "unreachable",
  "wrong_key",
  "license_required",
  "not_evolution",
  /** An Evolution API answers, but its list fails. */
  "failing",
]);

/**
 * Details (424) of a failed gateway call. `cause`: a code such as gateway_unreachable or url_private;
 * `reason`: its text with the gateway's own.
 */
export type GatewayFailure = { cause: string; reason: string; licenseUrl?: string };

/** The key is never sent: `keyHint` is its last four characters. */
export const Gateway = z.object({
  id: z.number().describe("The server's number"),
  name: z.string().describe("What it is called here"),
  url: z.string().describe("Its address; empty where the operator has taken it back from this account"),
  provided: z
    .boolean()
    .describe("Provided by the operator: address shared, key not, neither editable nor removable here"),
  withdrawn: z
    .boolean()
    .describe("Provided once, and taken back by the operator, from all or from this account"),
  keyHint: z
    .string()
    .nullable()
    .describe("The last four characters of its key; null where it is not this account's"),
  check: z
    .object({
      state: GatewayCheckState.describe("What the last test found"),
      version: z.string().nullable().describe("Of its Evolution API, where it said one"),
      licenseUrl: z.string().nullable().describe("Where the operator of that server activates its licence"),
      reachesUs: z.enum(["unknown", "yes", "no"]).describe("Whether its webhooks arrive here"),
      at: z.iso.datetime().describe("When it was tested: ISO 8601 in UTC"),
    })
    .nullable()
    .describe("The last test of it; null before the first"),
  instances: z.number().describe("Instances of it that this account uses here"),
  createdAt: z.iso.datetime().describe("ISO 8601 in UTC"),
});
export type Gateway = z.infer<typeof Gateway>;

const GatewayFields = z.strictObject({
  /** Empty: the host of the address. */
  name: z.string().max(200),
  url: z.string().max(3000),
  apiKey: z.string().max(1000),
});
export const GatewayInput = GatewayFields.extend({ name: GatewayFields.shape.name.default("") });

export const InstanceStatus = z.string();

export const Instance = z.object({
  gatewayId: z.number().describe("The server it lives at"),
  name: z.string().describe("Its name at the gateway"),
  profileName: z.string().nullable().describe("What its number is called at WhatsApp"),
  number: z
    .string()
    .nullable()
    .describe("Digits, of the number that is linked, else of the one typed at creation"),
  hasPicture: z.boolean().describe("True: GET …/picture answers one"),
  status: InstanceStatus.describe("`open`, `connecting`, `close`, or whatever else the gateway says, raw"),
  integration: z.string().describe("How the gateway reaches WhatsApp"),
  counts: z
    .object({
      messages: z.number().describe("Messages"),
      contacts: z.number().describe("Contacts"),
      chats: z.number().describe("Conversations"),
    })
    .describe("What the gateway holds of it"),
  createdAt: z.iso.datetime().nullable().describe("ISO 8601 in UTC, where the gateway says it"),
  connectionId: z
    .number()
    .nullable()
    .describe("Its connection here; null: it exists at the gateway and is not used here yet"),
  cause: z.string().nullable().describe("Why it is not connected, as a code, as connections have it"),
  lastEventAt: z.iso.datetime().nullable().describe("Time of the gateway's last event about it"),
  keepsMessages: z
    .boolean()
    .nullable()
    .describe(
      "False: its gateway does not keep messages, so that what is lost while it is away cannot be asked for; null: not known",
    ),
  hook: z
    .enum(["unset", "ours", "literal", "failed", "taken"])
    .describe(
      "The instance's webhook: ours, the person's own set literally, none that works, or another's put there since",
    ),
  formerWebhook: z
    .string()
    .nullable()
    .describe("What its webhook was before it was used here; where ours was taken, what it is now"),
  relay: z
    .object({
      url: z.string().describe("The person's own address"),
      at: z.iso.datetime().nullable().describe("When something was last delivered there"),
      status: z.number().nullable().describe("The HTTP status of that"),
      error: z.string().nullable().describe("Why it failed, where it did"),
      waiting: z.number().describe("How many deliveries are still to be made"),
    })
    .nullable()
    .describe("The person's own webhook, and how the last delivery there went; null without one"),
  oddities: z.number().describe("Events that could not be read, kept apart"),
  assistant: z
    .object({
      id: z.string().describe("Mistral's id of the agent"),
      name: z.string().describe("What it is called"),
      instructions: z.string().nullable().describe("Instructions for the model"),
      model: z.string().nullable().describe("Mistral's name of the model"),
      active: z.boolean().describe("Whether it answers"),
    })
    .nullable()
    .describe("The agent that is linked to it; null where none is"),
});
export type Instance = z.infer<typeof Instance>;

export const NewInstance = z.strictObject({
  instanceName: z.string().max(2000),
  token: z.string().max(500),
  number: z.string().max(60),
  webhook: z.string().max(3000).default(""),
  /** Required with a webhook address. */
  password: ProvedPassword,
});

export const UnrecognizedEvent = z.object({
  id: z.number(),
  reason: z.enum(["unknown_event", "malformed", "foreign_instance"]),
  event: z.string().nullable(),
  body: z.string(),
  at: z.iso.datetime(),
});

const StoredName = z
  .string()
  .min(1)
  .max(300)
  .refine((name) => name.isWellFormed() && !name.includes("\0"));

const InstanceParams = z.object({ id: RowId, name: StoredName });

export const gateways = {
  list: endpoint({
    method: "GET",
    path: "/api/gateways",
    summary: "Gateway servers of this account, and those the operator provides",
    access: "key",
    answer: z.object({
      gateways: z.array(Gateway).describe("All of them, without pages"),
      providedClosed: z
        .boolean()
        .describe("The operator provides servers that this account may not use: they are not listed"),
    }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/gateways",
    summary:
      "Register a gateway server; it is tested at once. Asks for the password, unless it was typed a short while ago",
    access: "user",
    body: GatewayInput.extend({ idempotencyKey: IdempotencyKey.optional(), password: ProvedPassword }),
    answer: Gateway,
    status: 201,
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/gateways/{id}",
    summary:
      "Change name, address or key; an empty key keeps the stored one, another address asks for the password",
    access: "user",
    params: IdParams,
    // No defaults: omitted fields keep their value.
    body: GatewayFields.partial().extend({ password: ProvedPassword }),
    answer: Gateway,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/gateways/{id}",
    summary: "Forget a server and the connections of its instances; nothing is deleted at the server",
    access: "user",
    params: IdParams,
    answer: z.object({ success: z.boolean() }),
  }),
  test: endpoint({
    method: "POST",
    path: "/api/gateways/{id}/test",
    summary: "Test address, key, version, licence, and whether its webhooks arrive here",
    access: "user",
    params: IdParams,
    answer: Gateway,
  }),
};

export const instances = {
  list: endpoint({
    method: "GET",
    path: "/api/gateways/{id}/instances",
    summary:
      "Instances of a server: all of them with the account's own key, else those that this account uses",
    access: "key",
    params: IdParams,
    answer: z.object({ instances: z.array(Instance).describe("All of them, without pages") }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/gateways/{id}/instances",
    summary: "Create an instance at the server and use it here; its QR code follows on its connection",
    access: "user",
    params: IdParams,
    body: NewInstance,
    answer: Instance,
    status: 201,
  }),
  adopt: endpoint({
    method: "POST",
    path: "/api/gateways/{id}/instances/{name}/adopt",
    summary:
      "Use an instance that exists at the server: its webhook becomes ours, the former address is kept",
    access: "user",
    params: InstanceParams,
    answer: Instance,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/gateways/{id}/instances/{name}",
    summary: "Delete an instance at the server, and its connection here; its campaigns pause",
    access: "user",
    params: InstanceParams,
    answer: z.object({ success: z.boolean() }),
  }),
  picture: endpoint({
    method: "GET",
    path: "/api/gateways/{id}/instances/{name}/picture",
    summary: "The profile picture, fetched by the server",
    access: "user",
    params: InstanceParams,
    answer: "stream",
    media: "image/*",
  }),
  webhook: endpoint({
    method: "PUT",
    path: "/api/gateways/{id}/instances/{name}/webhook",
    summary:
      "The person's own webhook address: every MESSAGES_UPSERT is passed on to it; empty ends that. Where the gateway cannot reach us it is set at the gateway",
    access: "user",
    params: InstanceParams,
    body: z.strictObject({ url: z.string().max(3000), password: ProvedPassword }),
    answer: Instance,
  }),
  oddities: endpoint({
    method: "GET",
    path: "/api/gateways/{id}/instances/{name}/oddities",
    summary: "Events that could not be read, newest first",
    access: "user",
    params: InstanceParams,
    answer: z.object({ oddities: z.array(UnrecognizedEvent) }),
  }),
};

/** Endpoint for gateway events. Answers 2xx only after storing them. */
export const hooks = {
  evolution: endpoint({
    method: "POST",
    path: "/hooks/evolution/{hookId}",
    summary: "For gateways: events of an instance, with the secret header that was set with the webhook",
    access: "public",
    params: z.object({ hookId: z.string().max(100) }),
    body: "raw",
    answer: "stream",
    maxBody: 32 * 1024 * 1024,
  }),
  /** Same prefix as the webhook, so that a proxy that admits one admits both. The body is ignored. */
  probe: endpoint({
    method: "POST",
    path: "/hooks/evolution/probe/arrived",
    anyHost: true,
    summary: "For gateways: the event with which «Testar» finds out whether they reach us",
    access: "public",
    body: "raw",
    answer: "stream",
    maxBody: 256 * 1024,
  }),
};
