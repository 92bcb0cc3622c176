import type http from "node:http";
import { gzipSync } from "node:zlib";
import { type Answer, errorBody, isRefused, refuse, refuseWith } from "./answers.ts";
import { breakAnswer } from "./broken-answers.ts";
import { FAULTS } from "./faults.ts";
import type { Gateway } from "./gateway.ts";
import { profilePicture } from "./pictures.ts";
import type { PlainRequest } from "./request.ts";
import { INSTANCE_CALLS, PLAIN_CALLS } from "./routes.ts";

const BODY_LIMIT = 136 * 1024 * 1024;
/** Recordings 02, 09a. */
const COMPRESS_FROM = 1024;

export async function serve(gateway: Gateway, request: http.IncomingMessage, response: http.ServerResponse) {
  const url = new URL(request.url ?? "/", "http://gateway");
  if (request.method === "OPTIONS") return send(request, response, { status: 204, body: undefined });
  const picture = /^\/pictures\/(\d+)\.png$/.exec(url.pathname);
  if (picture?.[1]) return sendPicture(response, picture[1]);
  let answer: Answer | null;
  try {
    answer = await call(gateway, request, response, url, await readBody(request));
  } catch (error) {
    if (!isRefused(error)) answer = { status: 500, body: errorBody(500, String(error)) };
    else answer = error.answer;
  }
  if (answer && !response.destroyed) send(request, response, answer);
}

async function call(
  gateway: Gateway,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
  body: Record<string, unknown>,
): Promise<Answer | null> {
  const key = String(request.headers.apikey ?? "");
  const { chosen, run } = findCall(gateway, request.method ?? "GET", url, key);
  const fault = gateway.faults.take(chosen.call, chosen.instance);
  const plain: PlainRequest = { key, query: url.searchParams, body, fault: fault?.name ?? null };
  if (!fault) return run(plain);
  let answer: Answer | null = null;
  if (FAULTS[fault.name].accepted) {
    try {
      answer = await run(plain);
    } catch (error) {
      // Calls that fail anyway fail normally: nothing was accepted.
      fault.record.accepted = false;
      throw error;
    }
  }
  await gateway.clock.sleep(fault.ms ?? 0);
  breakAnswer(fault, answer, request, response);
  return null;
}

type Found = {
  chosen: { call: (typeof PLAIN_CALLS)[string]["call"]; instance: string | null };
  run(request: PlainRequest): Answer | Promise<Answer>;
};

/** Existence is checked before the key, so names can be probed (recording 04). */
function findCall(gateway: Gateway, method: string, url: URL, key: string): Found {
  const plain = PLAIN_CALLS[`${method} ${url.pathname}`];
  if (plain) {
    if (plain.call !== "root") needLicense(gateway);
    return { chosen: { call: plain.call, instance: null }, run: (request) => plain.run(gateway, request) };
  }
  const [, first, second, ...rest] = url.pathname.split("/");
  const route = INSTANCE_CALLS[`${method} /${first}/${second}`];
  if (!route || rest.length !== 1) throw refuse(404, [`Cannot ${method} ${url.pathname}`]);
  needLicense(gateway);
  const named = gateway.instances.get(decodeURIComponent(rest[0] ?? ""));
  if (!named) throw refuse(404, [`The "${decodeURIComponent(rest[0] ?? "")}" instance does not exist`]);
  if (key !== gateway.apiKey && key !== named.token) throw refuse(401, "Unauthorized");
  // The query's name overrides the one whose key was checked (recording 10).
  const instance = gateway.instances.get(url.searchParams.get("instanceName") ?? named.name) ?? named;
  return {
    chosen: { call: route.call, instance: instance.name },
    run: (request) => route.run(gateway, { ...request, instance }),
  };
}

function needLicense(gateway: Gateway): void {
  if (gateway.licensed) return;
  throw refuseWith(503, {
    error: "service not activated",
    code: "LICENSE_REQUIRED",
    register_url: "https://license.invalid/register",
    message: "This server must be activated before it can be used.",
  });
}

async function readBody(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_LIMIT) throw refuse(413, "request entity too large");
    chunks.push(chunk);
  }
  const isJson = request.headers["content-type"]?.includes("json");
  if (length === 0 || !isJson) return {};
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    // Before other checks (recording 01).
    const { message } = error as Error;
    throw refuseWith(400, { status: 400, error: "Internal Server Error", response: { message } });
  }
}

const USUAL_HEADERS = {
  "x-powered-by": "Express",
  "access-control-allow-credentials": "true",
  vary: "Origin, Accept-Encoding",
};

function send(request: http.IncomingMessage, response: http.ServerResponse, { status, body }: Answer): void {
  if (body === undefined) {
    response.writeHead(status, USUAL_HEADERS).end();
    return;
  }
  const text = JSON.stringify(body);
  const headers = { ...USUAL_HEADERS, "content-type": "application/json; charset=utf-8" };
  const takesGzip = String(request.headers["accept-encoding"] ?? "").includes("gzip");
  if (takesGzip && text.length >= COMPRESS_FROM) {
    response.writeHead(status, { ...headers, "content-encoding": "gzip" }).end(gzipSync(text, { level: 1 }));
    return;
  }
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(text) }).end(text);
}

function sendPicture(response: http.ServerResponse, phone: string): void {
  const picture = profilePicture(phone);
  response.writeHead(200, { "content-type": "image/png", "content-length": picture.length }).end(picture);
}
