import fs from "node:fs";
import path from "node:path";
import { Language } from "../../contract/accounts.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import type { App } from "./app.ts";
import { type Asset, makeAsset, sendAsset } from "./asset.ts";
import { FIRST_FILES, type FirstFiles, firstTags, type ScreenFiles, screenShown } from "./first-files.ts";
import { checkHost } from "./host.ts";
import { chosenLanguage, languageCookie } from "./language.ts";

const DEFAULT: Language = "pt-BR";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/**
 * Hashed files cache for ever, others by etag; other paths outside API and webhooks are the page, with 404
 * for unknown screens.
 */
export function mountStatic(app: App, folder: string): void {
  const builds = Language.options.map((language) => readAssets(path.join(folder, language)));
  const pages = new Map(Language.options.map((language, at) => [language, pageOf(builds[at])]));
  // Shared or named by language, so a page from before a language switch finds its files.
  const files = new Map(builds.flatMap((build) => [...build]));
  files.delete("/index.html");
  files.delete(`/${FIRST_FILES}`);
  app.hono.on(["GET", "HEAD"], "/*", async (c, next) => {
    const { path: asked } = c.req;
    const refused = wrongPlace(app, c.req.raw);
    if (refused) return refused;
    if (/^\/(api|hooks)(\/|$)/.test(asked)) return next();
    const file = files.get(asked);
    if (file) return sendAsset(file, c.req.raw);
    // A dot means a missing file, anything else a page.
    if (asked !== "/index.html" && asked.slice(asked.lastIndexOf("/")).includes(".")) return next();
    if (DOORS.has(asked) && (await isSignedIn(app, c.req.raw))) return home();
    const chosen = chosenLanguage(c.req.raw);
    const page = pages.get(chosen ?? DEFAULT);
    if (!page) return notBuilt();
    const { asset, known } = page(asked, hasSession(c.req.raw));
    const answer = known
      ? await sendAsset(asset, c.req.raw)
      : unknownPlace(await sendAsset(asset, fresh(c.req.raw)));
    answer.headers.append("vary", "cookie");
    // Later requests, files too, use the page's language.
    if (chosen === null) answer.headers.append("set-cookie", languageCookie(DEFAULT, app.publicOrigin));
    return answer;
  });
}

/** As if uncached: a 304 would reuse an old answer with its status. */
function fresh(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete("if-none-match");
  return new Request(request.url, { method: request.method, headers });
}

const unknownPlace = ({ body, headers }: Response) => new Response(body, { status: 404, headers });

/** Mount point; the initial content precedes it. */
const ROOT = '<div id="root">';

/**
 * Without a session a mark prevents a 401 in the console. `known`: the router has the screen; null without a
 * build.
 */
function pageOf(
  build: Map<string, Asset> | undefined,
): ((path: string, signedIn: boolean) => { asset: Asset; known: boolean }) | null {
  const page = build?.get("/index.html");
  const table = build?.get(`/${FIRST_FILES}`);
  if (!page) return null;
  if (!table) return () => ({ asset: page, known: true });
  const files = JSON.parse(table.bytes.toString()) as FirstFiles;
  const html = page.bytes.toString();
  const answers = [new Map<ScreenFiles, Asset>(), new Map<ScreenFiles, Asset>()] as const;
  return (asked, signedIn) => {
    const shown = screenShown(files, asked, signedIn);
    if (!shown) return { asset: page, known: false };
    const made = answers[signedIn ? 1 : 0];
    const before = made.get(shown);
    if (before) return { asset: before, known: true };
    const whole = html
      .replace("</head>", () => `${signedIn ? "" : NO_SESSION}${firstTags(files, shown)}</head>`)
      .replace(ROOT, () => `${shown.paint}${ROOT}`);
    const asset = assetOf("/index.html", Buffer.from(whole));
    made.set(shown, asset);
    return { asset, known: true };
  };
}

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

function readAssets(folder: string): Map<string, Asset> {
  const assets = new Map<string, Asset>();
  if (!fs.existsSync(folder)) return assets;
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = `/${path.relative(folder, file).split(path.sep).join("/")}`;
    assets.set(name, assetOf(name, fs.readFileSync(file)));
  }
  return assets;
}

function assetOf(name: string, bytes: Buffer<ArrayBuffer>): Asset {
  const cache = name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
  return makeAsset(bytes, TYPES[path.extname(name)] ?? "application/octet-stream", cache);
}

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
