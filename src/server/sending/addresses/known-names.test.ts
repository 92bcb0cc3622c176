import { sql } from "kysely";
import { expect, test } from "vitest";
import { chatRow } from "../../../../tests/support/chat-rows.ts";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection } from "../../../../tests/support/sending.ts";
import { hasChat } from "../../chat/numbers.ts";
import { ownerOf } from "../../db/owner.ts";
import { startNext } from "../campaigns/audience.ts";
import { enqueue } from "../outbox/outbox.ts";
import { findKnownNames } from "./known-names.ts";

const { db, database } = await testDatabase();

const party = async () => {
  const accountId = await makeAccount(db);
  return {
    accountId,
    connectionId: await makeConnection(db, accountId),
    owner: ownerOf(db, accountId),
  };
};
type Party = Awaited<ReturnType<typeof party>>;

const WAYS: [string, (who: Party, phone: string) => Promise<unknown>][] = [
  [
    "in a chat",
    ({ accountId: account, connectionId }, phone) =>
      chatRow(db, { account, connectionId, phone: Number(phone) }),
  ],
  [
    "as a recipient of its messages",
    ({ connectionId, owner }, phone) =>
      enqueue(owner, {
        connectionId,
        to: { phone },
        text: "Oi",
        attachmentId: null,
        idempotencyKey: null,
        origin: "chat",
      }),
  ],
  [
    "in a list of contacts",
    ({ accountId }, phone) =>
      makeCampaign(db, accountId, { people: 1, firstPhone: Number(phone), status: "draft" }),
  ],
  [
    "in a campaign whose people are gone",
    async ({ accountId, connectionId }, phone) => {
      await makeCampaign(db, accountId, { people: 1, firstPhone: Number(phone), connectionId });
      await startNext(database);
      await sql`delete from person where account_id = ${accountId}::uuid`.execute(db);
    },
  ],
  [
    "from its own gateway",
    ({ accountId }, phone) =>
      sql`insert into gateway_address (account_id, phone, jid, lid)
        values (${accountId}::uuid, ${phone}::bigint, ${`${phone}@s.whatsapp.net`}, ${`9${phone}@lid`})`.execute(
        db,
      ),
  ],
];

test.each(WAYS.map(([name, have], nth) => ({ name, have, phone: String(5_511_955_550_000 + nth) })))(
  "whose a hidden address is learns who has the number $name, and no other account",
  async ({ have, phone }) => {
    const [us, others] = [await party(), await party()];
    await sql`insert into wa_address (phone, jid, lid)
      values (${phone}::bigint, ${`${phone}@s.whatsapp.net`}, ${`9${phone}@lid`})`.execute(db);
    const known = async ({ owner, connectionId }: Party) =>
      (await findKnownNames(owner, connectionId, [`9${phone}@lid`], hasChat(connectionId))).map(
        (one) => one.phone,
      );
    await have(others, phone);
    expect(await known(us)).toEqual([]);
    expect(await known(others)).toContain(phone);
  },
);
