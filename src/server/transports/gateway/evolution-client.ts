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

/** Time limits in milliseconds. */
export type EvolutionLimits = {
  callMs: number;
  /** Creation with a QR code blocks for five seconds. */
  createMs: number;
  /** A send during a reconnect is held for a minute. */
  sendMs: number;
};

export const EVOLUTION_LIMITS: EvolutionLimits = { callMs: 15_000, createMs: 30_000, sendMs: 90_000 };

export type EvolutionDeps = GatewayServer & {
  /** When something happened that the gateway gives no time for. */
  now?: () => Date;
  limits?: EvolutionLimits;
};

const MB = 1024 * 1024;

/** What an instance's webhook shall be. All fields are always sent: a gateway keeps the old value of one that is left out. */
export type WantedWebhook = {
  enabled: boolean;
  /** At most 500 characters; gateways store anything and post only to http(s). */
  url: string;
  headers: Record<string, string>;
  /** In capitals: `MESSAGES_UPSERT`. None means all of them. */
  events: readonly string[];
};

export type NewInstance = {
  name: string;
  token: string | null;
  /** Digits with country code; a pairing code then comes beside each QR code. */
  number: string | null;
  webhook: WantedWebhook | null;
  /** WhatsApp by QR code unless said; the channel EVOLUTION is open at once and sends to nobody. */
  integration?: "WHATSAPP-BAILEYS" | "EVOLUTION";
};

export type MessageSearch = {
  remoteJid?: string;
  id?: string;
  /** Only what was sent by the instance. The opposite cannot be asked: gateways ignore `false`. */
  fromMe?: true;
  /** Both bounds are needed for either to count. */
  between?: { from: Date; to: Date };
  /** From 1. */
  page?: number;
  pageSize?: number;
};

/** A message of the gateway's store. `message` is null for what a chat does not show. */
export type StoredMessage = {
  providerId: string;
  message: IncomingMessage | null;
  /** The states it was told of, oldest first, without times. */
  statuses: Receipt["status"][];
};

export type EvolutionClient = ReturnType<typeof evolutionClient>;

/**
 * The Evolution API of one server, 2.x (and the shapes of 1.8), as recorded from a real one. Every function but the sends throws:
 * `gateway_wrong_key`, `instance_name_taken`, `instance_unknown`, `license_required` {registerUrl}, `gateway_unreachable` {reason, sent},
 * `gateway_failed` {status, message}, `gateway_garbage`, and the guarded fetch's `url_forbidden` and `url_private`.
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
    // Some failures come as a success (recording 02, «restart»).
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
    // Where its webhook asks for base64, as ours does, a gateway hands a picture back with the answer, encoded anew: unread it were a doubt.
    const maxBytes = MB + 2 * (body.media?.length ?? 0);
    try {
      const call = { method: "POST", path, body, timeoutMs: limits.sendMs, maxBytes, onWire } as const;
      return outcomeOf(await callGateway(deps, call), now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  return {
    /** The server's version. Needs no key, and proves none. */
    version: async (): Promise<string> => {
      const { version, message } = await ask(Welcome, { method: "GET", path: [] });
      if (!/evolution/i.test(message)) throw new AppError("gateway_garbage", { status: 200 });
      return version;
    },

    /** All instances that the key opens, or the one of this name (`instance_unknown` without one). */
    fetchInstances: (name?: string): Promise<GatewayInstance[]> =>
      ask(instancesOf(name), {
        method: "GET",
        path: ["instance", "fetchInstances"],
        ...(name === undefined ? {} : { query: { instanceName: name } }),
        maxBytes: 8 * MB,
      }),

    /** Makes an instance and starts to link it, which takes five seconds. A name may still be taken for a second after a try that failed. */
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

    /** Starts linking, or shows how far it is. On a closed instance without a way to WhatsApp each call adds an endless loop there. */
    connect: (name: string, number?: string): Promise<ConnectAnswer> =>
      ask(Connect, {
        method: "GET",
        path: ["instance", "connect", name],
        ...(number === undefined ? {} : { query: { number } }),
      }),

    /** `open`, `connecting`, `close`, or whatever else it says: the state in the gateway's memory, which is the true one. */
    connectionState: (name: string): Promise<string> =>
      ask(State, { method: "GET", path: ["instance", "connectionState", name] }),

    /** Ends the session. One that is closed already answers `gateway_failed` with status 400 before 2.4. */
    logout: async (name: string): Promise<void> => {
      await ask(Anything, { method: "DELETE", path: ["instance", "logout", name] });
    },

    /** Deletes the instance and all its messages there; done a moment after the answer. */
    deleteInstance: async (name: string): Promise<void> => {
      await ask(Anything, { method: "DELETE", path: ["instance", "delete", name] });
    },

    setWebhook: (name: string, webhook: WantedWebhook): Promise<StoredWebhook> =>
      ask(Webhook, {
        method: "POST",
        path: ["webhook", "set", name],
        body: { webhook: webhookBody(webhook) },
      }),

    /** Null: none was ever set. */
    findWebhook: (name: string): Promise<StoredWebhook | null> =>
      ask(FoundWebhook, { method: "GET", path: ["webhook", "find", name] }),

    /** Resolves always. `to`: an address of WhatsApp, or digits with country code. `onWire`: the first byte is about to leave. */
    sendText: (
      name: string,
      { to, text }: { to: string; text: string },
      onWire?: () => void,
    ): Promise<Outcome> =>
      send(["message", "sendText", name], { number: to, text, linkPreview: false }, onWire),

    /** Resolves always. The gateway encodes the picture anew. */
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

    /** Which of these numbers are on WhatsApp, under which address. Instances of Baileys only. */
    whatsappNumbers: (name: string, numbers: readonly string[]): Promise<NumberAnswer[]> =>
      ask(Numbers, { method: "POST", path: ["chat", "whatsappNumbers", name], body: { numbers } }),

    /** A page of the gateway's store, newest first. */
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

    /** What a group is called; null where the gateway does not say. */
    groupSubject: async (name: string, groupJid: string): Promise<string | null> => {
      const path = ["group", "findGroupInfos", name];
      return (await ask(GroupInfo, { method: "GET", path, query: { groupJid } })).subject;
    },

    /** Shows that somebody is typing; the gateway holds the call for `delayMs`. */
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

/** What a new instance is told of itself; groups are shown as chats. Empty texts name no proxy, no Chatwoot and no Typebot (recording 02). */
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
 * In the store nothing says which way a message of ours was sent; what was typed on a phone names the phone's kind as its source. One that
 * its writer changed stands there as it is now, under the same id.
 */
function storedMessage(record: unknown, receivedAt: Date): StoredMessage[] {
  const source = valueAt(record, "source");
  const viaApi = source === "web" || source === "unknown";
  const read = readMessage(record, { receivedAt, viaApi });
  const id = valueAt(record, "key", "id");
  if (read.kind === "malformed" || typeof id !== "string") return [];
  const updates = valueAt(record, "MessageUpdate");
  const told = (Array.isArray(updates) ? updates : []).map((update: unknown) => valueAt(update, "status"));
  const statuses = told.flatMap((status) => readStatus(status) ?? []);
  if (read.kind !== "message") return [{ providerId: id, message: null, statuses }];
  const { message } = read;
  const edited = told.includes("EDITED") ? { edits: message.providerId } : {};
  return [{ providerId: id, message: { ...message, ...edited }, statuses }];
}
