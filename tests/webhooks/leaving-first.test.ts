import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { waitingByAccount } from "../../src/server/gateways/webhook-repo.ts";
import { startNext } from "../../src/server/sending/campaigns/audience.ts";
import type { Outcome, WireMessage } from "../../src/server/transports/transport.ts";
import { testDatabase } from "../support/database.ts";
import { laneProcesses } from "../support/lane-process.ts";
import { scriptedGateway } from "../support/scripted-gateway.ts";
import { makeCampaign, makeConnection } from "../support/sending.ts";
import { type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const own = await testDatabase();
const { db, database } = own;
const startProcess = laneProcesses(own);
const lab = await openLab(own, { elsewhere: { stored: () => undefined } });

const FIRST = 5_511_988_880_000;
const phoneOf = (seq: number) => String(FIRST + seq);
const QUICK = { poll: 20, flush: 5, unread: 50 };

async function arrange(kind: "device" | "instance") {
  const instance = await makeInstance(db);
  const { accountId } = instance;
  const connectionId = await makeConnection(db, accountId, kind);
  const campaignId = await makeCampaign(db, accountId, { people: 3, firstPhone: FIRST, connectionId });
  await startNext(database);
  const states = async () => {
    const { rows } = await sql<{ status: number }>`select status from delivery
      where campaign_id = ${campaignId} order by seq`.execute(db);
    return rows.map(({ status }) => status);
  };
  return { instance, accountId, connectionId, states };
}

async function write(instance: MadeInstance, text: string, key: Record<string, unknown>): Promise<number> {
  const id = `L${Math.random()}`;
  const event = upsert(id, text, { key: { fromMe: false, id, ...key } });
  return (await lab.send(instance, event)).status;
}

const from = (phone: string) => ({ remoteJid: `${phone}@s.whatsapp.net` });

const read = () => sql`delete from webhook_event`.execute(db);

const WAITING = DELIVERY.waiting;
const ACCEPTED = DELIVERY.accepted;

test("27.2 from the 200 for SAIR a person gets nothing over a gateway, though unread; the others do", async () => {
  const { instance, states } = await arrange("instance");
  expect(await write(instance, "Sair!", from(phoneOf(1)))).toBe(200);
  const gateway = scriptedGateway();
  await startProcess({ instance: () => gateway.transport, times: QUICK, resend: "never" });
  await vi.waitFor(() => expect(gateway.held.map(({ to }) => to)).toEqual([phoneOf(0), phoneOf(2)]), 60_000);
  await vi.waitFor(async () => expect((await states())[1]).toBe(WAITING), 60_000);
  await read();
  await vi.waitFor(() => expect(gateway.held.map(({ to }) => to)).toContain(phoneOf(1)), 60_000);
});

test("27.2 a person who wrote under a hidden address or without the ninth digit is sent nothing from the 200 on", async () => {
  const { instance, accountId, states } = await arrange("instance");
  const lid = "75511900000001@lid";
  await sql`insert into gateway_address (account_id, phone, jid, lid)
    values (${accountId}::uuid, ${phoneOf(1)}::bigint, ${`${phoneOf(1)}@s.whatsapp.net`}, ${lid})`.execute(
    db,
  );
  expect(await write(instance, "não quero mais receber", { remoteJid: lid })).toBe(200);
  expect(await write(instance, "PARAR", from(`5511${phoneOf(2).slice(5)}`))).toBe(200);
  const gateway = scriptedGateway();
  await startProcess({ instance: () => gateway.transport, times: QUICK, resend: "never" });
  await vi.waitFor(async () => expect(await states()).toEqual([ACCEPTED, WAITING, WAITING]), 60_000);
  expect(gateway.held.map(({ to }) => to)).toEqual([phoneOf(0)]);
  await read();
});

test("27.2 who is in a gateway lane's hand when SAIR is answered 200, and not on the wire, is not written to", async () => {
  const { instance, states } = await arrange("instance");
  const first = Promise.withResolvers<void>();
  onTestFinished(() => first.resolve());
  const gateway = scriptedGateway();
  /** One message at a time is between claim and wire; the others wait behind it. */
  async function send(message: WireMessage): Promise<Outcome> {
    if (message.to.jid === phoneOf(0)) await first.promise;
    return gateway.send(message);
  }
  await startProcess({
    instance: () => ({ ...gateway.transport, send }),
    times: QUICK,
    resend: "never",
  });
  const { sending } = DELIVERY;
  await vi.waitFor(async () => expect(await states()).toEqual([sending, sending, sending]), 60_000);
  expect(await write(instance, "SAIR", from(phoneOf(1)))).toBe(200);
  first.resolve();
  await vi.waitFor(async () => expect(await states()).toEqual([ACCEPTED, WAITING, ACCEPTED]), 60_000);
  expect(gateway.held.map(({ to }) => to)).toEqual([phoneOf(0), phoneOf(2)]);
  await read();
});

test("27.2 a recipient claimed by a device lane at the 200 for SAIR is released until read", async () => {
  const { instance, states } = await arrange("device");
  const accepted: Outcome = { kind: "accepted", providerId: "", at: Date.now() };
  const first = Promise.withResolvers<Outcome>();
  onTestFinished(() => first.resolve(accepted));
  const { phone } = await startProcess({
    answer: ({ to }) => (to.jid === phoneOf(0) ? first.promise : accepted),
    times: QUICK,
  });
  const sent = () => phone.frames.map(({ to }) => to.jid);
  await vi.waitFor(() => expect(sent()).toEqual([phoneOf(0)]), 60_000);
  await vi.waitFor(async () => expect((await states())[1]).toBe(DELIVERY.sending), 60_000);
  expect(await write(instance, "SAIR", from(phoneOf(1)))).toBe(200);
  await vi.waitFor(async () => expect((await states())[1]).toBe(WAITING), 60_000);
  first.resolve(accepted);
  await vi.waitFor(() => expect(sent()).toEqual([phoneOf(0), phoneOf(2)]), 60_000);
  await read();
  await vi.waitFor(() => expect(sent()).toContain(phoneOf(1)), 60_000);
});

test("27.2 a lane with account events unread for three seconds stops, says so, and resumes afterwards", async () => {
  const { instance, connectionId } = await arrange("instance");
  expect(await write(instance, "Oi, tudo bem?", from("5511922223333"))).toBe(200);
  await sql`update webhook_event set received_at = now() - interval '4 seconds'`.execute(db);
  const gateway = scriptedGateway();
  const said: string[] = [];
  const looked = vi.fn();
  await startProcess({
    instance: (host) => ({
      ...gateway.transport,
      holds: (why, is) => void (host.connectionId === connectionId && said.push(`${is ? "+" : "-"}${why}`)),
    }),
    times: QUICK,
    resend: "never",
    oldestUnread: async () => {
      const waiting = await waitingByAccount(db);
      looked();
      return waiting;
    },
  });
  await vi.waitFor(() => expect(said).toEqual(["+catching_up"]), 60_000);
  const sentBefore = gateway.held.length;
  await makeCampaign(db, instance.accountId, {
    people: 2,
    firstPhone: FIRST + 100,
    connectionId,
  });
  await startNext(database);
  await vi.waitFor(() => expect(looked.mock.calls.length).toBeGreaterThan(2), 60_000);
  expect(gateway.held.length).toBe(sentBefore);
  await read();
  await vi.waitFor(() => expect(said).toEqual(["+catching_up", "-catching_up"]), 60_000);
  await vi.waitFor(() => expect(gateway.held.length).toBe(5), 60_000);
});
