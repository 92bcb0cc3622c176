import { Readable } from "node:stream";
import { sql } from "kysely";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { ErrorAnswer } from "../src/contract/error-messages.ts";
import type { LimitName } from "../src/domain/limits.ts";
import { mountCampaigns } from "../src/server/campaigns/routes.ts";
import { CampaignService } from "../src/server/campaigns/service.ts";
import { readLimit, setLimit, withRoom } from "../src/server/db/account-limits.ts";
import { ownerOf } from "../src/server/db/owner.ts";
import { startNext } from "../src/server/sending/campaigns/audience.ts";
import { createResend, resumeCampaign } from "../src/server/sending/campaigns/campaign-status.ts";
import { LIMIT_OF } from "../src/server/usage/limits.ts";
import { testApi } from "./support/api.ts";
import { campaignRow, connectionRow, listRow } from "./support/campaign-rows.ts";
import { contactsApp } from "./support/contacts.ts";
import { testDatabase } from "./support/database.ts";
import { testFiles } from "./support/file-service.ts";
import { gatewaysFeature, newInstance } from "./support/gateways-feature.ts";
import { fileOf } from "./support/receive-lab.ts";
import { makeAccount } from "./support/sending.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database);

const usedOf = async (account: string, name: LimitName) =>
  (await readLimit(ownerOf(db, account), LIMIT_OF[name])).used;

async function limited(name: LimitName, most: number): Promise<string> {
  const account = await makeAccount(db);
  await setLimit(db, account, name, most);
  return account;
}

const reached = (limit: LimitName, most: number, used = most) => ({
  code: "limit_reached",
  details: { limit, most, used },
});

async function outcomes(work: Promise<unknown>[]) {
  const ends = await Promise.allSettled(work);
  const refused = ends.filter(({ status }) => status === "rejected");
  for (const one of refused) expect(one).toMatchObject({ reason: { code: "limit_reached" } });
  return { done: ends.length - refused.length, refused: refused.length };
}

test("27.6 numbers: eight at once end at the limit, in words with the figure, and a known number is connected again", async () => {
  const person = await feature.person();
  await setLimit(db, person.id, "numbers", 3);
  const connect = (nth: number) =>
    person.call<ErrorAnswer>("POST", "/api/whatsapp/connect", { deviceId: `551198765430${nth}` });
  const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(connect));
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(5);
  expect(refused[0]?.body).toMatchObject({
    ...reached("numbers", 3),
    error: "Limite da conta atingido: 3 números. Fale com quem administra esta instalação.",
  });
  expect(await usedOf(person.id, "numbers")).toBe(3);
  const known = answers.findIndex(({ status }) => status !== 409);
  expect((await connect(known)).status).toBe(200);
});

test("27.6 instances: none beyond the limit is made at the gateway, and what is there can be adopted only with room", async () => {
  const owner = await feature.owner();
  await setLimit(db, owner.account, "instances", 2);
  const made = await Promise.all(
    ["a", "b", "c", "d"].map((name) =>
      owner.create<ErrorAnswer>({ instanceName: name, token: `token-of-${name}-0123456789` }),
    ),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  expect(made.find(({ status }) => status === 409)?.body).toMatchObject(reached("instances", 2));
  expect(await usedOf(owner.account, "instances")).toBe(2);
  const { body } = await owner.instances(owner.id);
  expect(body.instances).toHaveLength(2);
  expect((await sql`select from limit_reservation`.execute(db)).rows).toHaveLength(0);
});

test("27.6 instances at the operator's gateway have a limit of their own", async () => {
  const server = await feature.evolution();
  const own = await gatewaysFeature(database, {
    gateways: [{ name: "Central", url: server.url, apiKey: server.apiKey }],
  });
  const person = await own.person();
  await setLimit(db, person.id, "operator_instances", 1);
  const { body } = await person.call<{ gateways: { id: number }[] }>("GET", "/api/gateways");
  const create = (name: string) =>
    person.call<ErrorAnswer>("POST", `/api/gateways/${body.gateways[0]?.id}/instances`, {
      ...newInstance({ instanceName: name, token: `token-of-${name}-0123456789` }),
    });
  const both = await Promise.all([create("um"), create("dois")]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(await usedOf(person.id, "operator_instances")).toBe(1);
});

test("27.6 lists and people: contacts one by one stop at the limit, also at once", async () => {
  const account = await limited("lists", 2);
  const app = contactsApp(database).as(account);
  const add = (nth: number) =>
    app.call<ErrorAnswer>("POST", "/api/contacts", { name: `Pessoa ${nth}`, phone: `1198765430${nth}` });
  const lists = await Promise.all([0, 1, 2, 3].map(add));
  expect(lists.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  expect(lists.find(({ status }) => status === 409)?.body).toMatchObject(reached("lists", 2));

  const other = await limited("people", 4);
  const listId = await listRow(db, other, 3);
  const append = (nth: number) =>
    contactsApp(database)
      .as(other)
      .call<ErrorAnswer>("POST", "/api/contacts", {
        name: `Pessoa ${nth}`,
        phone: `1198765431${nth}`,
        listId,
      });
  const people = await Promise.all([0, 1, 2].map(append));
  expect(people.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  expect(await usedOf(other, "people")).toBe(4);
});

test("27.6 people: an import beyond the limit stores none, and its report names the figure", async () => {
  const account = await limited("people", 10);
  await listRow(db, account, 8);
  const app = contactsApp(database).as(account);
  const file = (count: number) =>
    `Nome;Telefone\n${Array.from({ length: count }, (_, at) => `P${at};1198765432${at}`).join("\n")}\n`;
  const report = await app.import(file(3));
  expect(report).toMatchObject({
    state: "failed",
    listId: null,
    fault: {
      error: "Limite da conta atingido: 10 contatos nas listas. Fale com quem administra esta instalação.",
    },
  });
  expect(await usedOf(account, "people")).toBe(8);
  expect(await app.import(file(2))).toMatchObject({ state: "done", imported: 2 });
  // Full: the next file is refused before its upload.
  expect((await app.upload({ name: "Mais" }, file(1))).body).toMatchObject(reached("people", 10));
});

test("27.6 waiting imports: the next file is refused until one is done", async () => {
  const account = await limited("waiting_imports", 2);
  const contacts = contactsApp(database);
  const app = contacts.as(account);
  const upload = () => app.upload<{ id: number }>({ name: "Clientes" }, "Nome;Telefone\nAna;11987654321\n");
  const uploads = await Promise.all([upload(), upload(), upload(), upload()]);
  expect(uploads.map(({ status }) => status).toSorted()).toEqual([202, 202, 409, 409]);
  await app.report(uploads.find(({ status }) => status === 202)?.body.id ?? 0);
  await expect.poll(async () => (await upload()).status).toBe(202);
});

const campaigns = testApi(db, (app) =>
  mountCampaigns(
    app,
    new CampaignService({
      clock: { now: () => new Date("2026-11-19T17:05:30Z") },
      changes: { mark: () => undefined },
      random32: () => Math.floor(Math.random() * 2 ** 32),
    }),
  ),
);

async function campaignForm(account: string, people = 3) {
  return {
    name: "Oferta",
    text: "Oi, {nome}!",
    intent: "create",
    connectionId: await connectionRow(db, account),
    listId: await listRow(db, account, people),
  };
}

test("27.6 waiting campaigns: scheduled and starting ones count, a draft does not, and one that waits can still be changed", async () => {
  const account = await limited("waiting_campaigns", 2);
  const form = await campaignForm(account);
  const call = campaigns(account);
  const later = { kind: "at", wall: "2026-11-27T08:00", zone: "America/Sao_Paulo" };
  const made = await Promise.all(
    [0, 1, 2, 3].map((nth) =>
      call<ErrorAnswer & { id: number }>("POST", "/api/campaigns", {
        ...form,
        ...(nth % 2 === 0 ? { schedule: later } : {}),
      }),
    ),
  );
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
  expect(made.find(({ status }) => status === 409)?.body).toMatchObject(reached("waiting_campaigns", 2));
  expect((await call("POST", "/api/campaigns", { ...form, intent: "draft" })).status).toBe(201);
  const paused = await campaignRow(db, account, { status: "draft", ...form });
  await sql`update campaign set status = 'paused', pause_reason = 'user' where id = ${paused}`.execute(db);
  await expect(resumeCampaign(ownerOf(db, account), paused)).rejects.toMatchObject({ code: "limit_reached" });
  const scheduled = await campaignRow(db, account, { status: "scheduled", ...form });
  const changed = await call("PUT", `/api/campaigns/${scheduled}`, { ...form, schedule: later });
  expect(changed.status).toBe(200);
});

test("27.6 deliveries kept: refused at creation; a list that grew stops the start and says so", async () => {
  const account = await limited("deliveries", 10);
  const form = await campaignForm(account, 5);
  await campaignRow(db, account, { people: { sent: 4 } });
  const create = () => campaigns(account)<ErrorAnswer & { id: number }>("POST", "/api/campaigns", form);
  const [first, second] = [await create(), await create()];
  expect([first.status, second.status]).toEqual([201, 201]);
  await sql`update campaign set status = 'cancelled' where account_id <> ${account}::uuid`.execute(db);
  const starts = await Promise.all([startNext(database.database), startNext(database.database)]);
  expect(starts.map((one) => one?.campaignId).toSorted()).toEqual([first.body.id, second.body.id].toSorted());
  const { rows } = await sql<{
    status: string;
    cause: string | null;
    total: number;
  }>`select status, pause_reason as cause, total
    from campaign where id in (${first.body.id}, ${second.body.id}) order by status`.execute(db);
  expect(rows).toEqual([
    { status: "paused", cause: "deliveries_full", total: 0 },
    { status: "sending", cause: null, total: 5 },
  ]);
  expect(await usedOf(account, "deliveries")).toBe(9);
  expect((await create()).body).toMatchObject(reached("deliveries", 10, 9));
  const failed = await campaignRow(db, account, { people: { error: 1 } });
  await expect(createResend(ownerOf(db, account), failed)).rejects.toMatchObject({ code: "limit_reached" });
});

test("27.6 stored bytes: parallel pictures stop at the limit, duplicates are free, a received one keeps its message", async () => {
  const files = testFiles(feature.guardedFetch);
  const picture = (red: number) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } })
      .png()
      .toBuffer();
  const upload = async (owner: ReturnType<typeof ownerOf>, red: number) =>
    files.upload(
      owner,
      { name: "" },
      new Blob([await picture(red)]).stream(),
      new Request("http://recado.test", { headers: { "content-length": "4000" } }),
    );
  const sample = await upload(ownerOf(db, await makeAccount(db)), 1);
  const account = await limited("stored_bytes", sample.bytes * 2);
  const owner = ownerOf(db, account);
  expect(await outcomes([1, 90, 180, 250].map((red) => upload(owner, red)))).toEqual({ done: 2, refused: 2 });
  const { rows } = await sql<{ id: number }>`select id from attachment where account_id = ${account}`.execute(
    db,
  );
  expect(rows).toHaveLength(2);
  const received = files.storeReceived(owner, fileOf(null), Readable.from([await picture(33)]));
  await expect(received).rejects.toMatchObject({ code: "limit_reached" });
  const again = await Promise.allSettled([1, 90, 180, 250].map((red) => upload(owner, red)));
  expect(again.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
});

test("27.6 a decision for one account wins over the one for all, that over the default, and what is over stays", async () => {
  const account = await makeAccount(db);
  const owner = ownerOf(db, account);
  await listRow(db, account);
  await listRow(db, account);
  expect(await readLimit(owner, LIMIT_OF.lists)).toEqual({ name: "lists", most: 500, used: 2 });
  await setLimit(db, null, "lists", 1);
  expect(await readLimit(owner, LIMIT_OF.lists)).toMatchObject({ most: 1, used: 2 });
  await setLimit(db, account, "lists", null);
  expect(await readLimit(owner, LIMIT_OF.lists)).toMatchObject({ most: null });
  await setLimit(db, account, "lists", 1);
  const app = contactsApp(database).as(account);
  const add = () => app.call<{ id: number }>("POST", "/api/contacts", { name: "Ana", phone: "11987654321" });
  expect((await add()).status).toBe(409);
  const { rows } = await sql<{
    id: number;
  }>`select id from contact_list where account_id = ${account}`.execute(db);
  for (const { id } of rows) expect((await app.call("DELETE", `/api/contact-lists/${id}`)).status).toBe(200);
  expect((await add()).status).toBe(201);
  await sql`delete from account_limit where account_id is null`.execute(db);
});

test("27.6 a reserved place counts until its work ends or has no living owner", async () => {
  const account = await limited("operator_agents", 1);
  const owner = ownerOf(db, account);
  await withRoom(owner, [LIMIT_OF.operator_agents], async () => {
    await expect(withRoom(owner, [LIMIT_OF.operator_agents], async () => 1)).rejects.toMatchObject({
      ...reached("operator_agents", 1),
    });
    await sql`update limit_reservation set until = now() - interval '1 second'`.execute(db);
    expect(await withRoom(owner, [LIMIT_OF.operator_agents], async () => 1)).toBe(1);
  });
  expect((await sql`select from limit_reservation`.execute(db)).rows).toHaveLength(0);
});
