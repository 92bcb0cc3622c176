import { type RawBuilder, sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow, connectionRow, listRow } from "../../../../tests/support/campaign-rows.ts";
import { contactsApp } from "../../../../tests/support/contacts.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount } from "../../../../tests/support/sending.ts";
import { unhurried, untilWaiting } from "../../../../tests/support/waiting.ts";
import { ConnectionService } from "../../connections/service.ts";
import { type Owner, ownerOf } from "../../db/owner.ts";
import { createResend } from "../campaigns/campaign-status.ts";
import { removeConnection } from "../ownership/acquire.ts";

const database = await testDatabase();
const { db } = database;
const contacts = contactsApp(database);
const never = () => Promise.reject(new Error("not asked"));
const connections = new ConnectionService({
  files: { uploadFrom: never, kindOf: never },
  outbox: { wait: never },
  changes: { mark: () => undefined },
  answerMs: 0,
  ownerMs: 0,
});

async function underWay() {
  const account = await makeAccount(db);
  const [connectionId, listId] = [await connectionRow(db, account), await listRow(db, account)];
  const make = (status: string, people: Parameters<typeof campaignRow>[2] = {}) =>
    campaignRow(db, account, { status, connectionId, listId, ...people });
  const first = await make("paused", { people: { pending: 1 } });
  const second = await make("sending", { people: { sending: 1 } });
  await sql`update campaign set text = 'Oi' where id = ${first}`.execute(db);
  return { owner: ownerOf(db, account), connectionId, listId, first, second, make };
}
type Case = Awaited<ReturnType<typeof underWay>>;

async function whileHeld(
  row: RawBuilder<unknown>,
  action: () => Promise<unknown>,
  then: (tx: Owner["db"]) => Promise<unknown>,
) {
  const { done } = await unhurried(db, async (tx) => {
    await row.execute(tx);
    const waits = action();
    waits.catch(() => undefined);
    await untilWaiting(db);
    await then(tx);
    return { done: waits };
  });
  return done;
}

const campaign = (...ids: number[]) =>
  sql`select from campaign where id = any(${ids}::bigint[]) order by id for no key update nowait`;
const held = (table: "connection" | "contact_list", id: number, how: "key share" | "update" = "key share") =>
  sql`select from ${sql.table(table)} where id = ${id} for ${sql.raw(how)} nowait`;

const ways: [string, (one: Case) => Promise<unknown>][] = [
  [
    "a person who removes the connection",
    ({ owner, connectionId }) => connections.removeById(owner, connectionId),
  ],
  [
    "its lane, which deletes it",
    async ({ connectionId }) => {
      await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
      await removeConnection(db, { connectionId, fence: 0 });
    },
  ],
  [
    "who deletes the list",
    ({ owner, listId }) => contacts.as(owner.accountId).call("DELETE", `/api/contact-lists/${listId}`),
  ],
];

test.each(ways)(
  "%s takes campaigns in the order of their ids, and nothing while one is being started",
  async (_, way) => {
    const one = await underWay();
    await whileHeld(
      campaign(one.first),
      () => way(one),
      async (tx) => {
        await campaign(one.second).execute(tx);
        await held("contact_list", one.listId).execute(tx);
      },
    );
    const other = await underWay();
    const starting = await other.make("starting");
    await whileHeld(
      campaign(starting),
      () => way(other),
      async (tx) => {
        await campaign(other.first, other.second).execute(tx);
        await held("connection", other.connectionId).execute(tx);
      },
    );
    const { rows } = await sql<{
      gone: boolean;
    }>`select connection_id is null or status = 'paused' or list_id is null as gone
    from campaign where id in (${one.first}, ${one.second}, ${other.first}, ${other.second}, ${starting})`.execute(
      db,
    );
    expect(rows).toEqual(Array.from({ length: 5 }, () => ({ gone: true })));
  },
);

test("who sends a campaign again while its connection is being removed waits without the campaign, and gets a run without one", async () => {
  const { owner, connectionId, make } = await underWay();
  await connectionRow(db, owner.accountId);
  const ended = await make("ended", { people: { error: 1 } });
  const again = whileHeld(
    held("connection", connectionId, "update"),
    () => createResend(owner, ended),
    async (tx) => {
      await campaign(ended).execute(tx);
      await sql`delete from connection where id = ${connectionId}`.execute(tx);
    },
  );
  const { rows } = await sql`select connection_id from campaign where id = ${Number(await again)}`.execute(
    db,
  );
  expect(rows).toEqual([{ connection_id: null }]);
});
