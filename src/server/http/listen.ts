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
  /** No new connections; waits for running answers as long as `graceMs`, then cuts them off. */
  stop(graceMs: number): Promise<void>;
};

/** How long the rest of a request may take that has had its answer. */
const REST_MS = 5_000;

/** A port that is open already, and answers 503 `starting` until it is given an app. */
export type OpenPort = HttpServer & { serve(app: App): void };

/** Serves the app from the first request on. */
export async function listenHttp(app: App, host: string, port: number): Promise<HttpServer> {
  const opened = await openPort(host, port);
  opened.serve(app);
  return opened;
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Opens the port before anything else is begun: a process whose port is taken must not have taken lanes or set webhooks by then. Bounds
 * that Node sets by itself are chosen here: sizes, and how long a silent peer may stay.
 */
export async function openPort(host: string, port: number): Promise<OpenPort> {
  let serve: Listener = answerStarting;
  const server = createServer(
    {
      // Large enough that an address of 100 kB reaches us and gets its 414.
      maxHeaderSize: 128 * 1024,
      headersTimeout: 30_000,
      // A proxy keeps idle connections for a minute (nginx). Were they ours to close, a request could meet the closing: it is lost then,
      // and no proxy sends one that writes again by itself.
      keepAliveTimeout: 75_000,
      // A hundred megabytes over a slow line take their time.
      requestTimeout: 30 * 60_000,
    },
    (incoming, outgoing) => {
      // Answered before all of it was there, refused that is: no connection to keep for somebody who goes on sending what nobody reads.
      outgoing.once("finish", () => {
        if (!incoming.complete) incoming.socket.setTimeout(REST_MS);
      });
      serve(incoming, outgoing);
    },
  );
  // Nothing moved for this long: an upload that stopped, a peer that is gone. Event streams beat every 15 s.
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
  // HTTP/1.0 names no host, and balancers ask for our health by it (HAProxy by default).
  const listener = getRequestListener(app.hono.fetch, {
    overrideGlobalObjects: false,
    hostname: "localhost",
  });
  return (incoming, outgoing) => {
    for (const route of app.direct) {
      const rest = restOf(route, incoming);
      if (rest === null) continue;
      // Gateways repeat what is answered so, and the new version hears it.
      if (app.outdated?.()) answerCode(outgoing, "outdated");
      else serveDirect(app, route, rest, incoming, outgoing);
      return;
    }
    void listener(incoming, outgoing);
  };
}

const LIVE = "/api/health/live";

/** A supervisor must not end a process over a long migration; everybody else comes again. */
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

/** The connection goes: the rest of a body is not read. */
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

/** What every request of the app gets and meets there: an id, and a place in the operator's figures. */
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

/** What follows the route's prefix; null when the request is not for it. */
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

/** What Node's parser refuses (two lengths, a broken line, too large a head) never reaches the app: answered here, in the same form. */
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
    // A connection whose answer has just ended (an event stream, say) would be kept for its next request.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
  });
}
