import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { accountRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { smtpOf, TEST_ORIGIN, testMailServer } from "../../../tests/support/mail.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import { ownerOf } from "../db/owner.ts";
import { createSecrets } from "../db/secrets.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { insertEmail } from "./mail-repo.ts";
import { openNotifications } from "./notifications.ts";
import { UNSUBSCRIBE_KEY, unsubscribeToken } from "./unsubscribe.ts";

const { db, database } = await testDatabase();
await openServices(db);
const clock = manualClock();
const server = await testMailServer();
const FROM = { name: "Recado", address: "avisos@exemplo.com.br" };
const PATIENCE = { timeout: 60_000 };

const put = async (key: string, address: string) =>
  insertEmail(
    ownerOf(db, await accountRow(db)),
    { kind: "account_updates", key, subject: key, body: "Olá.\n", address },
    clock.now(),
  );

test("an e-mail that the server put off for later keeps no other one waiting, and comes again at its time", async () => {
  server.fail({ at: "to", answer: "452 4.2.2 Mailbox full", times: 1, recipient: "cheia@exemplo.com.br" });
  await put("first", "cheia@exemplo.com.br");
  const secrets = createSecrets(randomBytes(32).toString("base64"));
  const feature = await openNotifications({
    database,
    secrets,
    clock,
    log: testLog,
    queues: new FairQueues(clock),
    publicUrl: TEST_ORIGIN,
    works: true,
    mail: { server: smtpOf(server), from: FROM },
  });
  onTestFinished(feature.close);
  const putOff = () => sql`select 1 from mail where error is not null`.execute(db);
  await expect.poll(async () => (await putOff()).rows.length, PATIENCE).toBe(1);

  await put("second", "outra@exemplo.com.br");
  await expect.poll(() => server.emails.map(({ to }) => to), PATIENCE).toEqual([["outra@exemplo.com.br"]]);
  clock.advance(6 * 60_000);
  await expect.poll(() => server.emails.length, PATIENCE).toBe(2);
  expect(server.emails[1]?.to).toEqual(["cheia@exemplo.com.br"]);
}, 120_000);

test("the link out of news in an e-mail of long ago holds when the secret key has been changed since", async () => {
  const [former, present, strange] = [1, 2, 3].map(() => randomBytes(32).toString("base64"));
  const secrets = createSecrets(`${present},${former}`);
  const feature = await openNotifications({
    database,
    secrets,
    clock,
    log: testLog,
    queues: new FairQueues(clock),
    publicUrl: TEST_ORIGIN,
    works: true,
    mail: null,
  });
  onTestFinished(feature.close);
  const account = await accountRow(db);
  const linkBy = (key = "") =>
    unsubscribeToken(createSecrets(key).derive(UNSUBSCRIBE_KEY), account, "product");
  for (const key of [present, former])
    expect(await feature.unsubscribing.confirm(linkBy(key))).toMatchObject({
      kind: "product",
      subscribed: false,
    });
  await expect(feature.unsubscribing.confirm(linkBy(strange))).rejects.toMatchObject({ code: "not_found" });
});
