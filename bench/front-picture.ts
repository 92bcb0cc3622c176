import { randomBytes } from "node:crypto";
import { type Browser, chromium } from "@playwright/test";
import { sql } from "kysely";
import pino from "pino";
import sharp from "sharp";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { browser as chromiumOfNpm } from "../tests/e2e/support/browser.ts";
import { accountOf, heldConnection } from "../tests/e2e/support/product-rows.ts";
import { chatRow, messageRow } from "../tests/support/chat-rows.ts";
import { keepHeld } from "../tests/support/held-lanes.ts";
import { startProduct } from "../tests/support/server.ts";
import { slowPage } from "./front-visit.ts";
import { benchPostgres } from "./postgres.ts";
import { BENCH_EMAIL, signUp } from "./sign-up.ts";
import { type Bench, median, type Workload } from "./workload.ts";

const SIDE = { width: 1600, height: 1200 };
const BOUND_MS = 300;
/** An old telephone's processor: said, without a goal. */
const OLD = 4;

/** From the press on a conversation until its last message's picture is drawn, on a cold cache. */
export const frontPictureWorkload: Workload = {
  name: "front-picture",
  async run(bench) {
    const postgres = await benchPostgres();
    const product = await startProduct({ databaseUrl: postgres.url });
    const { executablePath, args, env } = await chromiumOfNpm();
    const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
    const database = openDatabase(postgres.url, { log: pino({ level: "warn" }), max: 1 });
    const letGo = keepHeld(database.db);
    try {
      const cookie = await signUp(product.url);
      await rounds(bench, { browser, url: product.url, cookie, database });
    } finally {
      letGo();
      await database.close();
      await browser.close();
      await product.close();
      await postgres.stop();
    }
  },
};

type Stage = { browser: Browser; url: string; cookie: string; database: Database };

async function rounds(bench: Bench, stage: Stage): Promise<void> {
  const { db } = stage.database;
  const account = await accountOf(db, BENCH_EMAIL);
  const connectionId = await heldConnection(db, account, "connected", "Matriz");
  // The screen opens the newest conversation by itself.
  const newest = await chatRow(db, { account, connectionId, phone: 5_511_999_999_999, pushName: "Bia" });
  await messageRow(db, newest);
  const times: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const chatId = await chatRow(db, {
      account,
      connectionId,
      phone: 5_511_900_000_000 + round,
      pushName: "Ana",
      lastAt: new Date(Date.now() - 3_600_000),
    });
    const message = await messageRow(db, chatId, { text: "olha" });
    const { id, bytes } = await uploadPicture(stage);
    await sql`update chat_message set kind = 'image', attachment_id = ${id} where id = ${message}`.execute(
      db,
    );
    const place = { path: `/chat?conexao=${connectionId}`, chatId };
    const drawnMs = await openOnce(stage, place, 1);
    const oldMs = await openOnce(stage, place, OLD);
    bench.note({
      workload: "front",
      variant: "a picture in the chat",
      figures: { drawnMs, oldMs, kB: bytes / 1000 },
    });
    times.push(drawnMs);
  }
  bench.goal({ name: "front-picture-ms", measured: median(times), bound: BOUND_MS, kind: "atMost" });
}

async function uploadPicture({ url, cookie }: Stage): Promise<{ id: number; bytes: number }> {
  const small = { width: SIDE.width / 8, height: SIDE.height / 8, channels: 3 as const };
  const noise = sharp(randomBytes(small.width * small.height * small.channels), { raw: small });
  const picture = await noise.resize(SIDE.width, SIDE.height).jpeg({ quality: 85 }).toBuffer();
  const answer = await fetch(`${url}/api/attachments`, {
    method: "POST",
    headers: { cookie, origin: url, "content-type": "image/jpeg" },
    body: new Uint8Array(picture),
  });
  if (!answer.ok) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: number };
  return { id, bytes: picture.byteLength };
}

async function openOnce(
  { browser, url, cookie }: Stage,
  { path, chatId }: { path: string; chatId: number },
  slower: number,
): Promise<number> {
  const page = await slowPage(browser, { url, header: cookie }, slower);
  try {
    await page.goto(`${url}${path}`);
    const thread = page.locator(`[data-ui~=threads] a[href*="conversa=${chatId}"]`);
    await thread.waitFor();
    await page.waitForLoadState("networkidle");
    return await thread.evaluate(async (link: HTMLElement) => {
      const drawn = () => document.querySelector<HTMLImageElement>("[data-ui~=bubble] img");
      if (drawn()) throw new Error("the picture was there before");
      const frame = () => new Promise(requestAnimationFrame);
      const pressed = performance.now();
      link.click();
      for (;;) {
        const picture = drawn();
        if (picture?.complete && picture.naturalWidth > 0) {
          await picture.decode();
          await frame();
          return performance.now() - pressed;
        }
        await frame();
      }
    });
  } finally {
    await page.context().close();
  }
}
