import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { makeInstance, SECRETS } from "../../../tests/webhooks/lab.ts";
import { hookChanged, openHooks } from "./webhook-hooks.ts";
import { hookSecretPlace } from "./webhook-secret.ts";

const { db, database } = await testDatabase();

const changeSecret = (connectionId: number) =>
  sql`update instance set hook_secret = ${SECRETS.seal("another", hookSecretPlace(connectionId))}
    where connection_id = ${connectionId}`.execute(db);

test("a secret changed during a lost connection is refused after the reconnect", async () => {
  const { hookId, secret, connectionId } = await makeInstance(db);
  const hooks = await openHooks(database, SECRETS);
  await hooks.find(hookId, secret);
  expect(hooks.known(hookId, secret)).toMatchObject({ connectionId });
  await changeSecret(connectionId);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'recado-listen'`.execute(db);
  await expect.poll(() => hooks.known(hookId, secret)).toBeNull();
  expect(await hooks.find(hookId, secret)).toBeNull();
  await hooks.close();
});

test("a secret that is changed while it is looked up is not remembered", async () => {
  const { hookId, secret, connectionId } = await makeInstance(db);
  const heard = Promise.withResolvers<void>();
  const slow: typeof database = {
    ...database,
    listen: (channel, onMessage, onGap) =>
      database.listen(
        channel,
        (payload) => {
          onMessage(payload);
          heard.resolve();
        },
        onGap,
      ),
    async prepared<Row>(name: string, text: string, values: unknown[]) {
      const found = await database.prepared<Row>(name, text, values);
      if (name !== "webhook_hook") return found;
      await changeSecret(connectionId);
      await hookChanged(db, connectionId);
      await heard.promise;
      return found;
    },
  };
  const hooks = await openHooks(slow, SECRETS);
  expect(await hooks.find(hookId, secret)).toMatchObject({ connectionId });
  expect(hooks.known(hookId, secret)).toBeNull();
  await hooks.close();
});

test("F12 webhooks of all instances are known from the start, and of new ones from the moment they are stored", async () => {
  const { hookId, secret, accountId, connectionId } = await makeInstance(db);
  const hooks = await openHooks(database, SECRETS);
  expect(hooks.known(hookId, secret)).toMatchObject({ accountId, connectionId });
  expect(hooks.known(hookId, "another")).toBeNull();
  const later = await makeInstance(db);
  expect([hooks.isInUse(hookId), hooks.isInUse(later.hookId)]).toEqual([true, false]);
  await hookChanged(db, later.connectionId);
  await expect.poll(() => hooks.known(later.hookId, later.secret)).not.toBeNull();
  await sql`delete from connection where id = ${later.connectionId}`.execute(db);
  await hookChanged(db, later.connectionId);
  await expect.poll(() => hooks.isInUse(later.hookId)).toBe(false);
  expect(hooks.known(later.hookId, later.secret)).toBeNull();
  await hooks.close();
});
