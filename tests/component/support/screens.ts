import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "./fake-server.ts";
import { minutesAgo, optOut } from "./rows.ts";
import { button, pick, press } from "./screen.ts";
import type { World } from "./world.ts";

export type Screen = {
  name: string;
  path: string;
  world: () => World;
  /** Stands only on the loaded screen; null: it is not loaded on purpose. */
  words: string | RegExp | null;
  prepare?: (server: FakeServer) => void;
  opened?: () => Promise<void>;
  widths?: readonly number[];
};

export const opened = () => page.getByRole("dialog").or(page.getByRole("alertdialog")).last();

/** The last press shows errors. */
export const pressing =
  (first: string | RegExp, ...further: string[]) =>
  async () => {
    await press(first);
    await expect.element(opened()).toBeVisible();
    for (const name of further) await button(name, opened()).click();
    if (further.length > 0) await expect.element(opened().getByRole("alert").first()).toBeVisible();
  };

export const choosing = (menu: string | RegExp, entry: string) => async () => {
  await press(menu);
  await pick(entry);
  await expect.element(opened()).toBeVisible();
};

export const menu = (name: string | RegExp) => async () => {
  await press(name);
  await expect.element(page.getByRole("menu")).toBeVisible();
};

export type Row = readonly [
  name: string,
  path: string,
  words: string | RegExp,
  opened?: () => Promise<void>,
  more?: Pick<Screen, "prepare" | "widths">,
];

export const screenOf =
  (make: () => World) =>
  ([name, path, words, opens, more]: Row): Screen => ({
    name,
    path,
    words,
    world: make,
    ...(opens && { opened: opens }),
    ...more,
  });

export function mayLeave({ world: state }: FakeServer) {
  const at = minutesAgo(2);
  const asked = { source: "asked", text: "Não quero mais receber mensagens", at } as const;
  state.undecided = [optOut(8, { ...asked, connectionName: "Matriz – Centro" }), optOut(9, asked)];
  for (const each of state.chats) each.asksToLeave = { text: asked.text, at };
}
