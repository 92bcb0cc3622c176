import fs from "node:fs/promises";
import path from "node:path";
import { serveStatic } from "@hono/node-server/serve-static";
import { Language } from "../../contract/accounts.ts";
import { isScreen } from "../../contract/screens.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import type { App, Env } from "./app.ts";
import { makeAsset, sendAsset } from "./asset.ts";
import { checkHost } from "./host.ts";
import { chosenLanguage, languageCookie } from "./language.ts";

const DEFAULT: Language = "pt-BR";

export function mountStatic(app: App, folder: string): void {
  const files = serveStatic<Env>({ root: folder, precompressed: true, rewriteRequestPath: placeOf });
  app.hono.on(["GET", "HEAD"], "/*", async (c, next) => {
    const { path: asked } = c.req;
    const refused = wrongPlace(app, c.req.raw);
    if (refused) return refused;
    if (/^\/(api|hooks)(\/|$)/.test(asked)) return next();
    // A name with a dot asks for a file; anything else is a page.
    if (asked !== "/index.html" && asked.slice(asked.lastIndexOf("/")).includes(".")) {
      const file = await files(c, async () => undefined);
      return file ? cached(asked, file) : next();
    }
    if (DOORS.has(asked) && (await isSignedIn(app, c.req.raw))) return home();
    return pageFor(app, folder, c.req.raw, asked);
  });
}

/** Files outside `assets` are the same in both builds. */
function placeOf(asked: string): string {
  const language = Language.options.find((each) => asked.startsWith(`/assets/${each}/`)) ?? DEFAULT;
  return `/${language}${asked}`;
}

function cached(asked: string, file: Response): Response {
  const forEver = asked.startsWith("/assets/");
  file.headers.set("cache-control", forEver ? "public, max-age=31536000, immutable" : "no-cache");
  // Also on the uncompressed answer: a cache must not give the compressed one to a browser that cannot read it.
  file.headers.set("vary", "accept-encoding");
  return file;
}

async function pageFor(app: App, folder: string, request: Request, asked: string): Promise<Response> {
  const chosen = chosenLanguage(request);
  // Read each time: after a new build its files have other names.
  const html = await fs
    .readFile(path.join(folder, chosen ?? DEFAULT, "index.html"), "utf8")
    .catch(() => null);
  if (html === null) return notBuilt();
  const marked = hasSession(request) ? html : html.replace("</head>", `${NO_SESSION}</head>`);
  const page = makeAsset(Buffer.from(marked), "text/html; charset=utf-8");
  const answer = isScreen(asked)
    ? await sendAsset(page, request)
    : unknownPlace(await sendAsset(page, fresh(request)));
  answer.headers.append("vary", "cookie");
  // Later requests, files too, use the page's language.
  if (chosen === null) answer.headers.append("set-cookie", languageCookie(DEFAULT, app.publicOrigin));
  return answer;
}

/** As if uncached: a 304 would reuse an old answer with its status. */
function fresh(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("if-none-match");
  return new Request(request.url, { method: request.method, headers });
}

const unknownPlace = ({ body, headers }: Response) => new Response(body, { status: 404, headers });

/** Read by web/api/session.ts: spares the request whose 401 the console would show. */
const NO_SESSION = '<meta name="session" content="none">';

/** Whether it has ended, the page asks. */
const hasSession = (request: Request) => /\brecado\.session_token=/.test(request.headers.get("cookie") ?? "");

const DOORS = new Set(["/login", "/signup"]);

/** Without a database: the login. */
async function isSignedIn(app: App, request: Request): Promise<boolean> {
  if (!hasSession(request)) return false;
  const caller = await app.authenticate(request).catch(() => null);
  return caller?.via === "session";
}

const home = () =>
  new Response(null, {
    status: 302,
    headers: { location: "/", "cache-control": "no-store", vary: "cookie" },
  });

/** A text for browsers: no page works under this address. */
function wrongPlace(app: App, request: Request): Response | null {
  try {
    checkHost(app, request);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
    return new Response(`${words().errorText(error.code, error.details)}\n`, { status: 421, headers });
  }
}

function notBuilt(): Response {
  const text = "A página ainda não foi construída. Rode «npm run build» e inicie o Recado de novo.\n";
  return new Response(text, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
}
