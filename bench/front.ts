import { type Browser, chromium } from "@playwright/test";
import pino from "pino";
import { openDatabase } from "../src/server/db/client.ts";
import { browser as chromiumOfNpm } from "../tests/e2e/support/browser.ts";
import { keepHeld } from "../tests/support/held-lanes.ts";
import { startProduct } from "../tests/support/server.ts";
import { serveRecharts, serveSkeleton } from "./front-reference.ts";
import { type FrontRows, writeFrontRows } from "./front-rows.ts";
import { type LongList, type Scroll, scroll } from "./front-scroll.ts";
import { type RequestContext, slowPage, visit } from "./front-visit.ts";
import { benchPostgres } from "./postgres.ts";
import { signUp } from "./sign-up.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const LONG = 100_000;
const NOT_SIGNED_IN = "/login";

type References = ReadonlyMap<string, string>;
type Stage = { browser: Browser; url: string; cookie: string; references: References };

export const frontWorkload: Workload = {
  name: "front",
  async run(bench) {
    const postgres = await benchPostgres();
    const product = await startProduct({ databaseUrl: postgres.url });
    const skeleton = await serveSkeleton(postgres.folder);
    const recharts = await serveRecharts(postgres.folder);
    if (!recharts)
      bench.say("front: not compared with Recharts, its packages are not there (npm ci in bench/peers)");
    const references = new Map([["skeleton", skeleton.url]]);
    if (recharts) {
      references.set("recharts", recharts.url);
      references.set("recharts, title first", `${recharts.url}/title-first`);
    }
    const { executablePath, args, env } = await chromiumOfNpm();
    const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 1 });
    const letGo = keepHeld(database.db);
    try {
      const cookie = await signUp(product.url);
      bench.say(`front: writing lists of ${bench.n ?? LONG}`);
      const rows = await writeFrontRows(database.db, bench.n ?? LONG);
      const stage = { browser, url: product.url, cookie, references };
      await screens(bench, stage, rows);
      await longLists(bench, stage, rows);
    } finally {
      letGo();
      await database.close();
      await browser.close();
      skeleton.close();
      recharts?.close();
      await product.close();
      await postgres.stop();
    }
  },
};

const screenPaths = ({ campaignId, connectionId, chatId }: FrontRows) => [
  NOT_SIGNED_IN,
  "/",
  "/campaigns",
  `/campaigns?detalhes=${campaignId}`,
  "/campaigns/new",
  "/contacts",
  `/chat?conexao=${connectionId}&conversa=${chatId}`,
  "/instances",
  "/chatbot",
  "/settings",
];

async function screens(bench: Bench, stage: Stage, rows: FrontRows): Promise<void> {
  const screens = screenPaths(rows);
  const paths = [...stage.references.keys(), ...screens];
  const visits = new Map<string, RequestContext[]>(paths.map((path) => [path, []]));
  // Round 0 is not counted: the server compresses each file at its first request.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const path of paths) {
      const figures = await visitOnce(stage, path);
      if (round === 0) continue;
      visits.get(path)?.push(figures);
      bench.note({ workload: "front", variant: path, figures });
    }
  }
  const of = (path: string, figure: keyof RequestContext) =>
    (visits.get(path) ?? []).map((each) => each[figure]);
  for (const path of screens) {
    const goal = (what: string, measured: number, bound: number, limits: readonly number[] = []) =>
      bench.goal({ name: `front-${what} ${path}`, measured, bound, kind: "atMost", limits });
    goal("script-kB", Math.max(...of(path, "scriptKB")), path === NOT_SIGNED_IN ? 130 : 220);
    goal("blocking-ms", median(of(path, "blockingMs")), 100);
    for (const reference of stage.references.keys()) {
      const limits = of(reference, "lcpMs");
      // Ratios are taken per round: the machine's speed drifts.
      const ratios = of(path, "lcpMs").map((lcp, round) => lcp / (limits[round] ?? Number.NaN));
      if (reference === "recharts") {
        bench.goal({
          name: `front-lcp/recharts ${path}`,
          measured: median(ratios),
          bound: 0.5,
          kind: "atMost",
          limits,
          withdrawn: true,
        });
      }
      for (const ratio of ratios)
        bench.note({ workload: "front", variant: `${path} / ${reference}`, figures: { lcp: ratio } });
    }
  }
}

async function visitOnce({ browser, url, cookie, references }: Stage, path: string): Promise<RequestContext> {
  const reference = references.get(path);
  const signedIn = reference || path === NOT_SIGNED_IN ? null : { url, header: cookie };
  const page = await slowPage(browser, signedIn);
  try {
    return await visit(page, reference ?? `${url}${path}`);
  } finally {
    await page.context().close();
  }
}

const longListsOf = ({ campaignId, connectionId, chatId }: FrontRows): LongList[] => [
  {
    name: "deliveries",
    path: `/campaigns?detalhes=${campaignId}`,
    box: "[data-ui~=deliveries]",
    row: "tr[aria-rowindex]",
    towards: "end",
  },
  {
    name: "contacts",
    path: "/contacts",
    press: "[class*=contacts_list] [class*=contacts_more] button",
    box: "[class*=list-dialog_list-people]",
    row: "li",
    towards: "end",
  },
  {
    name: "chats",
    path: `/chat?conexao=${connectionId}`,
    box: "[data-ui~=threads]",
    row: "li",
    towards: "end",
  },
  {
    name: "messages",
    path: `/chat?conexao=${connectionId}&conversa=${chatId}`,
    box: "[class*=message-log_log]",
    row: "article",
    towards: "beginning",
  },
];

async function longLists(bench: Bench, stage: Stage, rows: FrontRows): Promise<void> {
  for (const list of longListsOf(rows)) {
    const runs: Scroll[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      const page = await slowPage(stage.browser, { url: stage.url, header: stage.cookie });
      await visit(page, `${stage.url}${list.path}`);
      if (list.press) await page.locator(list.press).first().click();
      const figures = await scroll(page, list);
      await page.context().close();
      runs.push(figures);
      bench.note({ workload: "front-scroll", variant: list.name, figures });
    }
    const goal = (what: string, measured: number, bound: number) =>
      bench.goal({ name: `front-${what} ${list.name}`, measured, bound, kind: "atMost" });
    goal("frame-p99-ms", median(runs.map(({ frameP99ms }) => frameP99ms)), 34);
    goal("rows-in-page", Math.max(...runs.map(({ rowsInPage }) => rowsInPage)), 100);
  }
}
