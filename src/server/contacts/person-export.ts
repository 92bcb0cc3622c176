import type { PersonDetails } from "../../contract/people.ts";
import { deliveryState } from "../../domain/delivery.ts";
import { attachment } from "../../domain/file-name.ts";
import { renderMessage } from "../../domain/message-text.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { campaignsOf, directMessagesOf } from "../sending/sending.ts";

type Names = { phone: string; addresses: readonly string[] };
type Said = { id: number; at: Date; from_me: boolean; kind: string; text: string; group: boolean };

export type PersonChats = {
  addressesOf(owner: Owner, phone: string): Promise<string[]>;
  count(owner: Owner, names: Names): Promise<{ chats: number; messages: number }>;
  hold(owner: Owner, names: Names): Promise<void>;
  erase(owner: Owner, names: Names): Promise<number>;
  page(owner: Owner, names: Names, after: number, limit: number): Promise<Said[]>;
};

const PAGE = 500;

type Reading = { owner: Owner; chats: PersonChats; downloads: Downloads };

export function personFile(reading: Reading, person: PersonDetails, names: Names): Response {
  const { owner, downloads } = reading;
  return downloads.send(owner.accountId, document(reading, person, names), {
    "content-type": "application/json; charset=utf-8",
    "content-disposition": attachment(`pessoa_${person.id}.json`),
    "cache-control": "no-store",
  });
}

async function* document(
  { owner, chats, downloads }: Reading,
  person: PersonDetails,
  names: Names,
): AsyncGenerator<string> {
  const read = <Row>(page: () => Promise<Row[]>) => downloads.page(owner.accountId, page);
  yield `{"person":${JSON.stringify(person)},"addresses":${JSON.stringify([names.phone, ...names.addresses])}`;
  yield* list("campaigns", campaignPages(owner, person.phone, read));
  yield* list(
    "messages",
    pagesById((after) => read(() => chats.page(owner, names, after, PAGE)), said),
  );
  yield* list(
    "directMessages",
    pagesById((after) => read(() => directMessagesOf(owner).to(names, after, PAGE)), direct),
  );
  yield "}\n";
}

async function* list(name: string, pages: AsyncGenerator<object[]>): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let separator = "";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((each) => JSON.stringify(each)).join(",");
    separator = ",";
  }
  yield "]";
}

type Sent = Awaited<ReturnType<ReturnType<typeof campaignsOf>["to"]>>[number];
type Read = <Row>(page: () => Promise<Row[]>) => Promise<Row[]>;

async function* campaignPages(owner: Owner, phone: string, read: Read): AsyncGenerator<object[]> {
  for (let before: { us: number; id: number } | null = null; ; ) {
    const from: { us: number; id: number } | null = before;
    const rows: Sent[] = await read(() => campaignsOf(owner).to(phone, from, PAGE));
    yield rows.map(
      ({ id, name, status, error, parts, partsSent, us, text, person, fallback, version, vars }) => ({
        id,
        name,
        status: deliveryState(status),
        reason: error,
        messages: { sent: partsSent, all: parts },
        at: new Date(us / 1_000).toISOString(),
        text: renderMessage(text, person, fallback, version, vars),
      }),
    );
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    before = { us: last.us, id: last.id };
  }
}

async function* pagesById<Row extends { id: number }>(
  page: (after: number) => Promise<Row[]>,
  shown: (row: Row) => object,
): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const rows = await page(after);
    yield rows.map(shown);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

const said = ({ at, from_me, kind, text, group }: Said) => ({
  at: at.toISOString(),
  from: from_me ? "account" : "person",
  kind,
  text,
  inGroup: group,
});

type Direct = Awaited<ReturnType<ReturnType<typeof directMessagesOf>["to"]>>[number];

const direct = ({ at, status, error, origin, text }: Direct) => ({
  at: at.toISOString(),
  status: deliveryState(status),
  reason: error,
  origin,
  text,
});
