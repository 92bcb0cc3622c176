import type { z } from "zod";
import { AppError } from "../../../domain/errors.ts";
import { valueAt } from "../content/own-values.ts";
import type { AboutMessage, Outcome } from "../transport.ts";
import {
  instanceBody,
  keyBody,
  type MessageSearch,
  mediaBody,
  type NewFile,
  type NewInstance,
  type NewText,
  quotedBody,
  searchBody,
  voiceBody,
  type WantedWebhook,
  webhookBody,
} from "./evolution-requests.ts";
import { callGateway, type GatewayCall, type GatewayServer } from "./gateway-call.ts";
import { errorOf, type GatewayAnswer, messageOf, redact } from "./gateway-errors.ts";
import { type GatewayInstance, instancesOf } from "./instance-rows.ts";
import { outcomeOf, outcomeOfError } from "./send-outcome.ts";
import {
  Anything,
  Connect,
  type ConnectAnswer,
  Created,
  type CreatedInstance,
  FetchedMedia,
  FoundMessages,
  FoundWebhook,
  GroupInfo,
  type NumberAnswer,
  Numbers,
  State,
  type StoredWebhook,
  Webhook,
  Welcome,
} from "./shapes.ts";
import { type StoredMessage, storedMessage } from "./stored-message.ts";

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

/**
 * Evolution API 2.x and 1.8. All but sends throw `gateway_wrong_key`, `instance_name_taken`,
 * `instance_unknown`, `license_required` {registerUrl}, `gateway_unreachable` {reason, sent},
 * `gateway_failed` {status, message}, `gateway_garbage`, `url_forbidden`, `url_private`.
 */
export class EvolutionClient {
  readonly #deps: EvolutionDeps;
  readonly #limits: EvolutionLimits;
  readonly #secrets: readonly string[];

  constructor(deps: EvolutionDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? EVOLUTION_LIMITS;
    this.#secrets = [deps.apiKey];
  }

  async version(): Promise<string> {
    const { version, message } = await this.#ask(Welcome, { method: "GET", path: [] });
    if (!/evolution/i.test(message)) throw new AppError("gateway_garbage", { status: 200 });
    return version;
  }

  /** All the key can see, or the named one (`instance_unknown`). */
  fetchInstances(name?: string): Promise<GatewayInstance[]> {
    return this.#ask(instancesOf(name), {
      method: "GET",
      path: ["instance", "fetchInstances"],
      ...(name === undefined ? {} : { query: { instanceName: name } }),
      maxBytes: 8 * MB,
    });
  }

  /** Takes 5 s. After a failure the name may stay taken for a second. */
  createInstance(instance: NewInstance): Promise<CreatedInstance> {
    return this.#ask(Created, {
      method: "POST",
      path: ["instance", "create"],
      body: instanceBody(instance),
      timeoutMs: this.#limits.createMs,
    });
  }

  /** On a closed instance without a way to WhatsApp each call adds an endless loop there. */
  connect(name: string, number?: string): Promise<ConnectAnswer> {
    return this.#ask(Connect, {
      method: "GET",
      path: ["instance", "connect", name],
      ...(number === undefined ? {} : { query: { number } }),
    });
  }

  /** `open`, `connecting`, `close` or others, from memory, which is the true state. */
  connectionState(name: string): Promise<string> {
    return this.#ask(State, { method: "GET", path: ["instance", "connectionState", name] });
  }

  /** A closed one answers `gateway_failed` 400 before 2.4. */
  async logout(name: string): Promise<void> {
    await this.#ask(Anything, { method: "DELETE", path: ["instance", "logout", name] });
  }

  /** Messages there are deleted too, shortly after the answer. */
  async deleteInstance(name: string): Promise<void> {
    await this.#ask(Anything, { method: "DELETE", path: ["instance", "delete", name] });
  }

  setWebhook(name: string, webhook: WantedWebhook): Promise<StoredWebhook> {
    const body = { webhook: webhookBody(webhook) };
    return this.#ask(Webhook, { method: "POST", path: ["webhook", "set", name], body });
  }

  /** Null: never set. */
  findWebhook(name: string): Promise<StoredWebhook | null> {
    return this.#ask(FoundWebhook, { method: "GET", path: ["webhook", "find", name] });
  }

  /** Never rejects. `to`: JID or digits with country code. `onWire`: before the first byte. */
  sendText(name: string, { to, text, quoted }: NewText, onWire?: () => void): Promise<Outcome> {
    const body = { number: to, text, linkPreview: false, ...quotedBody(to, quoted) };
    return this.#send(["message", "sendText", name], body, onWire);
  }

  sendReaction(
    name: string,
    to: string,
    of: AboutMessage,
    emoji: string,
    onWire?: () => void,
  ): Promise<Outcome> {
    const body = { key: keyBody(to, of), reaction: emoji };
    return this.#send(["message", "sendReaction", name], body, onWire);
  }

  deleteForEveryone(name: string, to: string, of: AboutMessage, onWire?: () => void): Promise<Outcome> {
    return this.#send(["chat", "deleteMessageForEveryone", name], keyBody(to, of), onWire, "DELETE");
  }

  /** Never rejects. A picture is re-encoded there. */
  sendFile(name: string, file: NewFile, onWire?: () => void): Promise<Outcome> {
    if (file.kind === "voice")
      return this.#send(["message", "sendWhatsAppAudio", name], voiceBody(file), onWire);
    return this.#send(["message", "sendMedia", name], mediaBody(file), onWire);
  }

  whatsappNumbers(name: string, numbers: readonly string[]): Promise<NumberAnswer[]> {
    const path = ["chat", "whatsappNumbers", name];
    return this.#ask(Numbers, { method: "POST", path, body: { numbers } });
  }

  async findMessages(
    name: string,
    search: MessageSearch,
  ): Promise<{ total: number; pages: number; messages: StoredMessage[] }> {
    const found = await this.#ask(FoundMessages, {
      method: "POST",
      path: ["chat", "findMessages", name],
      body: searchBody(search),
      maxBytes: 8 * MB,
    });
    return { ...found, messages: found.records.flatMap((record) => storedMessage(record, this.#now())) };
  }

  async fetchMedia(name: string, messageId: string, most: number): Promise<string> {
    const answer = await this.#ask(FetchedMedia, {
      method: "POST",
      path: ["chat", "getBase64FromMediaMessage", name],
      body: { message: { key: { id: messageId } }, convertToMp4: false },
      timeoutMs: this.#limits.sendMs,
      maxBytes: MB + Math.ceil(most / 3) * 4,
    });
    return answer.base64;
  }

  async groupSubject(name: string, groupJid: string): Promise<string | null> {
    const path = ["group", "findGroupInfos", name];
    return (await this.#ask(GroupInfo, { method: "GET", path, query: { groupJid } })).subject;
  }

  /** The gateway holds the call for `delayMs`. */
  async sendPresence(name: string, { to, delayMs }: { to: string; delayMs: number }): Promise<void> {
    await this.#ask(Anything, {
      method: "POST",
      path: ["chat", "sendPresence", name],
      body: { number: to, presence: "composing", delay: delayMs },
      timeoutMs: this.#limits.callMs + delayMs,
    });
  }

  #now(): Date {
    return this.#deps.now?.() ?? new Date();
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    call: Pick<GatewayCall, "method" | "path"> & Partial<GatewayCall>,
  ): Promise<z.output<Schema>> {
    const bounds = { timeoutMs: this.#limits.callMs, maxBytes: MB };
    return this.#read(schema, await callGateway(this.#deps, { ...bounds, ...call }));
  }

  #read<Schema extends z.ZodType>(schema: Schema, answer: GatewayAnswer): z.output<Schema> {
    const { status, body } = answer;
    if (status < 200 || status >= 300) throw errorOf(answer, this.#secrets);
    if (body === undefined) throw new AppError("gateway_garbage", { status });
    // A failure with success status (recording 02, «restart»).
    if (valueAt(body, "error") === true)
      throw new AppError("gateway_failed", { status, message: redact(messageOf(body), this.#secrets) });
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new AppError("gateway_garbage", { status });
    return parsed.data;
  }

  async #send(
    path: readonly string[],
    body: { [field: string]: unknown; media?: string; audio?: string },
    onWire?: () => void,
    method: "POST" | "DELETE" = "POST",
  ): Promise<Outcome> {
    // With base64 in the webhook the answer includes the file; unread, the send would be in doubt.
    const maxBytes = MB + 2 * ((body.media ?? body.audio)?.length ?? 0);
    const timeoutMs = this.#limits.sendMs;
    try {
      const call = { method, path, body, timeoutMs, maxBytes, onWire } as const;
      return outcomeOf(await callGateway(this.#deps, call), this.#now());
    } catch (error) {
      return outcomeOfError(error);
    }
  }
}
