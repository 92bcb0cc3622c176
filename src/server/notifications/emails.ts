import type { Access, Language } from "../../contract/accounts.ts";
import { endStatus } from "../../domain/campaign.ts";
import { hostInEmail, nameInEmail } from "../../domain/email-name.ts";
import type { Counts, Draft, EmailWords } from "./email-words.ts";
import { ENGLISH } from "./emails-en.ts";
import { PORTUGUESE } from "./emails-pt.ts";
import type { Reader } from "./mail-repo.ts";

type Text = { subject: string; body: string };

/** Public origin; null: no links. */
type Where = { url: string | null };
type When = { at: Date };

const WORDS: Readonly<Record<Language, EmailWords>> = { "pt-BR": PORTUGUESE, en: ENGLISH };

export const wordsOf = (language: Language): EmailWords => WORDS[language];

/** English spells the month: 03/04 is ambiguous. */
const TIMES = {
  "pt-BR": { locale: "pt-BR", month: "2-digit", day: "2-digit" },
  en: { locale: "en-GB", month: "short", day: "numeric" },
} as const;

function timeText({ language, timeZone }: Reader, at: Date): string {
  const { locale, ...date } = TIMES[language];
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  return new Intl.DateTimeFormat(locale, { ...date, ...time, year: "numeric", timeZone }).format(at);
}

const figure = ({ language }: Reader, n: number) => new Intl.NumberFormat(language).format(n);

/** Names may be advertisements, so they are cleaned. */
const named = ({ language }: Reader, name: string) => nameInEmail(name) || wordsOf(language).nameless;

function written(reader: Reader, draft: Draft, { url, path }: Where & { path?: string }, why: boolean): Text {
  const words = wordsOf(reader.language);
  const parts = [words.greeting(nameInEmail(reader.name)), ...draft.lines];
  if (url !== null && path !== undefined) parts.push(`${words.open}\n${url}${path}`);
  if (why) parts.push(`--\n${words.why}`);
  return { subject: draft.subject, body: `${parts.join("\n\n")}\n` };
}

export function testEmail(reader: Reader, { at, url }: When & Where): Text {
  const draft = wordsOf(reader.language).test(timeText(reader, at));
  return written(reader, draft, { url, path: "/settings" }, false);
}

type AccessChange = { ended: readonly Access[]; living: readonly Access[] };

/** Always sent, so it names no preferences. */
export function passwordEmail(reader: Reader, { at, url, ended, living }: When & Where & AccessChange): Text {
  const draft = wordsOf(reader.language).passwordChanged({
    at: timeText(reader, at),
    ended: accessLines(reader, ended),
    living: accessLines(reader, living),
  });
  return written(reader, draft, { url, path: "/settings" }, false);
}

const ACCESS_LINES = 20;

function accessLines(reader: Reader, all: readonly Access[]): string[] {
  const words = wordsOf(reader.language).access;
  const lines = all.slice(0, ACCESS_LINES).map((one) => {
    if (one.kind === "mistral") return words.mistral(nameInEmail(one.hint));
    const name = named(reader, one.name);
    return one.kind === "key" ? words.key(name, one.prefix) : words[one.kind](name, hostInEmail(one.host));
  });
  return all.length > ACCESS_LINES ? [...lines, words.more(all.length - ACCESS_LINES)] : lines;
}

/** Unproved address: no name, which the caller chose. */
export function confirmAddressEmail(
  reader: Reader,
  { at, until, change }: When & { until: Date; change: boolean },
): Text {
  const words = wordsOf(reader.language);
  const times = { at: timeText(reader, at), until: timeText(reader, until) };
  const draft = change ? words.changeAsked(times) : words.confirmAsked(times);
  return written({ ...reader, name: "" }, draft, { url: null }, false);
}

export function wrongPasswordsEmail(reader: Reader, { at, url }: When & Where): Text {
  const draft = wordsOf(reader.language).wrongPasswords(timeText(reader, at));
  return written(reader, draft, { url, path: "/settings" }, true);
}

/** The link is added when sending: stored e-mails open nothing. */
export function resetEmail(reader: Reader, { at, until }: When & { until: Date }): Text {
  const times = { at: timeText(reader, at), until: timeText(reader, until) };
  return written(reader, wordsOf(reader.language).resetAsked(times), { url: null }, false);
}

export function signUpEmail(reader: Reader, { at, url }: When & Where): Text {
  const draft = wordsOf(reader.language).signUpAsked(timeText(reader, at));
  // Perhaps an unproved address, so no name.
  return written({ ...reader, name: "" }, draft, { url, path: "/login" }, false);
}

export function addressChangeEmail(reader: Reader, { at }: When): Text {
  return written(reader, wordsOf(reader.language).emailChanged(timeText(reader, at)), { url: null }, false);
}

export function newSignInEmail(
  reader: Reader,
  { at, url, ...signIn }: When & Where & { browser: string; address: string },
): Text {
  const draft = wordsOf(reader.language).newBrowser({ ...signIn, at: timeText(reader, at) });
  return written(reader, draft, { url, path: "/settings" }, true);
}

export function keyEmail(reader: Reader, { at, url, name }: When & Where & { name: string }): Text {
  const draft = wordsOf(reader.language).keyCreated({ name: named(reader, name), at: timeText(reader, at) });
  return written(reader, draft, { url, path: "/settings" }, true);
}

export type CampaignFigures = { [Name in keyof Counts]: number };

export function endedEmail(
  reader: Reader,
  campaign: When & Where & { id: number; name: string; counts: CampaignFigures },
): Text {
  const { id, name, at, url } = campaign;
  const { total, sent, error, uncertain, accepted, skipped } = campaign.counts;
  const n = (count: number) => figure(reader, count);
  const draft = wordsOf(reader.language).campaignEnded({
    name: named(reader, name),
    at: timeText(reader, at),
    end: endStatus({ sent, errors: error, uncertain, accepted }),
    counts: {
      total: n(total),
      sent: n(sent),
      error: n(error),
      uncertain: n(uncertain),
      accepted: n(accepted),
      skipped: n(skipped),
    },
  });
  return written(reader, draft, { url, path: campaignPath(id) }, true);
}

export function pausedEmail(
  reader: Reader,
  campaign: When & Where & { id: number; name: string; cause: string; left: number | null },
): Text {
  const { id, name, at, url } = campaign;
  const left = campaign.left === null ? null : figure(reader, campaign.left);
  const words = wordsOf(reader.language);
  const cause = words.stopped[campaign.cause] ?? words.stopped.unknown;
  const draft = words.campaignPaused({ name: named(reader, name), at: timeText(reader, at), cause, left });
  return written(reader, draft, { url, path: campaignPath(id) }, true);
}

export function downEmail(
  reader: Reader,
  connection: When & Where & { name: string; cause: string | null; hindered: boolean; campaigns: number },
): Text {
  const { name, at, url, campaigns, hindered } = connection;
  const words = wordsOf(reader.language);
  const cause = words.down[connection.cause ?? ""] ?? words.down.unknown;
  const draft = words.connectionDown({
    name: named(reader, name),
    since: timeText(reader, at),
    cause,
    campaigns,
    hindered,
  });
  return written(reader, draft, { url, path: "/whatsapp/connections" }, true);
}

const campaignPath = (id: number) => `/campaigns?detalhes=${id}`;
