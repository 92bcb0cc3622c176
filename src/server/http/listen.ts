import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { errorText } from "../../contract/error-messages.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { during } from "../base/request-context.ts";
import { StartError, systemReason } from "../base/start-error.ts";
import type { App, DirectRoute } from "./app.ts";
import { REQUEST_ID, requestContextOf } from "./request-id.ts";

export type HttpServer = {
  port: number;
  /** Stops accepting, waits `graceMs` for running answers, then cuts them. */
  stop(graceMs: number): Promise<void>;
};

/** For the rest of an answered request's body. */
const REST_MS = 5_000;

/** Answers 503 `starting` until it has an app. */
export type OpenPort = HttpServer & { serve(app: App): void };

export async function listenHttp(app: App, host: string, port: number): Promise<HttpServer> {
  const opened = await openPort(host, port);
  opened.serve(app);
  return opened;
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Before anything else: with a taken port no lane may be acquired and no webhook set. Sets Node's limits. */
export async function openPort(host: string, port: number): Promise<OpenPort> {
  let serve: Listener = answerStarting;
  const server = createServer(
    {
      // So a URL of 100 kB gets our 414.
      maxHeaderSize: 128 * 1024,
      headersTimeout: 30_000,
      // Longer than proxies keep idle connections (nginx: a minute), or a request could meet our close;
      // proxies do not retry writes.
      keepAliveTimeout: 75_000,
      // 100 MB over a slow line.
      requestTimeout: 30 * 60_000,
    },
    (incoming, outgoing) => {
      // Refused early: do not keep reading an unwanted body.
      outgoing.once("finish", () => {
        if (!incoming.complete) incoming.socket.setTimeout(REST_MS);
      });
      serve(incoming, outgoing);
    },
  );
  // Stalled uploads and dead peers; event streams beat every 15 s.
  server.setTimeout(120_000);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket));
  await listening(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    stop: (graceMs) => stop(server, graceMs),
    serve: (app) => {
      serve = listenerOf(app);
    },
  };
}

function listenerOf(app: App): Listener {
  // HTTP/1.0 has no Host, and HAProxy's health checks use it.
  const listener = getRequestListener(app.hono.fetch, {
    overrideGlobalObjects: false,
    hostname: "localhost",
  });
  return (incoming, outgoing) => {
    for (const route of app.direct) {
      const rest = restOf(route, incoming);
      if (rest === null) continue;
      // Gateways retry, and reach the new version.
      if (app.outdated?.()) answerCode(outgoing, "outdated");
      else serveDirect(app, route, rest, incoming, outgoing);
      return;
    }
    void listener(incoming, outgoing);
  };
}

const LIVE = "/api/health/live";

/** Supervisors must not kill a process during a long migration; others retry. */
function answerStarting(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.url === LIVE) answer(outgoing, 200, JSON.stringify({ status: "alive" }));
  else if (incoming.headers.accept?.includes("text/html")) {
    const head = { "content-type": "text/plain; charset=utf-8", refresh: String(AGAIN_S) };
    answer(outgoing, 503, `${errorText("starting")}\n`, head);
  } else answerCode(outgoing, "starting");
}

const AGAIN_S = 2;

const answerCode = (outgoing: ServerResponse, code: "starting" | "outdated") =>
  answer(outgoing, 503, JSON.stringify({ code, error: errorText(code) }));

/** Closes the connection, so the body stays unread. */
function answer(
  outgoing: ServerResponse,
  status: number,
  body: string,
  more: Record<string, string> = {},
): void {
  outgoing.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...(status === 503 ? { "retry-after": String(AGAIN_S) } : {}),
    ...more,
  });
  outgoing.end(body);
}

/** The app's request id and metrics. */
function serveDirect(
  app: App,
  route: DirectRoute,
  rest: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const visit = requestContextOf({ get: (name) => headerOf(incoming, name) }, incoming, app.trustedProxies);
  if (app.answered) {
    const begun = performance.now();
    const name = `${route.method} ${route.prefix}`;
    outgoing.once("finish", () =>
      app.answered?.({ route: name, status: outgoing.statusCode, ms: performance.now() - begun }),
    );
  }
  const head = [REQUEST_ID, visit.requestId];
  during(visit, () => route.serve(rest, { incoming, outgoing, head }));
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

/** Null: not this route. */
function restOf(
  { method, prefix }: DirectRoute,
  { method: asked, url = "" }: IncomingMessage,
): string | null {
  if (asked !== method || !url.startsWith(prefix)) return null;
  const query = url.indexOf("?", prefix.length);
  const rest = url.slice(prefix.length, query === -1 ? undefined : query);
  return rest === "" || rest.includes("/") ? null : rest;
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = systemReason(error);
      reject(
        new StartError(`Não foi possível abrir http://${host}:${port}: ${reason}. Defina PORT ou HOST.`),
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Requests that Node's parser refuses never reach the app; same answer form. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, code]: [string, ErrorCode] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "uri_too_long"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "invalid_request"]
        : ["400 Bad Request", "invalid_request"];
  const body = JSON.stringify({ code, error: errorText(code) });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // An ended event stream would be kept for a next request.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}
