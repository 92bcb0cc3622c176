import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { errorText } from "../../contract/error-messages.ts";
import { hooks as contract } from "../../contract/gateways.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { isDatabaseDown } from "../db/errors.ts";
import type { App, Exchange } from "../http/app.ts";
import { ERROR_STATUS } from "../http/error-status.ts";
import { BodyBudget, type HeldBody } from "./body-budget.ts";
import type { UnreadQuota } from "./unread-quota.ts";
import type { Hook, Hooks } from "./webhook-hooks.ts";
import type { Received } from "./webhook-receiver.ts";
import { HOOK_SECRET_HEADER } from "./webhook-secret.ts";

export type DoorDeps = {
  hooks: Pick<Hooks, "known" | "find" | "isInUse">;
  making(hookId: string): Promise<boolean>;
  receive(hook: Hook, bytes: Buffer): Promise<Received>;
  quota: Pick<UnreadQuota, "isFull" | "stored">;
  log: Logger;
  times?: DoorTimes;
};

export type DoorTimes = {
  look: number;
  /** Then it must have averaged `LEAST_RATE`. */
  slow: number;
  longest: number;
};

const DOOR_TIMES: DoorTimes = { look: 1_000, slow: 5_000, longest: 30_000 };
const LEAST_RATE = 16 * 1024;

type Lookup = Hook | "unavailable" | "unauthenticated";

const MAX_BODY = contract.evolution.maxBody;
/** Still read of a refused body: a client cut off earlier misses the answer. */
const MAX_REST = 2 * MAX_BODY;
const REST_MS = 5_000;
const RETRY_AFTER_S = 5;
/**
 * Anyone can cause lookups, which share statements with storing. Real instances have their own queue, each
 * with a share.
 */
const MAX_LOOKUPS = 32;
const MAX_LOOKUPS_OF_ONE = 4;

/** `POST /hooks/evolution/{hookId}`: authenticated by secret header; 200 once committed. */
export function mountWebhooks(app: App, deps: DoorDeps): void {
  const door = new WebhookDoor(deps);
  app.endpoints.push(contract.evolution);
  app.direct.push({
    method: "POST",
    prefix: "/hooks/evolution/",
    serve: (hookId, exchange) => door.serve(hookId, exchange),
  });
}

class WebhookDoor {
  readonly #deps: DoorDeps;
  readonly #budget = new BodyBudget();
  readonly #arriving: ArrivingBodies;
  readonly #strangers = new Lookups(MAX_LOOKUPS, MAX_LOOKUPS);
  readonly #instances = new Lookups(MAX_LOOKUPS, MAX_LOOKUPS_OF_ONE);

  constructor(deps: DoorDeps) {
    this.#deps = deps;
    this.#arriving = new ArrivingBodies(deps.times ?? DOOR_TIMES);
  }

  serve(hookId: string, exchange: Exchange): void {
    const header = exchange.incoming.headers[HOOK_SECRET_HEADER];
    const secret = typeof header === "string" ? header : "";
    const known = this.#deps.hooks.known(hookId, secret);
    if (known) {
      this.#take(known, exchange);
      return;
    }
    const lookups = this.#deps.hooks.isInUse(hookId) ? this.#instances : this.#strangers;
    lookups
      .run(hookId, secret, () => this.#find(hookId, secret))
      .then(
        (found) => (typeof found === "string" ? answer(found, exchange) : this.#take(found, exchange)),
        (error: unknown) => answer(this.#failed(error), exchange),
      );
  }

  #take(hook: Hook, exchange: Exchange): void {
    const { incoming, outgoing } = exchange;
    const { accountId } = hook;
    const misfit = misfitOf(incoming) ?? (this.#deps.quota.isFull(accountId) ? "unavailable" : null);
    const body = misfit ? null : this.#budget.admit(accountId, declaredOf(incoming));
    if (!body) {
      answer(misfit ?? "unavailable", exchange);
      return;
    }
    const parts: Buffer[] = [];
    const end = (code: ErrorCode | null) => {
      this.#arriving.delete(body);
      body.release();
      parts.length = 0;
      if (!outgoing.writableEnded) answer(code, exchange);
    };
    this.#arriving.add(body, () => end("unavailable"));
    incoming.on("data", (part: Buffer) => {
      if (outgoing.writableEnded) return;
      if (body.size() + part.length > MAX_BODY) end("payload_too_large");
      else if (body.grow(part.length)) parts.push(part);
      else end("unavailable");
    });
    incoming.on("end", () => {
      if (outgoing.writableEnded) return;
      this.#arriving.delete(body);
      const [only] = parts;
      const bytes = parts.length === 1 && only ? only : Buffer.concat(parts);
      void this.#receive(hook, bytes).then(end);
    });
    incoming.on("error", () => {
      this.#arriving.delete(body);
      body.release();
    });
  }

  async #receive(hook: Hook, bytes: Buffer): Promise<ErrorCode | null> {
    try {
      const code = await this.#deps.receive(hook, bytes);
      if (code === null) this.#deps.quota.stored(hook.accountId, bytes.length);
      return code;
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Always 5xx, so that the event is sent again. */
  #failed(error: unknown): ErrorCode {
    const { log } = this.#deps;
    if (isDatabaseDown(error)) log.warn({ err: error }, "webhook: cannot serve now");
    else log.error({ err: error }, "unforeseen error in a webhook");
    return "unavailable";
  }

  /** A pending instance may be stored between the looks, and a refused event never returns. */
  async #find(hookId: string, secret: string): Promise<Lookup> {
    const { hooks, making } = this.#deps;
    const found = await hooks.find(hookId, secret);
    if (found) return found;
    if (await making(hookId)) return "unavailable";
    return (await hooks.find(hookId, secret)) ?? "unauthenticated";
  }
}

/**
 * One id and secret count once, as a gateway sends bursts. Joined requests are asked to retry, as the row may
 * be newer.
 */
class Lookups {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #running = new Map<string, Promise<Lookup>>();
  readonly #ofOne = new Map<string, number>();

  constructor(most: number, mostOfOne: number) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  async run(hookId: string, secret: string, find: () => Promise<Lookup>): Promise<Lookup> {
    const name = `${hookId} ${secret}`;
    const same = this.#running.get(name);
    if (same) {
      const found = await same;
      return found === "unauthenticated" ? "unavailable" : found;
    }
    const ofOne = this.#ofOne.get(hookId) ?? 0;
    if (this.#running.size >= this.#most || ofOne >= this.#mostOfOne) return "unavailable";
    this.#ofOne.set(hookId, ofOne + 1);
    const look = find().finally(() => this.#end(name, hookId));
    this.#running.set(name, look);
    return look;
  }

  #end(name: string, hookId: string): void {
    this.#running.delete(name);
    const left = (this.#ofOne.get(hookId) ?? 1) - 1;
    if (left > 0) this.#ofOne.set(hookId, left);
    else this.#ofOne.delete(hookId);
  }
}

class ArrivingBodies {
  readonly #times: DoorTimes;
  readonly #bodies = new Map<HeldBody, { since: number; breakOff: () => void }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(times: DoorTimes) {
    this.#times = times;
  }

  add(body: HeldBody, breakOff: () => void): void {
    this.#bodies.set(body, { since: performance.now(), breakOff });
    this.#timer ??= setInterval(() => this.#look(), this.#times.look).unref();
  }

  delete(body: HeldBody): void {
    this.#bodies.delete(body);
  }

  #look(): void {
    if (this.#bodies.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const { slow, longest } = this.#times;
    for (const [body, { since, breakOff }] of this.#bodies) {
      const ms = performance.now() - since;
      if (ms >= longest || (ms >= slow && body.size() < (LEAST_RATE * ms) / 1_000)) breakOff();
    }
  }
}

const declaredOf = ({ headers }: IncomingMessage) => Number(headers["content-length"] ?? 0);

function misfitOf(incoming: IncomingMessage): ErrorCode | null {
  const encoding = incoming.headers["content-encoding"];
  // It could expand to any size; no gateway sends one.
  if (encoding !== undefined && encoding !== "identity") return "unsupported_media_type";
  return declaredOf(incoming) > MAX_BODY ? "payload_too_large" : null;
}

const HEAD = [
  "content-type",
  "application/json",
  "cache-control",
  "no-store",
  "x-content-type-options",
  "nosniff",
];
/** Text, so Node writes head and body at once. */
const STORED = '{"success":true}';
const STORED_HEAD = [...HEAD, "content-length", String(STORED.length)];

function answer(code: ErrorCode | null, { incoming, outgoing, head: given }: Exchange): void {
  if (code === null) {
    outgoing.writeHead(200, [...given, ...STORED_HEAD]);
    outgoing.end(STORED);
    return;
  }
  const body = Buffer.from(JSON.stringify({ code, error: errorText(code) }));
  const head = [...given, ...HEAD, "content-length", String(body.length)];
  if (code === "unavailable") head.push("retry-after", String(RETRY_AFTER_S));
  outgoing.writeHead(ERROR_STATUS[code], head);
  outgoing.end(body);
  if (!incoming.complete) throwAway(incoming);
}

/** Closing at once would lose the answer. */
function throwAway(incoming: IncomingMessage): void {
  const late = setTimeout(() => incoming.destroy(), REST_MS).unref();
  incoming.once("close", () => clearTimeout(late));
  let rest = 0;
  incoming.on("data", (part: Buffer) => {
    rest += part.length;
    if (rest > MAX_REST) incoming.destroy();
  });
}
