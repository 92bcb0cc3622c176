import type { Locator, Page } from "@playwright/test";
import { median, quantile } from "./workload.ts";

const TURNS = 150;
const TURN_PX = 600;

export type Scroll = {
  frames: number;
  frameP50ms: number;
  frameP99ms: number;
  rowsInPage: number;
  scrolledPx: number;
};

export type LongList = {
  name: string;
  path: string;
  press?: string;
  box: string;
  row: string;
  towards: "end" | "beginning";
};

type Watched = { gaps: number[]; rows: number; scrolled: number; stop: boolean };
type Watching = typeof globalThis & { watched: Watched };

export async function scroll(page: Page, { box, row, towards }: LongList): Promise<Scroll> {
  const list = page.locator(box);
  await list.locator(row).first().waitFor();
  await overTheMiddle(page, list);
  await page.evaluate(watch, { box, row });
  for (let turn = 0; turn < TURNS; turn++) await page.mouse.wheel(0, towards === "end" ? TURN_PX : -TURN_PX);
  const { gaps, rows, scrolled } = await page.evaluate(() => {
    const { watched } = globalThis as Watching;
    watched.stop = true;
    return watched;
  });
  return {
    frames: gaps.length,
    frameP50ms: median(gaps),
    frameP99ms: quantile(gaps, 0.99),
    rowsInPage: rows,
    scrolledPx: scrolled,
  };
}

async function overTheMiddle(page: Page, list: Locator): Promise<void> {
  const place = await list.boundingBox();
  if (!place) throw new Error("the list is not on the screen");
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
}

function watch({ box, row }: { box: string; row: string }): void {
  const element = document.querySelector(box);
  if (!element) throw new Error(`no ${box}`);
  const watched: Watched = { gaps: [], rows: 0, scrolled: 0, stop: false };
  (globalThis as Watching).watched = watched;
  let before = performance.now();
  let place = element.scrollTop;
  const frame = (now: number) => {
    if (watched.stop) return;
    watched.gaps.push(now - before);
    before = now;
    watched.rows = Math.max(watched.rows, element.querySelectorAll(row).length);
    watched.scrolled += Math.abs(element.scrollTop - place);
    place = element.scrollTop;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame((now) => {
    before = now;
    requestAnimationFrame(frame);
  });
}
