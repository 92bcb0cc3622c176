import type { endStatus } from "../../domain/campaign.ts";

export type Draft = { subject: string; lines: readonly string[] };

export type Counts = {
  total: string;
  sent: string;
  error: string;
  uncertain: string;
  accepted: string;
  skipped: string;
};

/** Empty without lines. */
export const listed = (heading: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [[heading, ...lines.map((line) => `- ${line}`)].join("\n")];

/** All e-mail texts of one language; figures and times are already formatted. */
export type EmailWords = {
  /** May be empty. */
  greeting(name: string): string;
  /** For a name with nothing usable in an e-mail. */
  nameless: string;
  open: string;
  /** Footer of e-mails that settings can switch off. */
  why: string;
  test(at: string): Draft;
  /** `ended`, `living`: other access to the account, as `access` lines. */
  passwordChanged(change: { at: string; ended: readonly string[]; living: readonly string[] }): Draft;
  resetAsked(times: { at: string; until: string }): Draft;
  resetLink: string;
  confirmAsked(times: { until: string }): Draft;
  /** To the new address. */
  changeAsked(times: { at: string; until: string }): Draft;
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
  /** To the former address, without the new one, which is a caller's text. */
  emailChanged(at: string): Draft;
  newBrowser(signIn: { at: string; browser: string; address: string }): Draft;
  keyCreated(key: { name: string; at: string }): Draft;
  campaignEnded(campaign: {
    name: string;
    at: string;
    counts: Counts;
    end: ReturnType<typeof endStatus>;
  }): Draft;
  /** `left`: people without an outcome, some may have received it; null: unknown. */
  campaignPaused(campaign: { name: string; at: string; cause: string; left: string | null }): Draft;
  /** `campaigns`: how many wait, 0 omitted. `hindered`: connected, but delivers nothing. */
  connectionDown(connection: {
    name: string;
    since: string;
    cause: string;
    campaigns: number;
    hindered: boolean;
  }): Draft;
  /** By pause reason. */
  stopped: Readonly<Record<string, string>> & { unknown: string };
  /** By state reason, after the name: `Loja caiu`. */
  down: Readonly<Record<string, string>> & { unknown: string };
  news: Readonly<Record<"marketing" | "product", string>>;
  unsubscribe: string;
};
