import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { accountRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { CODE_POINT } from "../../../tests/support/code-point.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { placePeople } from "../../../tests/support/people-rows.ts";
import { contactRecord, csvHeader } from "../../domain/csv-write.ts";
import { systemClock } from "../base/clock.ts";
import { ownerOf } from "../db/owner.ts";
import { Downloads } from "../jobs/downloads.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { listFile, refusedFile } from "./export.ts";
import { deleteList } from "./repo.ts";

const testing = await testDatabase();
const { db, database } = testing;
const { app } = contactsApp(testing);
const me = await accountRow(db);

const newDownloads = () => new Downloads(new FairQueues(systemClock));

const HEADING = csvHeader(["Nome", "Telefone"]);
const MANY = 90_000;

const download = async (listId: number) =>
  app.hono.request(`/api/contact-lists/${listId}/export`, { headers: { "x-account": me } });
const textOf = async (response: Response) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());

async function rawList(people: readonly (readonly [name: string, phone: number])[]): Promise<number> {
  const id = await listRow(db, me, 0);
  // A known person would keep the name of the run before.
  await sql`delete from person where account_id = ${me}::uuid`.execute(db);
  await placePeople(
    db,
    id,
    sql`select n - 1 as seq, phone, name
    from unnest(${people.map(([, phone]) => phone)}::bigint[], ${people.map(([name]) => name)}::text[])
      with ordinality t (phone, name, n)`,
  );
  await sql`update contact_list set contacts = ${people.length} where id = ${id}`.execute(db);
  return id;
}

const record = ([name, phone]: readonly [string, number]) => contactRecord(name, String(phone));

const nasty = fc.constantFrom(
  ...[
    '"',
    ";",
    ",",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\v",
    "\f",
    " ",
    "=",
    "+",
    "-",
    "@",
    "'",
    "''",
    "\\",
    "\\.",
    "\\n",
  ],
  ...[
    "＝",
    "＋",
    "－",
    "＠",
    "\u00a0",
    "\ufeff",
    "\u2028",
    "\u3000",
    "\u0085",
    "ã",
    "É",
    "ÿ",
    "ł",
    "李",
    "😀",
    "a",
    "1",
  ],
);
const name = fc.oneof(
  fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join("")),
  fc.tuple(nasty, fc.string({ unit: "grapheme", maxLength: 12 }), nasty).map((parts) => parts.join("")),
  fc.string({ unit: CODE_POINT, maxLength: 12 }),
);
const storable = name.filter((text) => !text.includes("\0") && text.isWellFormed());
const phone = fc.oneof(
  fc.integer({ min: 5_500_000_000_000, max: 5_599_999_999_999 }),
  fc.integer({ min: 550_000_000_000, max: 559_999_999_999 }),
  fc.constantFrom(
    0,
    1,
    55,
    55_119_876,
    549_999_999_999,
    560_000_000_000,
    5_499_999_999_999,
    5_600_000_000_000,
  ),
  fc.constantFrom(14_155_552_671, 351_912_345_678, 999_999_999_999_999),
);
const people = fc.uniqueArray(fc.tuple(storable, phone), { maxLength: 40, selector: ([, number]) => number });

describe("a list's file", () => {
  test("C41 C45 holds, byte for byte, what contactRecord writes for whatever name the database can hold", async () => {
    await fc.assert(
      fc.asyncProperty(people, async (those) => {
        const text = await textOf(await download(await rawList(those)));
        expect(text).toBe(HEADING + those.map(record).join(""));
      }),
      { numRuns: 100 },
    );
  });

  test("comes whole where many contacts in the middle are gone", async () => {
    const listId = await listRow(db, me, MANY);
    await sql`delete from membership where list_id = ${listId} and seq between 10 and ${MANY - 11}`.execute(
      db,
    );
    await sql`update contact_list set contacts = 20 where id = ${listId}`.execute(db);
    const lines = (await textOf(await download(listId))).trimEnd().split("\r\n");
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe(`Pessoa ${MANY - 1};55 11 90008-9999`);
  });

  test("aborts when the list is deleted", async () => {
    const listId = await listRow(db, me, MANY);
    const reader = (await download(listId)).body?.getReader();
    await reader?.read();
    await sql`delete from contact_list where id = ${listId}`.execute(db);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow("lost contacts");
  });
});

test("refused rows abort as well when their list is deleted, and are none after cleanup", async () => {
  const listId = await listRow(db, me, 1);
  const { rows } = await sql<{ id: number }>`
    insert into contact_import (account_id, list_id, list_name, state, refused, finished_at)
    values (${me}::uuid, ${listId}, 'Clientes', 'done', 21000, now()) returning id`.execute(db);
  const id = rows[0]?.id ?? 0;
  await sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason)
    select ${id}, n, 'refused', '', 'x', 'phone_invalid' from generate_series(1, 21000) n`.execute(db);
  const file = () => refusedFile({ owner: ownerOf(db, me), downloads: newDownloads() }, id, 21_000);
  const reader = file().body?.getReader();
  for (let read = 0; read < 2; read++) await reader?.read();
  await deleteList(ownerOf(db, me), listId);
  const rest = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(rest()).rejects.toThrow("lost rows");
  expect((await textOf(file())).trimEnd().split("\r\n")).toHaveLength(1);
});

describe("connections", () => {
  const atRest = () =>
    expect
      .poll(() => {
        const { open, idle, waiting } = database.pool();
        return { lent: open - idle, waiting };
      })
      .toEqual({ lent: 0, waiting: 0 });

  test("a reader who leaves holds none", async () => {
    const listId = await listRow(db, me, MANY);
    const reader = (await download(listId)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await atRest();
  });

  test("thirty readers who read nothing hold none, and get the whole file once they read", async () => {
    const accounts = [me, await accountRow(db), await accountRow(db)];
    const lists = await Promise.all(
      accounts.map(async (account) => ({ account, id: await listRow(db, account, MANY) })),
    );
    // Autovacuum's work; without statistics each page sorts its list.
    await sql`analyze membership, person`.execute(db);
    const downloads = newDownloads();
    const ten = Array.from({ length: 10 }, () => lists).flat();
    const slow = ten.map(({ account, id }) =>
      listFile({ owner: ownerOf(db, account), downloads }, { id, contacts: MANY }, "x.csv"),
    );
    await atRest();
    const [first, ...others] = slow;
    expect(first && (await textOf(first)).trimEnd().split("\r\n")).toHaveLength(MANY + 1);
    for (const other of others) await other.body?.cancel();
    await atRest();
  });

  test("27.1 exports of an account take two at once, and another account's page comes in its turn", async () => {
    const account = await accountRow(db);
    const [theirs, hers] = [await listRow(db, me, MANY), await listRow(db, account, 3)];
    let running = 0;
    let most = 0;
    let pages = 0;
    let before = 0;
    const downloads = newDownloads();
    const page = downloads.page.bind(downloads);
    downloads.page = (accountId, read) =>
      page(accountId, async () => {
        most = Math.max(most, ++running);
        const rows = await read();
        running--;
        pages++;
        return rows;
      });
    const list = { id: theirs, contacts: MANY };
    const files = Array.from({ length: 10 }, () =>
      textOf(listFile({ owner: ownerOf(db, me), downloads }, list, "x.csv")),
    );
    const few = textOf(
      listFile({ owner: ownerOf(db, account), downloads }, { id: hers, contacts: 3 }, "x.csv"),
    ).then((text) => {
      before = pages;
      return text;
    });
    expect((await few).trimEnd().split("\r\n")).toHaveLength(4);
    const everybody = Array.from({ length: MANY }, (_, i) => record([`Pessoa ${i}`, 5_511_900_000_000 + i]));
    const whole = HEADING + everybody.join("");
    for (const file of await Promise.all(files)) expect(file === whole).toBe(true);
    expect(most).toBe(3);
    expect(before).toBeLessThan(12);
    expect(pages).toBe(101);
  });

  test("27.3 an account has ten at once; one more is refused until one is over", async () => {
    const listId = await listRow(db, me, MANY);
    const downloads = newDownloads();
    const owner = ownerOf(db, me);
    const start = () => listFile({ owner, downloads }, { id: listId, contacts: MANY }, "x.csv");
    const open = Array.from({ length: 10 }, start);
    expect(start).toThrow("too_many_requests");
    await open[0]?.body?.cancel();
    expect((await textOf(start())).trimEnd().split("\r\n")).toHaveLength(MANY + 1);
    for (const other of open.slice(1)) await other.body?.cancel();
    await atRest();
  });

  test("one that breaks cuts the download, and the next export comes whole", async () => {
    const listId = await listRow(db, me, 3);
    const downloads = newDownloads();
    downloads.page = async () => {
      await sql`select 1 / 0`.execute(db);
      throw new Error("unreachable");
    };
    const list = { id: listId, contacts: 3 };
    await expect(textOf(listFile({ owner: ownerOf(db, me), downloads }, list, "x.csv"))).rejects.toThrow(
      "division by zero",
    );
    await atRest();
    expect((await textOf(await download(listId))).trimEnd().split("\r\n")).toHaveLength(4);
  });
});
