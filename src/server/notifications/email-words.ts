import type { endStatus } from "../../domain/campaign.ts";

/** A letter without its greeting and its end. */
export type Draft = { subject: string; lines: readonly string[] };

export type Counts = {
  total: string;
  sent: string;
  error: string;
  uncertain: string;
  accepted: string;
  skipped: string;
};

/** A heading with its lines below it; nothing where there are none. */
export const listed = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [[heading, ...lines.map((line) => `- ${line}`)].join("\n")];

/** Everything that letters say, in one language. Figures and times come as text, written for their reader. */
export type EmailWords = {
  /** `name` may be empty. */
  greeting(name: string): string;
  /** In place of a name of which nothing may stand in a letter. */
  nameless: string;
  /** Before an address of ours. */
  open: string;
  /** At the end of every letter that a box in the settings switches off. */
  why: string;
  test(at: string): Draft;
  /** `ended` and `living`: what opens the account or gets its messages besides a password, in lines of `access`. */
  passwordChanged(change: { at: string; ended: readonly string[]; living: readonly string[] }): Draft;
  resetAsked(times: { at: string; until: string }): Draft;
  /** Before the link of that letter. */
  resetLink: string;
  confirmAsked(times: { until: string }): Draft;
  /** To the address that is to take the place of the account's. */
  changeAsked(times: { at: string; until: string }): Draft;
  /** Before the link of these two. */
  confirmLink: string;
  wrongPasswords(at: string): Draft;
  access: {
    key(name: string, prefix: string): string;
    relay(name: string, host: string): string;
    gateway(name: string, host: string): string;
    mistral(hint: string): string;
    more(n: number): string;
  };
  signUpAsked(at: string): Draft;
  /** Goes to the former address. The new one is not named: it is a text that a caller chose. */
  emailChanged(at: string): Draft;
  /** `browser` may be empty. */
  newBrowser(signIn: { at: string; browser: string; address: string }): Draft;
  keyCreated(key: { name: string; at: string }): Draft;
  /** `end`: as the campaign's card calls it. */
  campaignEnded(campaign: {
    name: string;
    at: string;
    counts: Counts;
    end: ReturnType<typeof endStatus>;
  }): Draft;
  /** `left`: people whose place has no outcome yet, some of whom may have got the message; null where it is not known. */
  campaignPaused(campaign: { name: string; at: string; cause: string; left: string | null }): Draft;
  /** `campaigns`: how many wait for it; 0 is not said. `hindered`: it is up, and nothing of theirs reaches anybody. */
  connectionDown(connection: {
    name: string;
    since: string;
    cause: string;
    campaigns: number;
    hindered: boolean;
  }): Draft;
  /** Why a campaign stopped, by its cause. */
  stopped: Readonly<Record<string, string>> & { unknown: string };
  /** What a connection's cause means, after its name: `Loja caiu`. */
  down: Readonly<Record<string, string>> & { unknown: string };
  news: Readonly<Record<"marketing" | "product", string>>;
  unsubscribe: string;
};
