import type { PersonDetails } from "../../contract/people.ts";
import { ENGLISH_WHY, PORTUGUESE_WHY, type WhyWords } from "../../contract/why-words.ts";
import { deliveryState } from "../../domain/delivery.ts";
import { formatPhone } from "../../domain/phone-written.ts";
import { currentLanguage, words } from "../base/locale.ts";
import type { Owner } from "../db/owner.ts";
import { escapeHtml } from "../http/escape-html.ts";
import { campaignsOf } from "../sending/sending.ts";
import type { RepliesOf, Reply } from "./people-history.ts";

const CAMPAIGNS = 100;

type Sent = Awaited<ReturnType<ReturnType<typeof campaignsOf>["to"]>>;
type Facts = {
  person: PersonDetails;
  sent: Sent;
  campaigns: number;
  reply: Reply | undefined;
  timeZone: string;
};
type Why = { title: string; about: string[]; heading: string; sent: string[]; end: string[] };

export async function whyOf(
  owner: Owner,
  person: PersonDetails,
  { repliesOf, timeZone }: { repliesOf: RepliesOf; timeZone: string },
): Promise<Why> {
  const sent = await campaignsOf(owner).to(person.phone, null, CAMPAIGNS);
  const campaigns = await campaignsOf(owner).countTo(person.phone);
  const [reply] = await repliesOf(owner, person.phone, null, 1);
  return written({ person, sent, campaigns, reply, timeZone });
}

export function whyText({ title, about, heading, sent, end }: Why): string {
  return [title, "", ...about, "", heading, ...sent.map((line) => `- ${line}`), "", ...end].join("\n");
}

/** Without scripts or external files. */
export function whyPage(why: Why): Response {
  const { dates, fileName } = table();
  const paragraphs = (lines: readonly string[]) =>
    lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("\n");
  const items = why.sent.map((line) => `<li>${escapeHtml(line)}</li>`).join("\n");
  const page = `<!doctype html>
<html lang="${dates}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(why.title)}</title></head>
<body><main><h1>${escapeHtml(why.title)}</h1>
${paragraphs([...why.about, why.heading])}
<ul>
${items}
</ul>
${paragraphs(why.end)}</main></body></html>
`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-disposition": `attachment; filename="${fileName}"`,
    "cache-control": "no-store",
  };
  return new Response(page, { headers });
}

const table = (): WhyWords => (currentLanguage() === "en" ? ENGLISH_WHY : PORTUGUESE_WHY);

function written({ person, sent, campaigns, reply, timeZone }: Facts): Why {
  const t = table();
  const { name, lists, optOut } = person;
  const phone = formatPhone(person.phone);
  const instant = (at: Date | string) =>
    new Date(at).toLocaleString(t.dates, { timeZone, dateStyle: "short", timeStyle: "short" });
  const heading = campaigns === 0 ? t.noCampaigns : fill(t.campaigns, { n: campaigns });
  const leave = optOut?.text ? t.optOutWords : t.optOut;
  const older = campaigns - sent.length;
  return {
    title: t.title,
    about: [
      fill(name === "" ? t.nameless : t.person, { name, phone }),
      fill(t.since, { at: instant(person.origin.at), origin: originOf(t, person.origin) }),
      lists.length === 0 ? t.noLists : fill(t.lists, { names: lists.map((list) => list.name).join(", ") }),
    ],
    heading,
    sent: [
      ...sent.map((each) => `${instant(new Date(each.us / 1_000))}: ${each.name} (${stateOf(t, each)})`),
      ...(older > 0 ? [fill(t.olderCampaigns, { n: older })] : []),
    ],
    end: [
      reply ? fill(t.lastReply, { at: instant(new Date(reply.us / 1_000)) }) : t.noReply,
      optOut ? fill(leave, { at: instant(optOut.at), text: optOut.text ?? "" }) : t.subscribed,
    ],
  };
}

function originOf(t: WhyWords, origin: PersonDetails["origin"]): string {
  const { kind, fileName, row, by, basis, basisNote } = origin;
  return [
    t.origins[kind],
    ...(fileName === null ? [] : [fill(t.file, { name: fileName })]),
    ...(row === null ? [] : [fill(t.row, { n: row })]),
    ...(by === null ? [] : [fill(t.by, { name: by })]),
    ...(basis === null ? [] : [t.bases[basis]]),
    ...(basisNote === null ? [] : [basisNote]),
  ].join(", ");
}

function stateOf(t: WhyWords, { status, error, parts, partsSent }: Sent[number]): string {
  const state = deliveryState(status);
  const name = words().deliveryName(state === "waiting" ? "pending" : state, error);
  return partsSent === 0 || parts === 1 ? name : `${name}; ${fill(t.messages, { n: partsSent, all: parts })}`;
}

const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
