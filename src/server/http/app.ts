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
  /** Without it (in route tests) statements run on `db`. */
  statements?: Pick<PageStatements, "dbOf">;
  log: Logger;
  authenticate: Authenticate;
  /** From RECADO_URL, else null. */
  publicOrigin: string | null;
  /** Default: all. */
  hosts?: HostRule;
  /** A newer version changed the schema: no more writes. */
  outdated?(): boolean;
  /** For the metrics. */
  answered?(one: Answered): void;
  /** Own proxies in front, trusted for the caller's address. */
  trustedProxies: number;
};

/** `route`: endpoint or `other`; `ms` until the head. */
export type Answered = { route: string; status: number; ms: number };

export type Env = { Bindings: Partial<HttpBindings> };

/**
 * For thousands of requests per second, which Fetch objects would slow. It bypasses all checks and headers of
 * the app.
 */
export type DirectRoute = {
  method: string;
  /** Path prefix; the rest has no slash. */
  prefix: string;
  serve(rest: string, exchange: Exchange): void;
};

/** `head`: names and values in turns. */
export type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse; head: readonly string[] };

/** `mount` adds endpoints, remembered for OpenAPI and the foreign-id test. */
export type App = AppOptions & {
  hono: Hono<Env>;
  endpoints: EndpointSpec[];
  direct: DirectRoute[];
};

/** Every error becomes an answer with the usual headers. */
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
    const error =
      allow.length > 0
        ? new AppError("method_not_allowed", { allow: allow.join(", ") })
        : new AppError("not_found");
    return secure(c.req.path, errorResponse(error, options.log));
  });
  return { ...options, hono, endpoints, direct: [] };
}

/** Distinguishes a wrong method from a wrong path. */
function methodsOf(endpoints: EndpointSpec[], path: string): string[] {
  const known = endpoints
    .filter((endpoint) => patternOf(endpoint.path).test(path))
    .map(({ method }) => method as string);
  return known.includes("GET") ? [...known, "HEAD"] : known;
}

/** Cached: unknown paths would create a hundred each time. */
const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, pattern);
  return pattern;
}
