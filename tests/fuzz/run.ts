import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import { errorIn, type Seen } from "./judge.ts";
import { type FuzzRequest, keyOf, requestFor } from "./requests.ts";
import type { World } from "./world.ts";

export type RouteResult = { requests: number; errors: string[]; statuses: Record<string, number> };

const BATCH = 50;
const AT_ONCE = 8;
const PATIENCE_MS = 60_000;
const ENOUGH = 256 * 1024;

export type Asking = {
  seed: string;
  requests: number;
  first?: number;
  heard?(request: FuzzRequest, seen: Seen): void;
};

export async function fuzzRoute(
  world: World,
  route: EndpointSpec,
  { seed, requests, first = 0, heard }: Asking,
): Promise<RouteResult> {
  const result: RouteResult = { requests: 0, errors: [], statuses: {} };
  for (let at = first; at < first + requests; at += BATCH) {
    const caller = await world.caller(route);
    const numbers = Array.from({ length: Math.min(BATCH, first + requests - at) }, (_, next) => at + next);
    const one = async () => {
      for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
        const request = requestFor(route, seed, number, caller);
        const error = await errorOf(world, request, result.statuses, heard);
        result.requests++;
        if (error) result.errors.push(`${keyOf(route)} #${number}: ${error}\n    ${shown(request)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    for (const line of world.unforeseen())
      result.errors.push(`${keyOf(route)} #${at}…: logged as unforeseen: ${line}`);
  }
  return result;
}

async function errorOf(
  world: World,
  request: FuzzRequest,
  statuses: Record<string, number>,
  heard?: Asking["heard"],
) {
  try {
    let seen = await send(world, request);
    // A 503 of a starved database is no error of the request; a repeated one is.
    if (seen.status === 503) {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      seen = await send(world, request);
    }
    heard?.(request, seen);
    statuses[seen.status] = (statuses[seen.status] ?? 0) + 1;
    const { cookie = "", "accept-language": accepted = "" } = request.headers;
    const language = cookie.includes("language=") ? cookie : accepted;
    return errorIn(
      servedBy(world, request),
      { method: request.method, language: language === "" ? "pt" : "" },
      seen,
    );
  } catch (error) {
    return `no answer: ${String(error)}`;
  }
}

async function send(world: World, { method, path, headers, body }: FuzzRequest): Promise<Seen> {
  const init = { method, headers, body, signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = path.startsWith("/hooks/")
    ? await fetch(`${world.url}${path}`, init)
    : await within(world.app.hono.request(path, init));
  return { status: answer.status, headers: answer.headers, text: await read(answer) };
}

function within<T>(answer: T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("not within a minute")), PATIENCE_MS);
    Promise.resolve(answer)
      .then(resolve, reject)
      .finally(() => clearTimeout(late));
  });
}

async function read(answer: Response): Promise<string> {
  if (answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    await answer.body?.cancel();
    return "";
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ENOUGH && !answer.headers.get("content-type")?.startsWith("application/json")) break;
  }
  return text;
}

function servedBy({ app }: World, { method, path }: FuzzRequest): EndpointSpec | null {
  const { pathname } = new URL(path, "http://localhost");
  const asked = method === "HEAD" ? "GET" : method;
  const fitting = app.endpoints.filter((one) => one.method === asked && pattern(one.path).test(pathname));
  return fitting.find((one) => one.path === pathname) ?? fitting[0] ?? null;
}

const patterns = new Map<string, RegExp>();

function pattern(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const made = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, made);
  return made;
}

function shown({ method, path, headers, body }: FuzzRequest): string {
  const { cookie: _, ...sentHeaders } = headers;
  const text = body === null ? "" : typeof body === "string" ? body : Buffer.from(body).toString("hex");
  return `${method} ${path.slice(0, 400)} ${JSON.stringify(sentHeaders).slice(0, 400)} ${text.slice(0, 600)}`;
}
