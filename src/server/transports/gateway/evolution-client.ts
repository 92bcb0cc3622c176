import type { z } from "zod";
import { AppError } from "../../../domain/errors.ts";
import { valueAt } from "../content/own-values.ts";
import type { IncomingMessage, Outcome, Receipt } from "../transport.ts";
import { callGateway, type GatewayCall, type GatewayServer } from "./gateway-call.ts";
import { faultOf, type GatewayAnswer, messageOf, redact } from "./gateway-errors.ts";
import { readMessage, readStatus } from "./read-message.ts";
import { outcomeOf, outcomeOfError } from "./send-outcome.ts";
import {
  Anything,
  Connect,
  type ConnectAnswer,
  Created,
  type CreatedInstance,
  FoundMessages,
  FoundWebhook,
  type GatewayInstance,
  GroupInfo,
  instancesOf,
  type NumberAnswer,
  Numbers,
  State,
  type StoredWebhook,
  Webhook,
  Welcome,
} from "./shapes.ts";

export type EvolutionLimits = {
  callMs: number;
  /** With a QR code it blocks for five seconds. */
  createMs: number;
  /** Held for a minute during a reconnect. */
  sendMs: number;
};

export const EVOLUTION_LIMITS: EvolutionLimits = { callMs: 15_000, createMs: 30_000, sendMs: 90_000 };

export type EvolutionDeps = GatewayServer & {
  now?: () => Date;
  limits?: EvolutionLimits;
};

const MB = 1024 * 1024;

/** All fields are sent, because a gateway keeps the old value of an omitted one. */
export type WantedWebhook = {
  enabled: boolean;
  /** At most 500 characters; posted only to http(s). */
  url: string;
  headers: Record<string, string>;
  /** As `MESSAGES_UPSERT`; empty: all. */
  events: readonly string[];
};

export type NewInstance = {
  name: string;
  token: string | null;
  /** Digits with country code; adds a pairing code. */
  number: string | null;
  webhook: WantedWebhook | null;
  /** EVOLUTION is open at once and sends nothing. */
  integration?: "WHATSAPP-BAILEYS" | "EVOLUTION";
};

export type MessageSearch = {
  remoteJid?: string;
  id?: string;
  /** Gateways ignore `false`. */
  fromMe?: true;
  /** One bound alone is ignored. */
  between?: { from: Date; to: Date };
  page?: number;
  pageSize?: number;
};

/** `message` is null for what no chat shows. */
export type StoredMessage = {
  providerId: string;
  message: IncomingMessage | null;
  /** Oldest first, without times. */
  statuses: Receipt["status"][];
};

export type EvolutionClient = ReturnType<typeof evolutionClient>;

/**
 * Evolution API 2.x and 1.8. All but sends throw `gateway_wrong_key`, `instance_name_taken`,
 * `instance_unknown`, `license_required` {registerUrl}, `gateway_unreachable` {reason, sent},
 * `gateway_failed` {status, message}, `gateway_garbage`, `url_forbidden`, `url_private`.
 */
export function evolutionClient(deps: EvolutionDeps) {
  const { limits = EVOLUTION_LIMITS, now = () => new Date() } = deps;
  const secrets = [deps.apiKey];

  async function ask<Schema extends z.ZodType>(
    schema: Schema,
    call: Pick<GatewayCall, "method" | "path"> & Partial<GatewayCall>,
  ): Promise<z.output<Schema>> {
    const answer = await callGateway(deps, { timeoutMs: limits.callMs, maxBytes: MB, ...call });
    return read(schema, answer);
  }

  function read<Schema extends z.ZodType>(schema: Schema, answer: GatewayAnswer): z.output<Schema> {
    const { status, body } = answer;
    if (status < 200 || status >= 300) throw faultOf(answer, secrets);
    if (body === undefined) throw new AppError("gateway_garbage", { status });
    // A failure with success status (recording 02, «restart»).
    if (valueAt(body, "error") === true)
      throw new AppError("gateway_failed", { status, message: redact(messageOf(body), secrets) });
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new AppError("gateway_garbage", { status });
    return parsed.data;
  }

  async function send(
    path: readonly string[],
    body: { [field: string]: unknown; media?: string },
    onWire?: () => void,
  ): Promise<Outcome> {
    // With base64 in the webhook the answer includes the picture; unread, the send would be in doubt.
    const maxBytes = MB + 2 * (body.media?.length ?? 0);
    try {
      const call = { method: "POST", path, body, timeoutMs: limits.sendMs, maxBytes, onWire } as const;
      return outcomeOf(await callGateway(deps, call), now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  return {
    version: async (): Promise<string> => {
      const { version, message } = await ask(Welcome, { method: "GET", path: [] });
      if (!/evolution/i.test(message)) throw new AppError("gateway_garbage", { status: 200 });
      return version;
    },

    /** All the key can see, or the named one (`instance_unknown`). */
    fetchInstances: (name?: string): Promise<GatewayInstance[]> =>
      ask(instancesOf(name), {
        method: "GET",
        path: ["instance", "fetchInstances"],
        ...(name === undefined ? {} : { query: { instanceName: name } }),
        maxBytes: 8 * MB,
      }),

    /** Takes 5 s. After a failure the name may stay taken for a second. */
    createInstance: ({
      name,
      token,
      number,
      webhook,
      integration = "WHATSAPP-BAILEYS",
    }: NewInstance): Promise<CreatedInstance> =>
      ask(Created, {
        method: "POST",
        path: ["instance", "create"],
        body: {
          instanceName: name,
          ...(token ? { token } : {}),
          ...(number ? { number } : {}),
          ...{ qrcode: integration === "WHATSAPP-BAILEYS", integration, ...SETTINGS },
          ...(webhook ? { webhook: webhookBody(webhook) } : {}),
        },
        timeoutMs: limits.createMs,
      }),

    /** On a closed instance without a way to WhatsApp each call adds an endless loop there. */
    connect: (name: string, number?: string): Promise<ConnectAnswer> =>
      ask(Connect, {
        method: "GET",
        path: ["instance", "connect", name],
        ...(number === undefined ? {} : { query: { number } }),
      }),

    /** `open`, `connecting`, `close` or others, from memory, which is the true state. */
    connectionState: (name: string): Promise<string> =>
      ask(State, { method: "GET", path: ["instance", "connectionState", name] }),

    /** A closed one answers `gateway_failed` 400 before 2.4. */
    logout: async (name: string): Promise<void> => {
      await ask(Anything, { method: "DELETE", path: ["instance", "logout", name] });
    },

    /** Messages there are deleted too, shortly after the answer. */
    deleteInstance: async (name: string): Promise<void> => {
      await ask(Anything, { method: "DELETE", path: ["instance", "delete", name] });
    },

    setWebhook: (name: string, webhook: WantedWebhook): Promise<StoredWebhook> =>
      ask(Webhook, {
        method: "POST",
        path: ["webhook", "set", name],
        body: { webhook: webhookBody(webhook) },
      }),

    /** Null: never set. */
    findWebhook: (name: string): Promise<StoredWebhook | null> =>
      ask(FoundWebhook, { method: "GET", path: ["webhook", "find", name] }),

    /** Never rejects. `to`: JID or digits with country code. `onWire`: before the first byte. */
    sendText: (
      name: string,
      { to, text }: { to: string; text: string },
      onWire?: () => void,
    ): Promise<Outcome> =>
      send(["message", "sendText", name], { number: to, text, linkPreview: false }, onWire),

    /** Never rejects. The picture is re-encoded. */
    sendImage: (
      name: string,
      image: { to: string; caption: string; base64: string; mime: string },
      onWire?: () => void,
    ): Promise<Outcome> =>
      send(
        ["message", "sendMedia", name],
        {
          number: image.to,
          mediatype: "image",
          mimetype: image.mime,
          // Gateways refuse a data URI.
          media: image.base64.replace(/^data:[^,]{1,100},/, ""),
          fileName: `imagem.${image.mime === "image/png" ? "png" : image.mime === "image/webp" ? "webp" : "jpg"}`,
          ...(image.caption === "" ? {} : { caption: image.caption }),
        },
        onWire,
      ),

    whatsappNumbers: (name: string, numbers: readonly string[]): Promise<NumberAnswer[]> =>
      ask(Numbers, { method: "POST", path: ["chat", "whatsappNumbers", name], body: { numbers } }),

    findMessages: async (
      name: string,
      search: MessageSearch,
    ): Promise<{ total: number; pages: number; messages: StoredMessage[] }> => {
      const found = await ask(FoundMessages, {
        method: "POST",
        path: ["chat", "findMessages", name],
        body: searchBody(search),
        maxBytes: 8 * MB,
      });
      return { ...found, messages: found.records.flatMap((record) => storedMessage(record, now())) };
    },

    groupSubject: async (name: string, groupJid: string): Promise<string | null> => {
      const path = ["group", "findGroupInfos", name];
      return (await ask(GroupInfo, { method: "GET", path, query: { groupJid } })).subject;
    },

    /** The gateway holds the call for `delayMs`. */
    sendPresence: async (name: string, { to, delayMs }: { to: string; delayMs: number }): Promise<void> => {
      await ask(Anything, {
        method: "POST",
        path: ["chat", "sendPresence", name],
        body: { number: to, presence: "composing", delay: delayMs },
        timeoutMs: limits.callMs + delayMs,
      });
    },
  };
}

/** Empty texts disable proxy, Chatwoot and Typebot (recording 02). */
const SETTINGS = {
  rejectCall: false,
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
  ...{ proxyHost: "", proxyPort: "", proxyProtocol: "", proxyUsername: "", proxyPassword: "" },
  ...{ chatwootAccountId: "", chatwootToken: "", chatwootUrl: "", typebot: "", typebotUrl: "" },
};

function webhookBody({ enabled, url, headers, events }: WantedWebhook) {
  return { enabled, url, headers, byEvents: false, base64: true, events };
}

function searchBody({ remoteJid, id, fromMe, between, page = 1, pageSize = 50 }: MessageSearch) {
  const key = {
    ...(remoteJid === undefined ? {} : { remoteJid }),
    ...(id === undefined ? {} : { id }),
    ...(fromMe ? { fromMe } : {}),
  };
  return {
    where: {
      ...(Object.keys(key).length > 0 ? { key } : {}),
      ...(between
        ? { messageTimestamp: { gte: between.from.toISOString(), lte: between.to.toISOString() } }
        : {}),
    },
    ...{ page, offset: pageSize },
  };
}

/**
 * The source names the phone's kind if typed there. An edited message has its present text and the same id.
 */
function storedMessage(record: unknown, receivedAt: Date): StoredMessage[] {
  const source = valueAt(record, "source");
  const viaApi = source === "web" || source === "unknown";
  const read = readMessage(record, { receivedAt, viaApi });
  const id = valueAt(record, "key", "id");
  if (read.kind === "malformed" || typeof id !== "string") return [];
  const updates = valueAt(record, "MessageUpdate");
  const raw = (Array.isArray(updates) ? updates : []).map((update: unknown) => valueAt(update, "status"));
  const statuses = raw.flatMap((status) => readStatus(status) ?? []);
  if (read.kind !== "message") return [{ providerId: id, message: null, statuses }];
  const { message } = read;
  const edited = raw.includes("EDITED") ? { edits: message.providerId } : {};
  return [{ providerId: id, message: { ...message, ...edited }, statuses }];
}
