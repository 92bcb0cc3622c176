import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { errorText } from "../../contract/error-messages.ts";
import { hooks as contract } from "../../contract/gateways.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { isDatabaseDown } from "../db/faults.ts";
import type { App, Exchange } from "../http/app.ts";
import { ERROR_STATUS } from "../http/error-status.ts";
import type { Hook, Hooks } from "./webhook-hooks.ts";
import type { Received } from "./webhook-receiver.ts";
import { HOOK_SECRET_HEADER } from "./webhook-secret.ts";

export type DoorDeps = {
  hooks: Pick<Hooks, "known" | "find">;
  /** Webhooks of instances that are being made: gateways post events of one before they answer that it exists. */
  making(hookId: string): Promise<boolean>;
  receive(hook: Hook, bytes: Buffer): Promise<Received>;
  log: Logger;
};

type Lookup = Hook | "unavailable" | "unauthenticated";

const MAX_BODY = contract.evolution.maxBody;
/** What all bodies may hold of our memory while they arrive and are read: four of the largest. */
const MAX_HELD = 4 * MAX_BODY;
/** So much of a refused body is read and thrown away: who is cut off in the middle of a sentence does not hear the answer. */
const MAX_REST = 2 * MAX_BODY;
const RETRY_AFTER_S = 5;
/** So many whom nobody knows yet may be looked up at once: anybody can ask, and the statements are those that events are stored with. */
const MAX_LOOKUPS = 32;

/** Serves `POST /hooks/evolution/{hookId}`: public, proved by its secret header alone, answered 200 once the event is committed. */
export function mountWebhooks(app: App, deps: DoorDeps): void {
  app.endpoints.push(contract.evolution);
  app.direct.push({ method: "POST", prefix: "/hooks/evolution/", serve: webhookDoor(deps) });
}

function webhookDoor({ hooks, making, receive, log }: DoorDeps) {
  let held = 0;
  const lookups = new Map<string, Promise<Lookup>>();

  function take(hook: Hook, exchange: Exchange): void {
    const { incoming, outgoing } = exchange;
    const fault = faultOf(incoming, held);
    if (fault) {
      answer(fault, exchange);
      return;
    }
    const parts: Buffer[] = [];
    let size = 0;
    const letGo = () => {
      held -= size;
      size = 0;
    };
    incoming.on("data", (part: Buffer) => {
      if (outgoing.writableEnded) return;
      parts.push(part);
      size += part.length;
      held += part.length;
      const over = size > MAX_BODY ? "payload_too_large" : held > MAX_HELD ? "unavailable" : null;
      if (!over) return;
      letGo();
      parts.length = 0;
      answer(over, exchange);
    });
    incoming.on("end", () => {
      if (outgoing.writableEnded) return;
      const [only] = parts;
      const bytes = parts.length === 1 && only ? only : Buffer.concat(parts);
      void receive(hook, bytes)
        .catch((error: unknown) => failed(error))
        .then((code) => {
          letGo();
          answer(code, exchange);
        });
    });
    // The gateway hung up in the middle.
    incoming.on("error", letGo);
  }

  /** Always a 5xx: whatever we did wrong passes, and the event must come again. */
  function failed(error: unknown): ErrorCode {
    if (isDatabaseDown(error)) log.warn({ err: error }, "webhook: cannot serve now");
    else log.error({ err: error }, "unforeseen fault in a webhook");
    return "unavailable";
  }

  /**
   * Known only once it is stored: what comes while it is being made is to come again. It may have been stored between the two looks, and
   * who is refused then never hears of the event again; so the last look is the one that refuses.
   */
  async function find(hookId: string, secret: string): Promise<Lookup> {
    const found = await hooks.find(hookId, secret);
    if (found) return found;
    if (await making(hookId)) return "unavailable";
    return (await hooks.find(hookId, secret)) ?? "unauthenticated";
  }

  /**
   * One look for all who come with one id and secret: a gateway that posts a hundred events at once, just after we have started, is one
   * stranger and not a crowd. What that look did not find may have been stored since, so that who joined it is to come again.
   */
  async function lookUp(hookId: string, secret: string): Promise<Lookup> {
    const name = `${hookId} ${secret}`;
    const same = lookups.get(name);
    if (same) {
      const found = await same;
      return found === "unauthenticated" ? "unavailable" : found;
    }
    if (lookups.size >= MAX_LOOKUPS) return "unavailable";
    const look = find(hookId, secret).finally(() => lookups.delete(name));
    lookups.set(name, look);
    return look;
  }

  return (hookId: string, exchange: Exchange): void => {
    const header = exchange.incoming.headers[HOOK_SECRET_HEADER];
    const secret = typeof header === "string" ? header : "";
    const known = hooks.known(hookId, secret);
    if (known) {
      take(known, exchange);
      return;
    }
    lookUp(hookId, secret).then(
      (found) => (typeof found === "string" ? answer(found, exchange) : take(found, exchange)),
      (error: unknown) => answer(failed(error), exchange),
    );
  };
}

function faultOf({ headers }: IncomingMessage, held: number): ErrorCode | null {
  const { "content-encoding": encoding, "content-length": length = "0" } = headers;
  // A compressed body could unfold to any size; no gateway sends one.
  if (encoding !== undefined && encoding !== "identity") return "unsupported_media_type";
  if (Number(length) > MAX_BODY) return "payload_too_large";
  return held + Number(length) > MAX_HELD ? "unavailable" : null;
}

const HEAD = [
  ...["content-type", "application/json", "cache-control", "no-store"],
  ...["x-content-type-options", "nosniff"],
];
/** Text rather than bytes: Node then writes head and body at once. */
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

function throwAway(incoming: IncomingMessage): void {
  let rest = 0;
  incoming.on("data", (part: Buffer) => {
    rest += part.length;
    if (rest > MAX_REST) incoming.destroy();
  });
}
