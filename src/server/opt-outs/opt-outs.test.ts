import { sql } from "kysely";
import { expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { contactsApp } from "../../../tests/support/contacts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeAccount, makeConnection } from "../../../tests/support/sending.ts";
import { OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import { ownerOf } from "../db/owner.ts";
import { mountOptOuts } from "./routes.ts";
import { optOutService } from "./service.ts";

const database = await testDatabase();
const { db } = database;
const service = optOutService({ changes: { mark: () => undefined } });
const callAs = testApi(db, (app) => mountOptOuts(app, service));
const contacts = contactsApp(database);

type Listed = {
  optOuts: { phone: string; name: string | null; source: string }[];
  total: number;
  next: string | null;
};

const confirmations = async (accountId: string) =>
  (
    await sql<{
      phone: string;
      text: string;
    }>`select phone::text as phone, text from outbox where account_id = ${accountId}::uuid`.execute(db)
  ).rows;

test("a reply by which somebody leaves is confirmed once, shown with their name, and can be taken back", async () => {
  const accountId = await makeAccount(db);
  const owner = ownerOf(db, accountId);
  const connectionId = await makeConnection(db, accountId);
  const ana = callAs(accountId);
  const lists = contacts.as(accountId);
  await lists.call("POST", "/api/contacts", { name: "Rafaela", phone: "31 98765-4321" });
  const reply = { phone: "5531987654321", connectionId, text: "Sair." };
  await service.replied(owner, reply);
  await service.replied(owner, reply);

  expect(await confirmations(accountId)).toEqual([{ phone: reply.phone, text: OPT_OUT_CONFIRMATION }]);
  const { body } = await ana<Listed>("GET", "/api/opt-outs?search=rafa");
  expect(body).toMatchObject({
    optOuts: [
      { phone: reply.phone, name: "Rafaela", source: "reply", text: "Sair.", connectionName: "Matriz" },
    ],
    total: 1,
    next: null,
  });
  const first = async () =>
    (await lists.call<{ items: { first: unknown[] }[] }>("GET", "/api/contact-lists")).body.items[0]?.first;
  expect(await first()).toEqual([{ name: "Rafaela", phone: reply.phone, optedOut: true }]);

  expect((await ana("DELETE", `/api/opt-outs/${reply.phone}`)).status).toBe(200);
  expect((await ana("DELETE", `/api/opt-outs/${reply.phone}`)).status).toBe(404);
  expect(await first()).toEqual([{ name: "Rafaela", phone: reply.phone }]);
  // Who leaves again is told again.
  await service.replied(owner, reply);
  expect(await confirmations(accountId)).toHaveLength(2);
});

test("a number is added by hand in any writing; what is no number gets a reason, nothing is stored", async () => {
  const ana = callAs(await makeAccount(db));
  expect((await ana("POST", "/api/opt-outs", { phone: "(31) 98765-0001" })).status).toBe(201);
  expect((await ana("POST", "/api/opt-outs", { phone: "5531987650001" })).status).toBe(201);
  const refused = await ana<{ code: string }>("POST", "/api/opt-outs", { phone: "98765" });
  expect([refused.status, refused.body.code]).toEqual([422, "invalid_fields"]);
  expect((await ana<Listed>("GET", "/api/opt-outs")).body.total).toBe(1);
});

test("pages neither repeat nor lose anybody, and a cursor that is none is refused", async () => {
  const accountId = await makeAccount(db);
  await sql`insert into opt_out (account_id, phone, source, created_at)
    select ${accountId}::uuid, 5531900000000 + i, 'manual', now() - (i / 3) * interval '1 microsecond' from generate_series(1, 250) i`.execute(
    db,
  );
  const ana = callAs(accountId);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body }: { body: Listed } = await ana<Listed>(
      "GET",
      `/api/opt-outs${cursor ? `?cursor=${cursor}` : ""}`,
    );
    seen.push(...body.optOuts.map((one) => one.phone));
    cursor = body.next;
  }
  expect(seen).toHaveLength(250);
  expect(new Set(seen).size).toBe(250);
  expect((await ana("GET", "/api/opt-outs?cursor=x'")).status).toBe(422);
});
