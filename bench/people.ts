import { sql } from "kysely";
import pino from "pino";
import type { Condition, SegmentRule } from "../src/contract/audiences.ts";
import type { PeoplePlace } from "../src/server/contacts/people-cursor.ts";
import { findPage, placeOf } from "../src/server/contacts/people-page.ts";
import { type Database, openDatabase } from "../src/server/db/client.ts";
import { type Owner, ownerOf } from "../src/server/db/owner.ts";
import { startNext } from "../src/server/sending/campaigns/audience.ts";
import { audienceOf } from "../src/server/sending/sending.ts";
import { type PeopleRows, writePeopleRows } from "./people-rows.ts";
import { benchPostgres } from "./postgres.ts";
import { type Bench, median, quantile, type Workload } from "./workload.ts";

const PEOPLE = 1_000_000;

/** Counts of segments, the start of a campaign with exclusions, and pages of people. */
export const peopleWorkload: Workload = {
  name: "people",
  async run(bench) {
    const postgres = await benchPostgres();
    const log = pino({ level: "warn" });
    const database = openDatabase(postgres.url, { log, max: 2, statementTimeoutMs: 1_800_000 });
    try {
      bench.say(`people: writing ${bench.n ?? PEOPLE} people`);
      const rows = await writePeopleRows(database, bench.n ?? PEOPLE);
      await segments(bench, database, rows);
      await pages(bench, database, rows);
      await starts(bench, database, rows);
    } finally {
      await database.close();
      await postgres.stop();
    }
  },
};

const COUNTS = 20;

const field = (
  key: string,
  test: "is" | "contains" | "at_least" | "older_days",
  value: string | number | boolean,
): Condition => ({
  on: "field",
  key,
  test,
  value,
});

const rulesOf = ({ excludedListId, sentId }: PeopleRows): Record<string, SegmentRule> => ({
  fields: {
    match: "all",
    items: [
      field("plano", "is", "ouro"),
      { match: "any", items: [field("valor", "at_least", 5_000), field("retorno", "older_days", 30)] },
    ],
  },
  text: { match: "all", items: [field("cidade", "contains", "de 49")] },
  "list and reply": {
    match: "all",
    items: [
      { on: "list", test: "not_in", listId: excludedListId },
      { on: "reply", test: "last_days", days: 7 },
    ],
  },
  "campaign and field": {
    match: "all",
    items: [{ on: "campaign", test: "read", campaignId: sentId }, field("socio", "is", true)],
  },
  "last campaign": { match: "all", items: [{ on: "campaign", test: "unread", campaignId: null }] },
  "one of all kinds": {
    match: "any",
    items: [
      { on: "list", test: "in", listId: excludedListId },
      { on: "campaign", test: "got", campaignId: sentId },
      { on: "reply", test: "ever", days: null },
      field("plano", "is", "prata"),
    ],
  },
});

async function segments(bench: Bench, database: Database, rows: PeopleRows): Promise<void> {
  const owner = ownerOf(database.db, rows.accountId);
  for (const [variant, rule] of Object.entries(rulesOf(rows))) {
    const waits: number[] = [];
    const people = await audienceOf(owner).countMeeting(rule);
    for (let nth = 0; nth < COUNTS; nth++) {
      const asked = performance.now();
      await audienceOf(owner).countMeeting(rule);
      waits.push(performance.now() - asked);
    }
    const p95 = quantile(waits, 0.95);
    bench.note({
      workload: "people",
      variant: `count: ${variant}`,
      figures: { people, p50: median(waits), p95 },
    });
    bench.goal({ name: `segment-p95-ms ${variant}`, measured: p95, bound: 1_000, kind: "atMost" });
  }
}

async function pages(bench: Bench, database: Database, { accountId, listId }: PeopleRows): Promise<void> {
  const owner = ownerOf(database.db, accountId);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from person`.execute(database.db);
  const sizes = { inList: rows[0]?.n ?? 0, inAccount: rows[0]?.n ?? 0 };
  const orders: [string, number | null, PeoplePlace["by"]][] = [
    ["all by name", null, "name"],
    ["all by date", null, "created"],
    ["list by name", listId, "name"],
    ["list by date", listId, "seq"],
  ];
  for (const [name, list, by] of orders) {
    for (const share of [0, 0.5, 0.999]) {
      const page = { listId: list, search: "", ids: null, order: { by, descending: false }, limit: 100 };
      const after = share === 0 ? null : await placeAt(owner, by, Math.floor(sizes.inList * share));
      const waits: number[] = [];
      for (let nth = 0; nth < COUNTS; nth++) {
        const asked = performance.now();
        await findPage(owner, { ...page, after }, sizes);
        waits.push(performance.now() - asked);
      }
      const ms = median(waits);
      const variant = `page: ${name}, ${share * 100} %`;
      bench.note({ workload: "people", variant, figures: { ms } });
      bench.goal({ name: `people-ms ${variant}`, measured: ms, bound: 50, kind: "atMost" });
    }
  }
}

async function placeAt({ db, accountId }: Owner, by: PeoplePlace["by"], at: number): Promise<PeoplePlace> {
  const keys = {
    name: sql`lower(p.name)`,
    created: sql`(extract(epoch from p.created_at) * 1000000)::bigint`,
    seq: sql`p.id`,
  };
  const { rows } = await sql<{
    id: number;
    key: string | number;
  }>`select p.id, ${keys[by]} as key from person p
    where p.account_id = ${accountId}::uuid order by ${keys[by]}, p.id offset ${at} limit 1`.execute(db);
  const row = rows[0];
  if (!row) throw new Error("no person there");
  return placeOf(by, row as Parameters<typeof placeOf>[1]);
}

async function starts(bench: Bench, database: Database, rows: PeopleRows): Promise<void> {
  const ratios: number[] = [];
  const limits: number[] = [];
  for (let round = 0; round <= bench.rounds; round++) {
    const limit = await bareInsert(database, rows);
    const ours = await start(database, rows);
    if (round === 0) continue;
    for (const [variant, figures] of Object.entries({ limit, ours }))
      bench.note({ workload: "people", variant: `start: ${variant}`, figures });
    ratios.push(ours.seconds / limit.seconds);
    limits.push(limit.seconds);
  }
  bench.goal({ name: "people-start/insert", measured: median(ratios), bound: 2, kind: "atMost", limits });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

async function bareInsert({ db }: Database, { listId }: PeopleRows): Promise<{ seconds: number }> {
  const campaignId = 900_000;
  const seconds = await timed(() =>
    db.transaction().execute((tx) =>
      sql`insert into delivery (campaign_id, seq, phone, name)
        select ${campaignId}, m.seq, p.phone, p.name from membership m join person p on p.id = m.person_id
        where m.list_id = ${listId} order by m.seq`.execute(tx),
    ),
  );
  await clean(db, campaignId);
  return { seconds };
}

async function start(
  database: Database,
  { accountId, listId, excludedListId, sentId, connectionId }: PeopleRows,
): Promise<{ seconds: number; people: number }> {
  const without = { listIds: [excludedListId], campaignIds: [sentId], talkedHours: 48, unanswered: null };
  const audience = JSON.stringify({ listIds: [], segmentIds: [], without });
  const { rows } = await sql<{ id: number }>`insert into campaign
      (account_id, name, list_id, audience, connection_id, zone, status, nonce)
    values (${accountId}::uuid, 'C', ${listId}, ${audience}, ${connectionId}, 'America/Sao_Paulo', 'starting',
      floor(random() * 4294967296)::bigint) returning id`.execute(database.db);
  let people = 0;
  const seconds = await timed(async () => {
    people = (await startNext(database))?.total ?? 0;
  });
  await clean(database.db, rows[0]?.id ?? 0);
  return { seconds, people };
}

async function clean(db: Database["db"], campaignId: number): Promise<void> {
  await sql`update campaign set status = 'ended' where id = ${campaignId}`.execute(db);
  await sql`delete from delivery where campaign_id = ${campaignId}`.execute(db);
  await sql`vacuum delivery`.execute(db);
}
