import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { Clock } from "./clock.ts";
import { subscriptionOf } from "./events.ts";
import type { Instance, WebhookRow } from "./instance.ts";
import type { Timing } from "./options.ts";

export type WebhookAttempt = {
  at: number;
  instance: string;
  event: string;
  url: string;
  headers: Record<string, string>;
  body: WebhookBody;
  attempt: number;
  status: number | null;
  error: string | null;
};

export type WebhookBody = {
  event: string;
  instance: string;
  data: unknown;
  destination: string;
  date_time: string;
  sender?: string;
  server_url: string;
  apikey: string;
};

export type DeliverySettings = {
  duplicates: number;
  shuffleMs: number;
  delayMs: number;
  logLimit: number;
};

const ATTEMPTS = 10;
/** Recording 08, source. */
const FINAL = new Set([400, 401, 403, 404, 422]);
const SPREAD = 0.2;
const TOKEN_SECONDS = 600;
const SOCKETS = 256;

type Deps = {
  clock: Clock;
  random: () => number;
  timing: Timing;
  /** Since 2.4. */
  namedInHeaders: boolean;
  serverUrl: () => string;
  utcOffsetMinutes: number;
};

type Delivery = {
  instance: string;
  event: string;
  url: string;
  headers: Record<string, string>;
  body: WebhookBody;
};

type Posted = { status: number | null; error: string | null };

/** In memory, unordered, with doubling retry pauses, like the gateway. */
export class WebhookDesk {
  readonly log: WebhookAttempt[] = [];
  readonly #deps: Deps;
  readonly #agents = {
    "http:": new http.Agent({ keepAlive: true, maxSockets: SOCKETS }),
    "https:": new https.Agent({ keepAlive: true, maxSockets: SOCKETS }),
  };
  #settings: DeliverySettings = { duplicates: 0, shuffleMs: 0, delayMs: 0, logLimit: 20_000 };
  #queue = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  emit(instance: Instance, event: string, data: unknown): Promise<void> {
    const { clock, random, utcOffsetMinutes } = this.#deps;
    const webhook = instance.webhook;
    if (!webhook?.enabled || instance.silent || !webhook.events.includes(subscriptionOf(event)))
      return Promise.resolve();
    // Other URLs are stored but never posted (recording 05).
    if (!/^https?:\/\//.test(webhook.url)) return Promise.resolve();
    const at = new Date(clock.now() + utcOffsetMinutes * 60_000).toISOString();
    const suffix = webhook.webhookByEvents ? `/${event.replaceAll(".", "-")}` : "";
    const delivery: Delivery = {
      instance: instance.name,
      event,
      url: webhook.url + suffix,
      headers: this.#headersOf(webhook, instance, event, at),
      body: this.#bodyOf(webhook, instance, event, at, data),
    };
    if (random() < this.#settings.duplicates) void this.#start(delivery);
    return this.#start(delivery);
  }

  set(changes: Partial<DeliverySettings>): void {
    this.#settings = { ...this.#settings, ...changes };
  }

  /** A restart lost 1 of 1 (recording 08). */
  loseQueue(): void {
    this.#queue += 1;
  }

  close(): void {
    this.#queue += 1;
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #bodyOf(webhook: WebhookRow, instance: Instance, event: string, at: string, data: unknown): WebhookBody {
    return {
      event,
      instance: instance.name,
      data,
      destination: webhook.url,
      date_time: at,
      ...(instance.ownerJid !== null && { sender: instance.ownerJid }),
      server_url: this.#deps.serverUrl(),
      apikey: instance.token,
    };
  }

  #headersOf(webhook: WebhookRow, instance: Instance, event: string, at: string) {
    const { clock, namedInHeaders } = this.#deps;
    const { jwt_key: key, ...own } = webhook.headers ?? {};
    return {
      accept: "application/json, text/plain, */*",
      "content-type": "application/json",
      ...own,
      ...(key !== undefined && { authorization: `Bearer ${signToken(key, clock.now())}` }),
      "user-agent": "axios/1.13.2",
      ...(namedInHeaders && {
        "x-instance-id": instance.id,
        "x-instance-name": encodeURIComponent(instance.name),
        "x-event-type": event,
        "x-timestamp": at,
      }),
    };
  }

  #start(delivery: Delivery): Promise<void> {
    const { clock, random } = this.#deps;
    const wait = this.#settings.delayMs + random() * this.#settings.shuffleMs;
    const started = this.#queue;
    return new Promise((resolve) => {
      const first = () => void this.#attempt(delivery, 1, started).then(resolve);
      if (wait > 0) clock.soon(wait, first);
      else first();
    });
  }

  async #attempt(delivery: Delivery, count: number, started: number): Promise<void> {
    const { clock } = this.#deps;
    if (started !== this.#queue) return;
    const done = clock.begin();
    try {
      const result = await this.#post(delivery.url, delivery.headers, JSON.stringify(delivery.body));
      this.#keep({ ...delivery, at: clock.now(), attempt: count, ...result });
      const { status } = result;
      if (status !== null && ((status >= 200 && status < 300) || FINAL.has(status))) return;
      if (count >= ATTEMPTS || started !== this.#queue) return;
      clock.soon(this.#pauseAfter(count), () => void this.#attempt(delivery, count + 1, started));
    } finally {
      done();
    }
  }

  /** 5 s, doubling up to 300 s, a fifth more or less (recording 08: 0, 5, 14–16, 31–38, 71–75 s). */
  #pauseAfter(count: number): number {
    const { random, timing } = this.#deps;
    const pause = Math.min(timing.retryMs * 2 ** (count - 1), timing.retryMaxMs);
    return pause * (1 - SPREAD + random() * 2 * SPREAD);
  }

  #post(url: string, headers: Record<string, string>, body: string): Promise<Posted> {
    return new Promise((resolve) => {
      const fail = (error: Error) => resolve({ status: null, error: error.message });
      try {
        const { protocol } = new URL(url);
        const client = protocol === "https:" ? https : http;
        const agent = this.#agents[protocol as "http:" | "https:"];
        const length = Buffer.byteLength(body);
        const options = { method: "POST", agent, headers: { ...headers, "content-length": length } };
        const request = client.request(url, options, (response) => {
          response.resume();
          response.on("end", () => resolve({ status: response.statusCode ?? null, error: null }));
          response.on("error", fail);
        });
        const { webhookTimeoutMs } = this.#deps.timing;
        request.setTimeout(webhookTimeoutMs, () => request.destroy(new Error("timeout")));
        request.on("error", fail);
        request.end(body);
      } catch (error) {
        // A header with a line break stops delivery silently (recording 05).
        fail(error as Error);
      }
    });
  }

  #keep(attempt: WebhookAttempt): void {
    const { logLimit } = this.#settings;
    this.log.push(attempt);
    if (this.log.length > logLimit * 1.25) this.log.splice(0, this.log.length - logLimit);
  }
}

/** Made once per event, so late attempts carry an expired one (recording 08). */
function signToken(key: string, now: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor(now / 1000);
  const claims = { iat, exp: iat + TOKEN_SECONDS, app: "evolution", action: "webhook" };
  const content = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${content}.${createHmac("sha256", key).update(content).digest("base64url")}`;
}
