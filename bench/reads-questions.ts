import type { ReadsRows } from "./reads-rows.ts";

/**
 * `by`: key or counter; or words, which read all people of a campaign or list. `beside`: the first page, for
 * a deeper one.
 */
export type Question = {
  name: string;
  by: "key" | "words";
  path: (rows: ReadsRows) => string;
  beside?: string;
};

const DAY_MS = 86_400_000;
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

const people = (
  name: string,
  query: (rows: ReadsRows) => string,
  more: Partial<Question> = {},
): Question => ({
  name: `people: ${name}`,
  by: "key",
  ...more,
  path: (rows) => `/api/campaigns/${rows.campaignId}/deliveries?${query(rows)}`,
});
const contacts = (
  name: string,
  query: (rows: ReadsRows) => string,
  more: Partial<Question> = {},
): Question => ({
  name: `contacts: ${name}`,
  by: "key",
  ...more,
  path: (rows) => `/api/contact-lists/${rows.listId}/contacts?${query(rows)}`,
});
const key = (name: string, path: Question["path"]): Question => ({ name, by: "key", path });

const FIRST = { people: "people: first page", contacts: "contacts: first page" };

export const QUESTIONS: readonly Question[] = [
  key("dashboard", () => "/api/dashboard"),
  key("dashboard: 90 days", () => "/api/dashboard?days=90"),
  key("dashboard: a campaign", ({ campaignId }) => `/api/dashboard?campaign=${campaignId}`),
  key("campaigns", () => "/api/campaigns"),
  key("campaigns: of 30 days", () => `/api/campaigns?from=${day(30)}&to=${day(0)}`),
  key("campaigns: by name", () => "/api/campaigns?search=inverno"),
  key("campaigns: with errors", () => "/api/campaigns?outcome=errors"),
  key("campaign", ({ campaignId }) => `/api/campaigns/${campaignId}`),
  people("first page", () => "after=-1"),
  people("half", ({ people: n }) => `after=${Math.floor(n / 2)}`, { beside: FIRST.people }),
  people("end", ({ people: n }) => `after=${n - 101}`, { beside: FIRST.people }),
  people("errors", () => "status=error&limit=20"),
  people("errors, end", ({ people: n }) => `status=error&limit=20&after=${Math.floor(n * 0.9)}`),
  people("doubts", () => "status=uncertain&limit=20"),
  people("read", () => "status=read"),
  people("by phone, the last", ({ people: n }) => `search=${5_511_900_000_000 + n - 1}`, { by: "words" }),
  people("by name, the last", ({ people: n }) => `search=pessoa%20${n - 1}`, { by: "words" }),
  people("in a state without anybody", () => "status=sent", { by: "words" }),
  key("contact lists", () => "/api/contact-lists"),
  contacts("first page", () => "after=-1"),
  contacts("end", ({ people: n }) => `after=${n - 101}`, { beside: FIRST.contacts }),
  contacts("by name, the last", ({ people: n }) => `search=pessoa%20${n - 1}`, { by: "words" }),
  { name: "search: a campaign", by: "words", path: () => "/api/search?q=inverno" },
  { name: "search: no match", by: "words", path: () => "/api/search?q=zebedeu" },
];
