import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  type CampaignSketch,
  campaignRow,
  connectionRow,
  listRow,
  restrictedRow,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Campaign, CampaignPage, CampaignSummary } from "../../contract/campaigns.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import { DISPLAY_STATUSES, type DisplayStatus } from "../../domain/campaign.ts";
import { recommendedPlan } from "../../domain/number-plan.ts";
import { startNext } from "../sending/campaigns/audience.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db, database } = await testDatabase();
const now = new Date("2026-11-19T17:00:00Z");
const marks: string[] = [];
const api = testApi(db, (app) =>
  mountCampaigns(
    app,
    new CampaignService({
      clock: { now: () => now },
      changes: { mark: (_, topic, id) => marks.push(`${topic} ${id ?? "any"}`) },
      random32: () => 1,
    }),
  ),
);

let account = "";
let connectionId = 0;
beforeEach(async () => {
  account = await accountRow(db);
  connectionId = await connectionRow(db, account);
  marks.length = 0;
});

const row = (sketch: CampaignSketch) => campaignRow(db, account, { connectionId, ...sketch });
const list = async (query = "") => (await api(account)<CampaignPage>("GET", `/api/campaigns${query}`)).body;
const names = async (query: string) => (await list(query)).items.map((item) => item.name);
const get = async (id: number) => (await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body;
const post = (id: number, action: string) =>
  api(account)<Campaign & ErrorAnswer>("POST", `/api/campaigns/${id}/${action}`);

test("status: the filter and the sums follow the same rule as the cards @spec 4.6,7.6 @decision 10", async () => {
  const down = await connectionRow(db, account, "connecting");
  const restricted = await restrictedRow(db, account);
  const outcomes = [
    {},
    { sent: 1 },
    { read: 1, error: 1 },
    { error: 1 },
    { uncertain: 1 },
    { delivered: 1, uncertain: 1 },
    { skipped: 1 },
    { accepted: 1 },
    { sent: 1, accepted: 1 },
    { error: 1, accepted: 1 },
  ];
  for (const status of ["draft", "scheduled", "starting", "sending", "paused", "cancelled", "ended"]) {
    for (const people of outcomes) {
      for (const connection of [connectionId, down, restricted, null]) {
        await row({ status, people, connectionId: connection, cause: status === "paused" ? "user" : null });
      }
    }
  }
  const all = await list("?limit=100");
  const second = await list(`?limit=100&after=${all.next}`);
  const third = await list(`?limit=100&after=${second.next}`);
  const campaigns = [...all.items, ...second.items, ...third.items];
  expect(campaigns).toHaveLength(7 * 10 * 4);
  expect(new Set(campaigns.map((item) => item.status))).toEqual(new Set(DISPLAY_STATUSES));
  for (const status of DISPLAY_STATUSES) {
    const shown = campaigns.filter((item) => item.status === status).map((item) => item.id);
    const found = await list(`?limit=100&status=${status}`);
    expect(found.items.map((item) => item.id)).toEqual(shown.slice(0, 100));
    expect(all.summary.byStatus[status]).toBe(shown.length);
  }
  expect(all.summary.total).toBe(280);
});

describe("the list", () => {
  test.each([
    ["H17", "sort=id;drop table campaign"],
    ["H17", "status=draft';drop table campaign--"],
    ["H17", "after=1;drop"],
    ["H16", "limit=1e9"],
    ["H16", "limit=-1"],
    ["H16", "after=-1"],
  ])("%s ?%s is refused by its name", async (_id, query) => {
    const answer = await api(account)<ErrorAnswer>("GET", `/api/campaigns?${encodeURI(query)}`);
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_fields" } });
    expect(Object.keys(answer.body.fields ?? {})).toEqual([query.split("=")[0]]);
  });
  test("finds words in name or text, whatever their case and accents; % and _ mean themselves @spec 2.37", async () => {
    await row({ name: "Promoção de Verão", text: "50% de desconto" });
    await row({ name: "Lembrete", text: "Sua CONSULTA está marcada" });
    await row({ name: "Aviso Nő", text: "nada" });
    expect(await names("?search=nő")).toEqual(["Aviso Nő"]);
    expect(await names("?search=promocao")).toEqual(["Promoção de Verão"]);
    expect(await names("?search=consulta%20ESTA")).toEqual(["Lembrete"]);
    expect(await names("?search=0%25")).toEqual(["Promoção de Verão"]);
    expect(await names("?search=%25")).toEqual(["Promoção de Verão"]);
    expect(await names("?search=_")).toEqual([]);
    expect(await names("?search=%5C")).toEqual([]);
    expect(await names("?search=%20%20")).toHaveLength(3);
  });

  test("pages by key, newest first, while new ones appear @spec 7.4", async () => {
    for (let i = 0; i < 5; i += 1) await row({ name: `C${i}` });
    const first = await list("?limit=2");
    expect(first.items.map((item) => item.name)).toEqual(["C4", "C3"]);
    await row({ name: "novo" });
    expect(await names(`?limit=2&after=${first.next}`)).toEqual(["C2", "C1"]);
    expect((await list("?limit=6")).next).toBeNull();
  });

  test("counts what goes to one contact list on all pages", async () => {
    const mine = await listRow(db, account);
    const other = await listRow(db, account);
    for (const listId of [mine, mine, other]) await row({ status: "scheduled", listId });
    await row({ status: "draft", listId: mine });
    const { items, found } = await list(`?status=scheduled&list=${mine}&limit=1`);
    expect(items).toMatchObject([{ listId: mine, status: "scheduled" }]);
    expect(found.campaigns).toBe(2);
  });

  test("is empty for another account, whatever it asks @spec 7.4", async () => {
    await row({ name: "Segredo" });
    const other = await accountRow(db);
    const { body } = await api(other)<CampaignPage>("GET", "/api/campaigns?search=Segredo");
    expect(body).toMatchObject({ items: [], next: null, summary: { total: 0, endsAt: null } });
  });

  test.each(["?status=Concluída", "?limit=0", "?limit=101", "?after=x"])(
    "bad query %s is refused in words",
    async (query) => {
      const { status, body } = await api(account)<ErrorAnswer>("GET", `/api/campaigns${query}`);
      expect([status, body.code]).toEqual([422, "invalid_fields"]);
    },
  );
});

describe("a card", () => {
  test("counts as the spec does, and says beside it what receipts confirm @spec 4.1,7.4 @decision 11", async () => {
    const id = await row({ people: { sent: 1, delivered: 2, read: 3, error: 2, uncertain: 2, skipped: 4 } });
    const card = await get(id);
    expect(card).toMatchObject({
      status: "partially_completed",
      started: true,
      rate: 0.6,
      confirmedRate: 0.5,
      failureTotal: 2,
    });
    expect(card.counts).toMatchObject({
      total: 14,
      sent: 6,
      confirmed: 5,
      read: 3,
      errors: 2,
      uncertain: 2,
      skipped: 4,
      remaining: 0,
    });
    expect(card.progress).toBeNull();
  });

  test("shows the first 20 failures of an ended campaign, in the list's order", async () => {
    const id = await row({ people: { sent: 2, uncertain: 1, error: 25 } });
    const running = await row({ status: "sending", people: { error: 5, pending: 1 } });
    const card = await get(id);
    expect(card.failureTotal).toBe(25);
    expect(card.failureLines).toHaveLength(20);
    expect(card.failureLines[0]).toBe(
      "Falha ao enviar mensagem para 5511900000003: este número não tem WhatsApp",
    );
    expect((await get(running)).failureLines).toEqual([]);
    await sql`update delivery set status = case seq when 3 then 6 else 5 end, error = case seq when 3 then null else 'no_ack' end
      where campaign_id = ${id} and seq in (2, 3)`.execute(db);
    await sql`update campaign set uncertain_count = 0, delivered_count = 1 where id = ${id}`.execute(db);
    const later = (await get(id)).failureLines;
    expect([later[0], later[1], later.at(-1)].map((line) => /\d{13}/.exec(line ?? "")?.[0])).toEqual([
      "5511900000002",
      "5511900000004",
      "5511900000022",
    ]);
    expect((await get(id)).failureLines).toEqual(later);
    // The same counts for other people.
    await sql`update delivery set status = case seq when 4 then 7 else 5 end, error = case seq when 4 then null else 'no_ack' end
      where campaign_id = ${id} and seq in (1, 4)`.execute(db);
    await sql`update campaign set sent_count = sent_count - 1, delivered_count = delivered_count + 1 where id = ${id}`.execute(
      db,
    );
    const [first, second, third] = (await get(id)).failureLines;
    expect([first, second, third].map((line) => /\d{13}/.exec(line ?? "")?.[0])).toEqual([
      "5511900000001",
      "5511900000002",
      "5511900000005",
    ]);
  });

  test("WhatsApp's own code of a refusal is named", async () => {
    const id = await row({ people: { error: 1 }, error: "wa_406" });
    expect((await get(id)).failureLines[0]).toContain(
      ": o WhatsApp não aceitou esta mensagem para este número (código 406)",
    );
  });

  test("in progress: done, pace and end; campaigns of one connection take turns at its largest interval while they go on", async () => {
    const id = await row({ status: "sending", intervalS: 30, people: { sent: 4, error: 1, pending: 10 } });
    expect((await get(id)).progress).toEqual({
      done: 5,
      perMinute: 2,
      endsAt: "2026-11-19T17:05:00.000Z",
      awaits: null,
      plan: null,
    });
    await row({ status: "sending", intervalS: 60, people: { pending: 1 } });
    expect((await get(id)).progress).toEqual({
      done: 5,
      perMinute: 0.5,
      endsAt: "2026-11-19T17:06:30.000Z",
      awaits: null,
      plan: null,
    });
    const summary = (await api(account)<CampaignSummary>("GET", "/api/campaign-summary")).body;
    expect(summary).toMatchObject({ total: 2, endsAt: "2026-11-19T17:06:30.000Z" });
    expect(summary.byStatus.sending).toBe(2);
  });

  test("over a number with a plan: what it does now, and the end that its hours and budget allow", async () => {
    const id = await row({ status: "sending", intervalS: 30, people: { sent: 5, pending: 60 } });
    const plan = { ...recommendedPlan("2026-11-19"), ramp: { from: 20, to: 20, days: 1 } };
    await sql`update campaign set cold_people = 55 where id = ${id}`.execute(db);
    await sql`insert into number_plan (connection_id, plan)
      select connection_id, ${JSON.stringify(plan)}::jsonb from campaign where id = ${id}`.execute(db);
    await sql`insert into cold_message (connection_id, campaign_id)
      select connection_id, id from campaign, generate_series(1, 5) where id = ${id}`.execute(db);
    const { progress } = await get(id);
    expect(progress).toMatchObject({ done: 5, perMinute: null });
    const { days = [], ...now } = progress?.plan ?? {};
    expect(now).toEqual({ state: "open", until: "2026-11-19T23:00:00.000Z", cold: 50, why: null });
    expect(days.map(({ cold }) => cold)).toEqual([15, 20, 15]);
    // 15 left today, 20 on Friday, 15 on Saturday.
    expect(progress?.endsAt?.slice(0, 10)).toBe("2026-11-21");
    const until = "2026-11-21T03:00:00.000Z";
    const quota = { total: 100, used: 95, capped: false, until, readAt: "2026-11-19T16:00:00.000Z" };
    await sql`update connection set new_chats = ${JSON.stringify(quota)}::jsonb
      where id = (select connection_id from campaign where id = ${id})`.execute(db);
    const held = (await get(id)).progress;
    expect(held?.plan).toMatchObject({ state: "used_up", until: "2026-11-21T11:00:00.000Z" });
    expect(held?.endsAt?.slice(0, 10), "20 on Saturday, 20 on Monday, 10 on Tuesday").toBe("2026-11-24");
    await sql`update number_plan set plan = jsonb_set(plan, '{hours}', '[null,null,null,null,null,null,null]')`.execute(
      db,
    );
    expect((await get(id)).progress).toMatchObject({
      endsAt: null,
      plan: { state: "never_opens", why: "never_opens" },
    });
  });

  test("without an interval the pace is what was seen, and unknown before that", async () => {
    const id = await row({ status: "sending", intervalS: 0, people: { sent: 11, pending: 60 } });
    expect((await get(id)).progress).toEqual({
      done: 11,
      perMinute: null,
      endsAt: null,
      awaits: null,
      plan: null,
    });
    expect((await list()).summary.endsAt).toBeNull();
    const connectionId = await connectionRow(db, account);
    const known = await row({ status: "sending", intervalS: 30, connectionId, people: { pending: 2 } });
    expect((await get(known)).progress?.endsAt).not.toBeNull();
    expect((await list()).summary.endsAt).toBeNull();
    await sql`insert into campaign_day (campaign_id, day, accepted, first_at, last_at)
      values (${id}, '2026-11-19', 11, '2026-11-19T16:00:00Z', '2026-11-19T16:00:05Z')`.execute(db);
    expect((await get(id)).progress).toEqual({
      done: 11,
      perMinute: 120,
      endsAt: "2026-11-19T17:00:30.000Z",
      awaits: null,
      plan: null,
    });
  });

  test("L3 with only doubts and accepted messages it shows pending answers and a deadline, no end", async () => {
    const people = { sent: 3, waiting: 1, accepted: 2 };
    const id = await row({ status: "sending", intervalS: 0, people });
    await sql`update delivery set at = '2026-11-19T16:58:00Z' where campaign_id = ${id} and status = 6`.execute(
      db,
    );
    await sql`update delivery set ambiguous = true, not_before = '2026-11-19T17:10:00Z' where campaign_id = ${id} and status = 2`.execute(
      db,
    );
    expect((await get(id)).progress).toEqual({
      done: 3,
      perMinute: null,
      endsAt: null,
      awaits: { people: 3, until: "2026-11-19T17:13:00.000Z" },
      plan: null,
    });
    expect((await list()).summary.endsAt).toBe("2026-11-19T17:13:00.000Z");
    await sql`update delivery set not_before = now(), at = '2026-11-19T16:00:00Z' where campaign_id = ${id}`.execute(
      db,
    );
    await sql`update delivery set not_before = '2026-11-19T16:59:00Z' where campaign_id = ${id} and status = 2`.execute(
      db,
    );
    expect((await get(id)).progress).toMatchObject({ endsAt: null, awaits: { people: 3, until: null } });
    expect((await list()).summary.endsAt).toBeNull();
  });

  test("GW01 one that only waits for WhatsApp's word can be closed, and nothing else", async () => {
    for (const status of ["sending", "paused"]) {
      const cause = status === "paused" ? "unconfirmed" : null;
      const id = await row({ status, cause, people: { sent: 1, accepted: 2 } });
      const shown = await get(id);
      expect(shown).toMatchObject({
        actions: ["finish"],
        counts: { total: 3, sent: 1, accepted: 2 },
        rate: 1,
      });
      for (const action of ["pause", "resume", "cancel"]) expect((await post(id, action)).status).toBe(409);
      expect((await post(id, "finish")).body).toMatchObject({ status: "partially_completed" });
    }
  });

  test("its list's present count before it starts, the frozen one after", async () => {
    const listId = await listRow(db, account, 7);
    const draft = await row({ status: "draft", listId });
    const sent = await row({ listId, people: { sent: 2 } });
    expect([(await get(draft)).people, (await get(sent)).people]).toEqual([7, 2]);
  });

  test.each(["0", "abc", "1.5", "99999999999999999999", "-1", "%27"])("id «%s» answers 404", async (id) => {
    expect((await api(account)("GET", `/api/campaigns/${id}`)).status).toBe(404);
  });
});

describe("what people do with a campaign", () => {
  test("pause, resume, cancel: the answer shows it, and live updates are published @spec 7.6", async () => {
    const id = await row({ status: "sending", people: { sent: 1, pending: 5 } });
    expect((await post(id, "pause")).body).toMatchObject({
      status: "paused",
      cause: "user",
      actions: ["resume", "cancel"],
    });
    expect((await post(id, "resume")).body).toMatchObject({ status: "sending", cause: null });
    expect((await post(id, "cancel")).body).toMatchObject({
      status: "cancelled",
      actions: ["reuse", "archive"],
    });
    const each = [`campaigns ${id}`, "connections any"];
    expect(marks).toEqual([...each, ...each, ...each]);
  });

  test.each([
    ["pause", "paused"],
    ["resume", "sending"],
    ["confirm", "starting"],
    ["cancel", "cancelled"],
  ] as const)("%s of one that is %s already is refused by that status", async (path, status) => {
    const id = await row({ status, people: { pending: 1 } });
    const body = { code: "campaign_wrong_state", details: { life: status } };
    expect(await post(id, path)).toMatchObject({ status: 409, body });
  });

  test("a missed one is confirmed, not resumed (F22)", async () => {
    const listId = await listRow(db, account, 0);
    const id = await row({ status: "paused", cause: "missed", listId });
    await sql`update campaign set started_at = null where id = ${id}`.execute(db);
    expect((await get(id)).actions).toEqual(["confirm", "cancel"]);
    expect((await post(id, "resume")).status).toBe(409);
    expect(await post(id, "confirm")).toMatchObject({ status: 409, body: { code: "campaign_list_empty" } });
    await sql`update campaign set list_id = ${await listRow(db, account)} where id = ${id}`.execute(db);
    expect((await post(id, "confirm")).body).toMatchObject({ status: "sending", late: true });
  });

  test("«Reenviar falhas» makes a linked campaign; without failures it is refused", async () => {
    const id = await row({ name: "Natal", people: { sent: 1, error: 2 } });
    const shown = `resend-failures?through=${connectionId}`;
    const { status, body } = await post(id, shown);
    expect(status).toBe(201);
    expect(body).toMatchObject({ resendsId: id, status: "sending" });
    expect(body.id).not.toBe(id);
    const listId = await listRow(db, account, 50);
    await sql`update campaign set list_id = ${listId} where id = ${body.id}`.execute(db);
    expect((await get(body.id)).people).toBeNull();
    const clean = await row({ people: { sent: 1 } });
    expect((await post(clean, "resend-failures")).body.code).toBe("campaign_nothing_to_resend");
    // A running resend is still answered, but none begins over another connection.
    await sql`update campaign set connection_id = null where id = ${id}`.execute(db);
    expect((await post(id, shown)).body.id).toBe(body.id);
    await sql`update campaign set status = 'cancelled' where id = ${body.id}`.execute(db);
    expect(await post(id, shown)).toMatchObject({ status: 409, body: { code: "campaign_changed" } });
    expect((await post(id, "resend-failures")).status).toBe(201);
  });

  test("«Reenviar falhas» counts the people a resend would reach, and is absent at zero", async () => {
    const id = await row({ people: { sent: 1, error: 3 } });
    const offered = async (campaignId = id) => {
      const { resendable, actions } = await get(campaignId);
      const listed = (await list()).items.find((item) => item.id === campaignId);
      expect(listed).toMatchObject({ resendable, actions });
      expect(actions.includes("resend_failures")).toBe(resendable > 0);
      return resendable;
    };
    const leave = (phone: string) =>
      sql`insert into opt_out (account_id, phone, source) values (${account}::uuid, ${phone}::bigint, 'manual')`.execute(
        db,
      );
    expect(await offered()).toBe(3);
    const { id: resend } = (await post(id, "resend-failures")).body;
    expect(await offered()).toBe(0);
    while (await startNext(database));
    await sql`update delivery set status = case seq when 0 then 7 else 5 end where campaign_id = ${resend}`.execute(
      db,
    );
    await sql`update campaign set status = 'ended', cursor = total, pending_count = 0, delivered_count = 1, error_count = 2
      where id = ${resend}`.execute(db);
    expect([await offered(), await offered(resend)]).toEqual([2, 2]);
    await leave("5511900000003");
    expect([await offered(), await offered(resend)]).toEqual([1, 1]);
    await sql`update delivery set status = 7 where campaign_id = ${resend} and phone = 5511900000002`.execute(
      db,
    );
    await sql`update campaign set sent_count = 1, error_count = 1 where id = ${resend}`.execute(db);
    expect([await offered(), await offered(resend)]).toEqual([0, 0]);
    expect((await get(id)).counts.errors).toBe(3);
    expect((await post(id, "resend-failures")).body.code).toBe("campaign_nothing_to_resend");
    await sql`delete from opt_out where account_id = ${account}::uuid`.execute(db);
    expect(await offered()).toBe(1);
    const other = await row({ people: { error: 3 } });
    await leave("5511900000001");
    expect([await offered(), await offered(other)]).toEqual([1, 2]);
  });

  test("what is offered is what works: every action in every state either is offered or answers 409", async () => {
    const paths = {
      pause: "pause",
      resume: "resume",
      confirm: "confirm",
      cancel: "cancel",
      resend_failures: "resend-failures",
      archive: "archive",
    } as const;
    const states: CampaignSketch[] = [
      { status: "draft" },
      { status: "scheduled", scheduledAt: new Date("2026-11-27T11:00:00Z") },
      { status: "starting" },
      { status: "sending", people: { pending: 1 } },
      { status: "paused", cause: "user", people: { pending: 1 } },
      { status: "paused", cause: "missed" },
      { status: "cancelled", people: { error: 1, skipped: 1 } },
      { status: "ended", people: { error: 1 } },
      { status: "ended", people: { sent: 1 } },
    ];
    for (const state of states) {
      for (const [action, path] of Object.entries(paths)) {
        const id = await row(state);
        const offered = (await get(id)).actions.includes(action as keyof typeof paths);
        const { status } = await post(id, path);
        expect(`${state.status} ${state.cause ?? ""} ${action} ${status}`).toBe(
          `${state.status} ${state.cause ?? ""} ${action} ${offered ? (action === "resend_failures" ? 201 : 200) : 409}`,
        );
      }
    }
  });

  test("another account's campaign answers like a missing one, and nothing happens to it @decision 25", async () => {
    const id = await row({ status: "sending", people: { pending: 1 } });
    const stranger = api(await accountRow(db));
    const body = { name: "Meu", intent: "draft" };
    for (const [method, path] of [
      ["GET", ""],
      ["PUT", ""],
      ["DELETE", ""],
      ["POST", "/pause"],
      ["POST", "/resume"],
      ["POST", "/cancel"],
      ["POST", "/confirm"],
      ["POST", "/resend-failures"],
      ["POST", "/archive"],
      ["POST", "/unarchive"],
    ] as const) {
      const theirs = await stranger(
        method,
        `/api/campaigns/${id}${path}`,
        method === "PUT" ? body : undefined,
      );
      const missing = await stranger(
        method,
        `/api/campaigns/999999${path}`,
        method === "PUT" ? body : undefined,
      );
      expect([theirs.status, theirs.body]).toEqual([404, missing.body]);
    }
    expect(await get(id)).toMatchObject({ status: "sending" satisfies DisplayStatus, name: "Campanha" });
  });
});
