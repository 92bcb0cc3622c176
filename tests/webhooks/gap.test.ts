import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { startEvolution } from "../../simulators/evolution/evolution.ts";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { apiKeyPlace } from "../../src/server/gateways/access.ts";
import { testDatabase } from "../support/database.ts";
import { endState, type MadeInstance, makeInstance, openLab, SECRETS } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const gateway = await startEvolution({ now: () => Date.now() - 30_000 });
afterAll(() => gateway.close());

const times = { every: 200, look: 50, again: 100, back: 60_000, farBack: 3_600_000, far: 400 };
const processes = [
  await openLab(database, { gapTimes: times }),
  await openLab(database, { gapTimes: times }),
];

const call = async (path: string, body?: unknown) => {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { apikey: gateway.apiKey, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as { key: { id: string } };
};

/**
 * A linked instance without webhooks, and its row. `changed`: written with the row, before any check can
 * start.
 */
async function silentInstance(
  name: string,
  { webhook, changed }: { webhook?: object; changed?: (db: Db, made: MadeInstance) => Promise<unknown> } = {},
): Promise<MadeInstance> {
  await call("/instance/create", { instanceName: name, integration: "WHATSAPP-BAILEYS", qrcode: true });
  if (webhook) await call(`/webhook/set/${name}`, { webhook });
  await gateway.world.scan(name, { phone: "5511900000001" });
  return db.transaction().execute(async (trx) => {
    const instance = await makeInstance(trx, { name });
    await sql`update gateway set url = ${gateway.url}, api_key = ${SECRETS.seal(gateway.apiKey, apiKeyPlace(instance.gatewayId))}
      where id = ${instance.gatewayId}`.execute(trx);
    await changed?.(trx, instance);
    return instance;
  });
}

const stateOf = (instance: MadeInstance) => endState(db, instance);
const textsOf = async (instance: MadeInstance) =>
  ((await stateOf(instance)).messages as { text: string }[]).map(({ text }) => text).sort();

async function ownMessage(
  trx: Db,
  { accountId, connectionId }: MadeInstance,
  providerId: string,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into outbox (account_id, connection_id, phone, text, status, message_id, body_hash)
    values (${accountId}::uuid, ${connectionId}, 5511911112222, 'Oi', 6, ${providerId}, '') returning id`.execute(
    trx,
  );
  const id = rows[0]?.id ?? 0;
  await sql`insert into provider_message (connection_id, provider_id, outbox_id)
    values (${connectionId}, ${providerId}, ${id})`.execute(trx);
  return id;
}

const statusOf = async (id: number) =>
  (await sql<{ status: number }>`select status from outbox where id = ${id}`.execute(db)).rows[0]?.status;

test("F32 while webhooks are silent, messages, sends of others and receipts are found by asking, once", async () => {
  let ours = 0;
  const instance = await silentInstance("calada", {
    async changed(trx, made) {
      const { key } = await call("/message/sendText/calada", { number: "5511911112222", text: "Oi" });
      ours = await ownMessage(trx, made, key.id);
    },
  });
  gateway.world.reply("calada", "5511911112222", "quero saber o preço");
  gateway.world.typedOnPhone("calada", "5511911112222", "do celular");
  await call("/message/sendText/calada", { number: "5521988887777", text: "de outro programa" });
  await gateway.world.idle();

  const all = ["de outro programa", "do celular", "quero saber o preço"];
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(all), 60_000);
  await vi.waitFor(async () => expect(await statusOf(ours)).toBe(DELIVERY.delivered), 60_000);
  expect((await stateOf(instance)).echoes).toMatchObject([{ phone: 5521988887777 }]);
  // Receipts of unknown messages are not stored: nothing waits for them.
  expect((await stateOf(instance)).receipts).toEqual([]);

  gateway.world.reply("calada", "5511911112222", "alô?");
  gateway.world.readBy("5511911112222", "calada");
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(["alô?", ...all]), 60_000);
  await vi.waitFor(async () => expect(await statusOf(ours)).toBe(DELIVERY.read), 60_000);
  const behind = async () => {
    const { rows } = await sql<{ to: Date }>`select checked_to as to from instance
      where connection_id = ${instance.connectionId}`.execute(db);
    return Date.now() - (rows[0]?.to.getTime() ?? 0);
  };
  await expect.poll(behind).toBeLessThan(20_000);
});

test("an edited message is found by the check, since no webhook reports it", async () => {
  const instance = await silentInstance("corrigida");
  const id = gateway.world.reply("corrigida", "5511911112222", "quero saber o preso");
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(["quero saber o preso"]), 60_000);
  gateway.world.edit("corrigida", id, "quero saber o preço");
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(["quero saber o preço"]), 60_000);
});

test("a gateway that is away or refuses us is asked again, and nothing in between is missed", async () => {
  const instance = await silentInstance("fora");
  await vi.waitFor(async () => {
    const { rows } =
      await sql`select from instance where connection_id = ${instance.connectionId} and checked_to is not null`.execute(
        db,
      );
    expect(rows).toHaveLength(1);
  }, 60_000);
  gateway.world.reply("fora", "5511911112222", "antes da queda");
  gateway.world.faults.next("findMessages", "errorBefore", { times: 3 });
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(["antes da queda"]), 60_000);
  for (const lab of processes) expect(lab.logged()).not.toContain(gateway.apiKey);
});

test("a webhook lost by its gateway is set again; another address there is kept and reported", async () => {
  const there = { url: "https://x.br/w", headers: {}, byEvents: false, base64: true, events: [] };
  const other = await silentInstance("de-outro", { webhook: { ...there, enabled: true } });
  const off = await silentInstance("desligado", { webhook: { ...there, enabled: false } });
  const lost = await silentInstance("sem-webhook");
  const ours = await silentInstance("de-volta");
  const url = `https://recado.br/hooks/evolution/${ours.hookId}`;
  await call("/webhook/set/de-volta", { webhook: { ...there, enabled: true, url } });
  const second = await silentInstance("de-outro-recado", {
    webhook: { ...there, enabled: true, url: `https://y.br/hooks/evolution/x` },
  });
  const hookOf = async ({ connectionId }: MadeInstance) =>
    (
      await sql<{ state: string }>`select concat_ws(' ', hook_state, former_webhook) as state from instance
        where connection_id = ${connectionId}`.execute(db)
    ).rows[0]?.state;
  for (let hour = 0; hour < 2; hour++) {
    await sql`update instance set hook_state = 'ours'`.execute(db);
    await vi.waitFor(async () => expect(await hookOf(lost)).toBe("unset"), 60_000);
    await vi.waitFor(async () => expect(await hookOf(off)).toBe("unset"), 60_000);
  }
  await vi.waitFor(async () => expect(await hookOf(other)).toBe("taken https://x.br/w"), 60_000);
  await vi.waitFor(async () => expect(await hookOf(second)).toBe("taken"), 60_000);
  await sql`update instance set hook_state = 'taken' where connection_id = ${ours.connectionId}`.execute(db);
  await vi.waitFor(async () => expect(await hookOf(ours)).toBe("ours"), 60_000);
});

test("what is not connected, or not ours any more, is not asked", async () => {
  const instance = await silentInstance("parada", {
    changed: (trx, { connectionId }) =>
      sql`update connection set state = 'disconnected' where id = ${connectionId}`.execute(trx),
  });
  const other = await silentInstance("alheia", {
    changed: (trx, { gatewayId }) =>
      sql`update gateway set withdrawn = true where id = ${gatewayId}`.execute(trx),
  });
  gateway.world.reply("parada", "5511911112222", "ninguém ouve");
  gateway.world.reply("alheia", "5511911112222", "ninguém ouve");
  const third = await silentInstance("ouvida");
  gateway.world.reply("ouvida", "5511911112222", "alguém ouve");
  await vi.waitFor(async () => expect(await textsOf(third)).toEqual(["alguém ouve"]), 60_000);
  expect(await textsOf(instance)).toEqual([]);
  expect(await textsOf(other)).toEqual([]);
});

test("an account whose gateway never ends its answers keeps no other's from being asked", async () => {
  const asked = new Set<string>();
  const endless = http.createServer((request) => void asked.add(request.url ?? ""));
  await once(endless.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    endless.closeAllConnections();
    endless.close();
  });
  const { port } = endless.address() as AddressInfo;
  const { accountId } = await makeInstance(db);
  for (let i = 0; i < 12; i++) {
    const { gatewayId } = await makeInstance(db, { accountId });
    await sql`update gateway set url = ${`http://127.0.0.1:${port}/${i}`}, api_key = ${SECRETS.seal("key", apiKeyPlace(gatewayId))}
      where id = ${gatewayId}`.execute(db);
  }
  let before = -1;
  await vi.waitFor(
    () => {
      const more = asked.size > before;
      before = asked.size;
      expect(more || before === 0).toBe(false);
    },
    { timeout: 60_000, interval: 500 },
  );
  const instance = await silentInstance("vizinha");
  gateway.world.reply("vizinha", "5511911112222", "e eu?");
  await vi.waitFor(async () => expect(await textsOf(instance)).toEqual(["e eu?"]), 60_000);
});
