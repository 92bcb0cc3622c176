import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Logger } from "pino";
import type { EndpointSpec } from "../../contract/endpoint.ts";
import { AppError } from "../../domain/errors.ts";
import { withLanguage } from "../base/locale.ts";
import { currentRequest, during } from "../base/request-context.ts";
import type { Db } from "../db/client.ts";
import type { PageStatements } from "../db/page-statements.ts";
import { errorResponse } from "./errors.ts";
import { secureHeaders } from "./headers.ts";
import type { HostRule } from "./host.ts";
import { languageOf } from "./language.ts";
import { SAFE_METHODS } from "./origin.ts";
import { REQUEST_ID, requestContextOf } from "./request-id.ts";
import type { Authenticate } from "./session-guard.ts";
import { checkWire } from "./wire.ts";

export type AppOptions = {
  db: Db;
  /** Where the statements of accounts' requests take turns; without it, which tests of a route may be, they run on `db`. */
  statements?: Pick<PageStatements, "dbOf">;
  log: Logger;
  authenticate: Authenticate;
  /** Origin of RECADO_URL (`https://recado.example`), null when only the Host header tells. */
  publicOrigin: string | null;
  /** Under which Host headers pages and programs are answered; left out: under all. */
  hosts?: HostRule;
  /** True once a newer version has changed the schema: nothing is written any more. */
  outdated?(): boolean;
  /** Hears of each answer, for the operator's figures. */
  answered?(one: Answered): void;
  /** How many proxies of the operator's stand in front and may be believed about the caller's address. */
  trustedProxies: number;
};

/** An answer: its endpoint (`other`: none of ours, a file of the page say), its status, and the milliseconds until its head. */
export type Answered = { route: string; status: number; ms: number };

export type Env = { Bindings: Partial<HttpBindings> };

/**
 * A route on Node's own request and answer, for what arrives thousands of times a second: Fetch's objects around it would cost more
 * than all that it does. It meets none of the app's checks and headers, and brings its own.
 */
export type DirectRoute = {
  method: string;
  /** What its path begins with; the rest, up to the question mark, has no slash. */
  prefix: string;
  serve(rest: string, exchange: Exchange): void;
};

/** `head`: names and values, in turns, that the answer's head must have. */
export type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; head: readonly string[] };

/** The HTTP side: `mount` adds endpoints to it and remembers them for OpenAPI and for the test of foreign ids. */
export type App = AppOptions & {
  hono: Hono<Env>;
  endpoints: EndpointSpec[];
  direct: DirectRoute[];
};

/** An app without endpoints. Whatever goes wrong in one becomes an answer here, with the same headers as every other. */
export function createApp(options: AppOptions): App {
  const hono = new Hono<Env>();
  const endpoints: EndpointSpec[] = [];
  const headed = secureHeaders(options.publicOrigin?.startsWith("https:") ?? false);
  const secure = (path: string, response: Response): Response => {
    const visit = currentRequest();
    if (visit) response.headers.set(REQUEST_ID, visit.requestId);
    return headed(path, response);
  };

  hono.use((c, next) =>
    during(requestContextOf(c.req.raw.headers, c.env?.incoming, options.trustedProxies), next),
  );
  hono.use(async (c, next) => {
    const begun = performance.now();
    await next();
    const one = {
      route: currentRequest()?.route ?? "other",
      status: c.res.status,
      ms: performance.now() - begun,
    };
    options.answered?.(one);
    options.log.debug(one, "answered");
  });
  hono.use((c, next) => withLanguage(languageOf(c.req.raw), next));
  hono.use(async (c, next) => {
    checkWire(c.req.raw, c.env?.incoming);
    if (options.outdated?.() && !SAFE_METHODS.has(c.req.method)) throw new AppError("outdated");
    await next();
  });
  hono.onError((error, c) => secure(c.req.path, errorResponse(error, options.log)));
  hono.use(async (c, next) => {
    await next();
    secure(c.req.path, c.res);
  });
  hono.notFound((c) => {
    const allow = methodsOf(endpoints, c.req.path);
    const fault =
      allow.length > 0
        ? new AppError("method_not_allowed", { allow: allow.join(", ") })
        : new AppError("not_found");
    return secure(c.req.path, errorResponse(fault, options.log));
  });
  return { ...options, hono, endpoints, direct: [] };
}

/** The methods under which a path is known, so that a wrong one is told apart from a wrong path. */
function methodsOf(endpoints: EndpointSpec[], path: string): string[] {
  const known = endpoints
    .filter((endpoint) => patternOf(endpoint.path).test(path))
    .map(({ method }) => method as string);
  return known.includes("GET") ? [...known, "HEAD"] : known;
}

/** Kept: a stranger who asks for what is not there would have a hundred of them made each time. */
const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, pattern);
  return pattern;
}
