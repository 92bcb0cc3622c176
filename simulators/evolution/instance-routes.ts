import { type Answer, created, errorBody, invalid, ok, refuse } from "./answers.ts";
import type { Gateway } from "./gateway.ts";
import {
  type Instance,
  type Integration,
  instanceRow,
  makeInstance,
  oldInstanceRow,
  type Settings,
} from "./instance.ts";
import {
  connectionUpdate,
  forgivesLogout,
  logOut,
  reconnect,
  removeInstance,
  startLinking,
} from "./linking.ts";
import type { PlainRequest, Request } from "./request.ts";
import { storeWebhook } from "./webhook-routes.ts";

export function root(gateway: Gateway): Answer {
  return ok({
    status: 200,
    message: "Welcome to the Evolution API, it is working!",
    version: gateway.version,
    clientName: "evolution_exchange",
    manager: `${gateway.url}/manager`,
    documentation: "https://doc.evolution-api.com",
    whatsappWebVersion: "2.3000.1027934701",
  });
}

/** Flat since 2.0 (recording 02); 1.x wraps rows. */
export function fetchInstances(gateway: Gateway, { key, query }: PlainRequest): Answer {
  const all = [...gateway.instances.values()];
  const mine = key === gateway.apiKey ? all : all.filter(({ token }) => token === key);
  if (key !== gateway.apiKey && mine.length === 0) throw refuse(401, "Unauthorized");
  const [name, id, number] = ["instanceName", "instanceId", "number"].map((word) => query.get(word));
  const wanted = mine.filter(
    (one) => (!name || one.name === name) && (!id || one.id === id) && (!number || one.number === number),
  );
  const asked = name || id;
  if (asked && wanted.length === 0) throw refuse(404, [`Instance "${asked}" not found`]);
  if (!gateway.version.startsWith("1.")) return ok(wanted.map(instanceRow));
  const rows = wanted.map((one) => oldInstanceRow(one, gateway.url));
  return ok(asked ? rows[0] : rows);
}

const INTEGRATIONS: Integration[] = ["WHATSAPP-BAILEYS", "EVOLUTION"];
const NUMBER = /^\d+[.@\w-]+/;
const NUMBER_RULE = String.raw`^\\d+[\\.@\\w-]+`;
const CHATWOOT = ["chatwootAccountId", "chatwootToken", "chatwootUrl"];

/** Recordings 01, 02, 07a, in the gateway's order. */
export async function create(gateway: Gateway, request: PlainRequest): Promise<Answer> {
  const { body, key } = request;
  if (key !== gateway.apiKey) throw refuse(401, "Unauthorized");
  const name = body.instanceName as string | undefined;
  const inUse =
    name === undefined ? gateway.instances.size > 0 : gateway.instances.has(name) || gateway.taken.has(name);
  if (inUse) throw refuse(403, [`This name "${name}" is already in use.`]);
  checkTypes(body);
  const integration = INTEGRATIONS.find((one) => one === body.integration);
  if (!integration) throw refuse(400, ["Invalid integration"]);
  checkExtras(gateway, name ?? "", body);

  const { token, number } = body as { token?: string; number?: string };
  const made = { name: name ?? "", token, number, integration, settings: settingsOf(body) };
  const instance = makeInstance(made, gateway.clock.iso());
  gateway.instances.set(instance.name, instance);
  const webhook = webhookOf(body);
  if (webhook) storeWebhook(gateway, instance, { ...webhook, enabled: true });
  const { name: instanceName, id: instanceId } = instance;
  void gateway.webhooks.emit(instance, "instance.create", { instanceName, instanceId });
  const linking = body.qrcode === true && integration === "WHATSAPP-BAILEYS";
  if (linking) {
    startLinking(gateway, instance, instance.number);
    await gateway.clock.sleep(gateway.timing.createMs);
  }
  return created({
    instance: {
      instanceName,
      instanceId,
      integration,
      webhookWaBusiness: null,
      accessTokenWaBusiness: "",
      status: linking ? instance.rowState : instance.state,
    },
    hash: instance.token,
    webhook: webhook
      ? {
          webhookUrl: webhook.url,
          webhookHeaders: webhook.headers,
          webhookByEvents: webhook.byEvents,
          webhookBase64: webhook.base64,
        }
      : {},
    websocket: {},
    rabbitmq: {},
    nats: {},
    sqs: {},
    settings: instance.settings,
    ...(linking && { qrcode: qrAnswer(gateway, instance) }),
  });
}

function checkTypes(body: Record<string, unknown>): void {
  for (const field of ["instanceName", "token", "number", "integration", ...CHATWOOT]) {
    if (body[field] !== undefined && typeof body[field] !== "string")
      throw invalid(`${field} is not of a type(s) string`);
  }
  if (typeof body.number === "string" && body.number !== "" && !NUMBER.test(body.number))
    throw invalid(`number does not match pattern "${NUMBER_RULE}"`);
}

/** The row was saved, so the name stays taken for a moment (recording 07a). */
function checkExtras(gateway: Gateway, name: string, body: Record<string, unknown>): void {
  let problem: string | null = null;
  if (CHATWOOT.every((field) => body[field])) problem = "Chatwoot is not enabled";
  if (body.webhook && !Array.isArray((body.webhook as { events?: unknown }).events))
    problem = "Cannot read properties of undefined (reading 'length')";
  if (problem === null) return;
  if (gateway.timing.failedCreateMs > 0) {
    gateway.taken.add(name);
    gateway.clock.sometime(gateway.timing.failedCreateMs, () => gateway.taken.delete(name));
  }
  throw refuse(400, [problem]);
}

type WebhookAsked = {
  url: string;
  events: string[];
  headers?: Record<string, string>;
  byEvents?: boolean;
  base64?: boolean;
};

const webhookOf = (body: Record<string, unknown>) => (body.webhook as WebhookAsked | undefined) ?? null;

function settingsOf(body: Record<string, unknown>): Partial<Settings> {
  const flags = [
    "rejectCall",
    "groupsIgnore",
    "alwaysOnline",
    "readMessages",
    "readStatus",
    "syncFullHistory",
  ];
  const given = flags.filter((flag) => typeof body[flag] === "boolean").map((flag) => [flag, body[flag]]);
  return Object.fromEntries(given);
}

/** Recordings 02, 09a. */
function qrAnswer({ bareCodes }: Gateway, instance: Instance) {
  if (instance.integration === "EVOLUTION") return {};
  const { code, ...drawn } = instance.qr ?? {};
  return {
    ...drawn,
    ...(bareCodes || code === undefined ? {} : { code }),
    count: instance.qr ? instance.qrCount : 0,
  };
}

const stateAnswer = (instance: Instance) =>
  ok({ instance: { instanceName: instance.name, state: instance.state } });

export const connectionState = (_gateway: Gateway, { instance }: Request): Answer => stateAnswer(instance);

/** Recordings 02, 09a, 09c. */
export async function connect(gateway: Gateway, { instance, query }: Request): Promise<Answer> {
  if (instance.state === "open") return stateAnswer(instance);
  if (instance.integration === "EVOLUTION" || !gateway.online || instance.state === "close") {
    if (instance.state === "close" && instance.integration !== "EVOLUTION") {
      startLinking(gateway, instance, query.get("number"));
    }
    await gateway.clock.sleep(gateway.timing.connectMs);
  }
  return ok(qrAnswer(gateway, instance));
}

/** If closed it fails with 200 (recordings 02, 09b). */
export function restart(gateway: Gateway, { instance }: Request): Answer {
  if (instance.state !== "open") return ok({ error: true, message: "[object Object]" });
  const answer = stateAnswer(instance);
  instance.state = "connecting";
  connectionUpdate(gateway, instance, "connecting");
  reconnect(gateway, instance);
  return answer;
}

export function logout(gateway: Gateway, { instance }: Request): Answer {
  if (instance.state !== "open") {
    if (!forgivesLogout(gateway)) throw refuse(400, [`The "${instance.name}" instance is not connected`]);
  } else logOut(gateway, instance);
  return ok({ status: "SUCCESS", error: false, response: { message: "Instance logged out" } });
}

export function remove(gateway: Gateway, { instance, fault }: Request): Answer {
  if (fault === "halfDone") logOut(gateway, instance);
  else removeInstance(gateway, instance);
  return ok({ status: "SUCCESS", error: false, response: { message: "Instance deleted" } });
}

export const settingsFind = (_gateway: Gateway, { instance }: Request): Answer => ok(instance.settings);

export function verifyCreds(gateway: Gateway, { key }: PlainRequest): Answer {
  if (key !== gateway.apiKey) return { status: 401, body: errorBody(401, "Unauthorized") };
  return ok({ status: 200, message: "Credentials are valid" });
}
