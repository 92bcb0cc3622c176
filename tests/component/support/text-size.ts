import { expect } from "vitest";
import { cdp } from "vitest/browser";
import { fakeServer } from "./fake-server.ts";
import { renderApp } from "./render-app.tsx";
import { optOut } from "./rows.ts";
import { press } from "./screen.ts";
import { workingWorld } from "./working-world.ts";

export const PEOPLE = "[data-ui~=deliveries] tbody";
export const FAR = "[class*=virtual-list_far-list] ul";

export const AS_IT_COMES = 16;
export const HALF_AS_LARGE_AGAIN = 24;
export const TWICE_AS_LARGE = 32;

/** As the browser's own setting: it moves also the widths at which a layout changes. */
export async function letTextBe(standard: number): Promise<void> {
  await cdp().send("Page.setFontSizes", { fontSizes: { standard } });
  await expect.poll(() => getComputedStyle(document.documentElement).fontSize).toBe(`${standard}px`);
}

function lengthOf(list: string, row: string) {
  const element = document.querySelector(list);
  const drawn = [...(element?.querySelectorAll<HTMLElement>(row) ?? [])];
  const high = element?.getBoundingClientRect().height ?? 0;
  return {
    rows: Math.round((high / (drawn[0]?.getBoundingClientRect().height ?? 0)) * 10) / 10,
    cut: drawn.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1).length,
  };
}

export const there = (css: string) => expect.poll(() => document.querySelector(css)).not.toBeNull();

/** Null: any number of rows. */
export async function roomFor(rows: number | null, list: string, row: string): Promise<void> {
  await there(`${list} ${row}`);
  const found = () => lengthOf(list, row);
  if (rows === null) await expect.poll(() => found().cut).toBe(0);
  else await expect.poll(found).toEqual({ rows, cut: 0 });
}

export async function rowsFit(list: string, row: string, rows: number | null): Promise<void> {
  await roomFor(rows, list, row);
  await expect.poll(() => outside(list, row)).toEqual([]);
}

export async function numbersUncovered(): Promise<void> {
  const state = workingWorld();
  state.optOuts = [optOut(1), optOut(2)];
  const [list] = state.lists;
  const [, second] = (list && state.contacts[list.id]) ?? [];
  if (!list || !second) throw new Error("a list has people");
  second.optedOut = true;
  list.first = list.first.map((each, n) => (n === 1 ? { ...each, optedOut: true } : each));
  fakeServer(state);
  await renderApp("/contacts");
  await there("[data-ui~=lists] [data-ui~=badge]");
  expect(outside("[data-ui~=lists]", "li")).toEqual([]);
  await press(/^\+477 contatos/);
  await there("[class*=list-dialog_list-people] [data-ui~=badge]");
  await rowsFit(FAR, "li", 480);
  const people = "[class*=list-dialog_list-people]";
  expect(covered(people, "[class*=list-dialog_phone]", "[data-ui~=badge]")).toBe(0);
  await renderApp("/contacts");
  await press(/^Descadastrados/);
  await rowsFit(FAR, "li", 2);
  expect(covered("[class*=opt-outs-dialog_left-rows]", "[data-ui~=num]", "[class*=button_btn]")).toBe(0);
}

const LEFT_OUT = "[class*=layout_sr-only], [class*=tooltip_cut-line], [class*=tooltip_cut-text]";

function outside(list: string, row: string) {
  const isOut = (drawn: HTMLElement) => {
    const { top, bottom, left, right } = drawn.getBoundingClientRect();
    const words = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      const within = words.currentNode.parentElement;
      if (!within || within.closest(LEFT_OUT)) continue;
      const place = placeOf(words.currentNode);
      const out = [top - place.top, place.bottom - bottom, left - place.left, place.right - right];
      if (place.width > 0 && out.some((by) => by > 1)) return true;
    }
    return false;
  };
  const drawn = [...document.querySelectorAll<HTMLElement>(`${list} ${row}`)];
  return drawn.filter(isOut).map(({ textContent }) => textContent);
}

function placeOf(node: Node): DOMRect {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getBoundingClientRect();
}

function covered(list: string, words: string, by: string): number {
  return [...document.querySelectorAll(`${list} ${words}`)].filter((said) => {
    const place = placeOf(said);
    return [...(said.closest("li")?.querySelectorAll(by) ?? [])].some((above) => {
      const { left, right, top, bottom } = above.getBoundingClientRect();
      return place.right > left && place.left < right && place.bottom > top && place.top < bottom;
    });
  }).length;
}
