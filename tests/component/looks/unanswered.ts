import { expect } from "vitest";
import { page } from "vitest/browser";
import type { Screen } from "../support/screens.ts";
import { world } from "../support/world.ts";

const FETCHING = [
  ["dashboard", "/"],
  ["campaigns", "/campaigns"],
  ["calendar", "/campaigns/calendar"],
  ["contacts", "/contacts"],
  ["people", "/contacts/pessoas"],
  ["person", "/contacts/pessoas/7"],
  ["connections", "/whatsapp/connections"],
  ["number", "/whatsapp/connections/7"],
  ["chat", "/chat"],
  ["instances", "/instances"],
  ["agents", "/chatbot"],
  ["usage", "/settings?aba=uso"],
] as const;

const waiting: Screen[] = FETCHING.map(([name, path]) => ({
  name: `${name}-waiting`,
  path,
  world,
  words: null,
  prepare: (server) => server.holdAll(),
  opened: async () => {
    await expect.element(page.getByText("Carregando...").first()).toBeInTheDocument();
  },
}));

const failing: Screen[] = FETCHING.map(([name, path]) => ({
  name: `${name}-failing`,
  path,
  world,
  words: null,
  prepare: (server) => server.refuseAll("unavailable"),
  opened: async () => {
    await expect.element(page.getByRole("main").getByRole("alert").first()).toBeVisible();
  },
}));

export const SCREENS: Screen[] = [...waiting, ...failing];
