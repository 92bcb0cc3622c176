import { createHash, randomInt, randomUUID as randomKey } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import {
  accountRow,
  campaignRow,
  connectionRow,
  imageRow,
  listRow,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { unhurried, waiting } from "../../../tests/support/waiting.ts";
import type { Segment } from "../../contract/audiences.ts";
import { type Campaign, CampaignInput } from "../../contract/campaigns.ts";
import type { ErrorAnswer } from "../../contract/error-messages.ts";
import type { Changes } from "../db/live-updates.ts";
import type { App } from "../http/app.ts";
import { startNext } from "../sending/campaigns/audience.ts";
import { startDue } from "../sending/campaigns/campaign-clock.ts";
import { AudienceService } from "./audiences.ts";
import { mountAudiences, mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db, database } = await testDatabase();
const now = new Date("2026-11-19T17:05:30Z");
const marks: string[] = [];
let draws: number[] = [];

const api = testApi(db, (app) =>
  mountAll(app, { mark: (account, topic, id) => marks.push(`${account} ${topic} ${id}`) }),
);

function mountAll(app: App, changes: Pick<Changes, "mark">): void {
  const clock = { now: () => now };
  const random32 = () => draws.shift() ?? randomInt(2 ** 32);
  mountCampaigns(app, new CampaignService({ clock, changes, random32 }));
  mountAudiences(app, new AudienceService(changes, { now: () => now }));
}

let account = "";
let listId = 0;
let connectionId = 0;
beforeEach(async () => {
  account = await accountRow(db);
  listId = await listRow(db, account);
  connectionId = await connectionRow(db, account);
  marks.length = 0;
  draws = [];
});

const form = (over: object = {}) => ({
  name: "Black Friday",
  text: "Oi, {nome}!",
  connectionId,
  listId,
  intent: "create",
  ...over,
});
const at = (wall: string, zone = "America/Sao_Paulo") => ({ kind: "at", wall, zone });
const post = <T = Campaign>(body: object) => api(account)<T>("POST", "/api/campaigns", body);
const put = <T = Campaign>(id: number, body: object) => api(account)<T>("PUT", `/api/campaigns/${id}`, body);
const campaigns = async () => {
  const { rows } = await sql<{ id: number; status: string }>`select id, status from campaign
    where account_id = ${account}::uuid`.execute(db);
  return rows;
};

async function startAll() {
  while (await startNext(database));
}

async function refusal(over: object): Promise<Record<string, string> | undefined> {
  const { status, body } = await post<ErrorAnswer>(form(over));
  expect(status).toBe(422);
  expect(body.code).toBe("invalid_fields");
  expect(await campaigns()).toEqual([]);
  return body.fields;
}

describe("a draft", () => {
  test("needs a name alone @spec 4.3,7.5,9.3", async () => {
    const { status, body } = await post({ name: "  Natal  ", intent: "draft" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      name: "Natal",
      status: "draft",
      text: "",
      listId: null,
      intervalS: 60,
      people: null,
    });
    expect(body.actions).toEqual(["edit", "delete", "reuse"]);
    expect(marks).toEqual([`${account} campaigns ${body.id}`]);
  });

  test("keeps what is unfinished: half a date, a text that is too long for a caption", async () => {
    const attachmentId = await imageRow(db, account);
    const text = "a".repeat(2000);
    const { body } = await post({
      name: "Natal",
      intent: "draft",
      attachmentId,
      text,
      schedule: at("2026-11-27"),
    });
    expect(body).toMatchObject({
      text,
      attachment: { id: attachmentId, kind: "image" },
      schedule: at("2026-11-27"),
      scheduledAt: null,
    });
  });

  test("keeps whether the line about leaving goes out below its text, on and off", async () => {
    const { body: draft } = await post({ name: "Natal", intent: "draft" });
    expect(draft.leaveHint).toBe(false);
    expect((await put(draft.id, form({ intent: "draft", leaveHint: true }))).body.leaveHint).toBe(true);
    const found = await api(account)<Campaign>("GET", `/api/campaigns/${draft.id}`);
    expect(found.body).toMatchObject({ leaveHint: true, text: "Oi, {nome}!" });
    expect((await put(draft.id, form({ intent: "draft" }))).body.leaveHint).toBe(false);
  });

  test("is changed, scheduled, made a draft again, and created @spec 3.3,4.5", async () => {
    const { body: draft } = await post({ name: "Natal", intent: "draft" });
    const changed = await put(draft.id, form({ name: "Natal 2", intent: "draft" }));
    expect(changed.body).toMatchObject({
      id: draft.id,
      name: "Natal 2",
      status: "draft",
      listName: "Clientes",
      people: 3,
    });
    const scheduled = await put(draft.id, form({ schedule: at("2026-11-27T08:00") }));
    expect(scheduled.body).toMatchObject({ status: "scheduled", scheduledAt: "2026-11-27T11:00:00.000Z" });
    expect((await put(draft.id, form({ intent: "draft" }))).body.status).toBe("draft");
    expect((await put(draft.id, form())).body.status).toBe("sending");
    expect(await campaigns()).toEqual([{ id: draft.id, status: "starting" }]);
    const late = await put<ErrorAnswer>(draft.id, form({ name: "tarde" }));
    expect([late.status, late.body.code]).toEqual([409, "campaign_not_editable"]);
  });

  test("keeps its audience, which names its people's lists and segments, and needs no list beside a segment", async () => {
    const second = await listRow(db, account, 2, "Amigos");
    const { body: segment } = await api(account)<Segment>("POST", "/api/segments", {
      name: "Novos",
      rule: { match: "all", items: [{ on: "created", test: "last_days", days: 30 }] },
    });
    const audience = {
      listIds: [second, listId],
      segmentIds: [segment.id],
      without: { listIds: [second], campaignIds: [], talkedHours: 48, unanswered: null },
    };
    const { body } = await post(form({ audience, intent: "draft" }));
    expect(body).toMatchObject({ listId, listName: "Clientes + Amigos + Novos", people: null });
    expect(body.audience).toEqual({ ...audience, listIds: [second] });
    const { body: alone } = await post(form({ listId: null, audience: { ...audience, listIds: [] } }));
    expect(alone).toMatchObject({ status: "sending", listId: null, listName: "Novos" });
    expect((await api(account)<Campaign>("GET", `/api/campaigns?list=${second}`)).body).toMatchObject({
      items: [{ id: body.id }],
    });
    const none = {
      listIds: [],
      segmentIds: [],
      without: { ...audience.without, listIds: [], talkedHours: null },
    };
    expect((await post(form({ audience: none, intent: "draft" }))).body.audience).toBeNull();
    const gone = await post<ErrorAnswer>(form({ audience: { ...audience, segmentIds: [999_999] } }));
    expect([gone.status, gone.body.details]).toEqual([404, { field: "audience.segmentIds" }]);
    const segmentInUse = await api(account)<ErrorAnswer>("DELETE", `/api/segments/${segment.id}`);
    expect([segmentInUse.status, segmentInUse.body.code]).toEqual([409, "segment_in_use"]);
  });

  test("a segment whose list or campaign is gone says so, and nothing is counted or saved by it", async () => {
    const made = async (name: string, condition: object) =>
      (
        await api(account)<Segment>("POST", "/api/segments", {
          name,
          rule: { match: "all", items: [condition] },
        })
      ).body;
    const gone = await listRow(db, account, 1, "Some");
    const whole = await made("Inteiro", { on: "list", test: "in", listId });
    const broken = await made("Quebrado", { on: "list", test: "not_in", listId: gone });
    await sql`delete from contact_list where id = ${gone}`.execute(db);
    const { body } = await api(account)<{ items: Segment[] }>("GET", "/api/segments");
    expect(body.items.map(({ name, broken: is }) => [name, is])).toEqual([
      ["Inteiro", false],
      ["Quebrado", true],
    ]);
    const without = { listIds: [], campaignIds: [], talkedHours: null, unanswered: null };
    const audience = (id: number) => ({ listIds: [], segmentIds: [id], without });
    expect((await post(form({ audience: audience(whole.id), intent: "draft" }))).status).toBe(201);
    const refused = await post<ErrorAnswer>(form({ audience: audience(broken.id), intent: "draft" }));
    expect([refused.status, refused.body.details]).toEqual([404, { field: "audience.segmentIds" }]);
    const counted = await api(account)<ErrorAnswer>("POST", "/api/segments/count", { rule: broken.rule });
    expect([counted.status, counted.body.code]).toEqual([422, "invalid_fields"]);
  });

  test("two windows edit a scheduled campaign: the second to save sees the conflict and may overwrite", async () => {
    const { body: draft } = await post({ name: "Natal", intent: "draft" });
    await sql`update campaign set updated_at = '2026-11-01T10:00:00.123456Z' where id = ${draft.id}`.execute(
      db,
    );
    const { updatedAt: basedOn } = (await api(account)<Campaign>("GET", `/api/campaigns/${draft.id}`)).body;
    const first = form({ name: "A", schedule: at("2026-11-27T08:00"), basedOn, idempotencyKey: randomKey() });
    const { body: saved } = await put(draft.id, first);
    expect(saved).toMatchObject({ name: "A", status: "scheduled" });
    expect((await put(draft.id, first)).body).toEqual(saved);
    const second = form({ name: "B", schedule: at("2026-11-28T08:00"), idempotencyKey: randomKey() });
    expect(await put<ErrorAnswer>(draft.id, { ...second, basedOn })).toMatchObject({
      status: 409,
      body: {
        code: "campaign_changed",
        error: "Esta campanha foi alterada depois que você a abriu.",
        details: { updatedAt: saved.updatedAt },
      },
    });
    expect((await api(account)("GET", `/api/campaigns/${draft.id}`)).body).toEqual(saved);
    expect((await put(draft.id, { ...second, basedOn: saved.updatedAt })).body).toMatchObject({ name: "B" });
    expect((await put(draft.id, form({ intent: "draft" }))).status).toBe(200);
    expect((await put(draft.id, { ...second, basedOn: "ontem" })).status).toBe(422);
  });

  test("is deleted; what is under way is not", async () => {
    const { body: draft } = await post({ name: "Natal", intent: "draft" });
    expect((await api(account)("DELETE", `/api/campaigns/${draft.id}`)).body).toEqual({ success: true });
    expect(await campaigns()).toEqual([]);
    const sending = await campaignRow(db, account, { status: "sending", people: { sent: 1 } });
    expect((await api(account)("DELETE", `/api/campaigns/${sending}`)).status).toBe(409);
    expect((await api(account)("DELETE", `/api/campaigns/${draft.id}`)).status).toBe(404);
  });
});

describe("create", () => {
  test("now: it waits to be started, and its people are frozen when it is (F41) @spec 4.4,7.4,7.5 @decision 25", async () => {
    const { status, body } = await post(form());
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: "sending", started: false, people: 3, connectionName: "Matriz" });
    await startAll();
    await sql`delete from contact_list where id = ${listId}`.execute(db);
    const { body: later } = await api(account)<Campaign>("GET", `/api/campaigns/${body.id}`);
    expect(later).toMatchObject({ started: true, people: 3, listId: null, listName: "Clientes" });
    expect(later.counts).toMatchObject({ total: 3, remaining: 3, sent: 0 });
  });

  test("while its connection is down: accepted, and shown paused with the cause", async () => {
    const down = await connectionRow(db, account, "disconnected", "Savassi");
    await sql`update connection set state_reason = 'network' where id = ${down}`.execute(db);
    const { body } = await post(form({ connectionId: down }));
    expect(body).toMatchObject({ status: "paused", cause: "connection" });
    await startAll();
    const { body: later } = await api(account)<Campaign>("GET", `/api/campaigns/${body.id}`);
    expect(later).toMatchObject({
      status: "paused",
      cause: "connection",
      connectionCause: "network",
      connectionName: "Savassi",
    });
    expect(later.causeSince).not.toBeNull();
    expect(later.progress).toEqual({ done: 0, perMinute: null, endsAt: null, awaits: null, plan: null });
  });

  test("without any connection: «Nenhuma conexão padrão», while a draft is saved @spec 5.3,8.4 @decision 27", async () => {
    await sql`delete from connection where account_id = ${account}::uuid`.execute(db);
    const { status, body } = await post<ErrorAnswer>(form({ connectionId: null }));
    expect([status, body.code]).toEqual([422, "campaign_no_default_connection"]);
    expect(body.error).toBe("Nenhuma conexão padrão. Escolha uma conexão.");
    expect((await post(form({ connectionId: null, intent: "draft" }))).status).toBe(201);
  });

  test("without a known default connection, saving fails instead of the later start", async () => {
    await sql`update connection set state = 'disconnected', desired = 'disconnected', is_default = false
      where account_id = ${account}::uuid`.execute(db);
    const { status, body } = await post<ErrorAnswer>(form({ connectionId: null }));
    expect([status, body.code]).toEqual([422, "campaign_no_default_connection"]);
    expect(await campaigns()).toEqual([]);
    expect((await post(form())).status).toBe(201);
    expect((await post(form({ connectionId: null, schedule: at("2026-11-27T08:00") }))).status).toBe(201);
  });

  test("a connection that is being removed is as good as gone", async () => {
    await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
    const chosen = await post<ErrorAnswer>(form());
    expect([chosen.status, chosen.body.code]).toEqual([404, "not_found"]);
    const any = await post<ErrorAnswer>(form({ connectionId: null }));
    expect([any.status, any.body.code]).toEqual([422, "campaign_no_default_connection"]);
    expect(await campaigns()).toEqual([]);
  });

  test("all errors at once, each at its field, in words @spec 5.3", async () => {
    expect(await refusal({ name: " ", text: "", listId: null, intervalS: "", schedule: at("") })).toEqual({
      name: "Preencha este campo.",
      text: "Escreva a mensagem.",
      listId: "Escolha uma lista de contatos.",
      intervalS: "Preencha este campo.",
      "schedule.wall": "Informe a data e a hora do envio.",
    });
  });

  test("a zone unknown to the database is refused: its days cannot be counted, its lane would fail", async () => {
    const fields = { "schedule.zone": "Fuso horário desconhecido." };
    expect(await refusal({ schedule: at("2026-11-27T08:00", "US/Pacific-New") })).toEqual(fields);
    expect(await refusal({ schedule: at("2026-11-27T08:00", "IST") })).toEqual(fields);
    expect(await refusal({ intent: "draft", schedule: at("2026-11-27", "US/Pacific-New") })).toEqual(fields);
    const { body } = await post(form({ schedule: at("2026-11-27T08:00", "America/Rio_Branco") }));
    expect(body).toMatchObject({ status: "scheduled", scheduledAt: "2026-11-27T13:00:00.000Z" });
  });

  test("an empty list", async () => {
    expect(await refusal({ listId: await listRow(db, account, 0) })).toEqual({
      listId: "A lista não tem contatos.",
    });
  });

  test("another account's list, picture and connection answer like missing ones", async () => {
    const other = await accountRow(db);
    const foreign = [
      { listId: await listRow(db, other) },
      { connectionId: await connectionRow(db, other) },
      { attachmentId: await imageRow(db, other) },
    ];
    const absent = [{ listId: 999_999 }, { connectionId: 999_999 }, { attachmentId: 999_999 }];
    for (const [i, over] of foreign.entries()) {
      const theirs = await post<ErrorAnswer>(form(over));
      expect(theirs).toMatchObject({ status: 404, body: { details: { field: Object.keys(over)[0] } } });
      expect(theirs.body).toEqual((await post<ErrorAnswer>(form(absent[i]))).body);
    }
    expect(await campaigns()).toEqual([]);
  });

  test("T18 fields that a form does not have are refused (no mass assignment)", async () => {
    const { status, body } = await post<ErrorAnswer>(form({ status: "ended", accountId: account, total: 5 }));
    expect(status).toBe(422);
    expect(Object.keys(body.fields ?? {}).sort()).toEqual(["accountId", "status", "total"]);
  });

  test("a nonce that is taken is drawn again", async () => {
    draws = [7];
    await post(form());
    draws = [7, 7, 8];
    expect((await post(form())).status).toBe(201);
    const { rows } = await sql<{
      nonce: number;
    }>`select nonce from campaign where account_id = ${account}::uuid order by id`.execute(db);
    expect(rows.map((row) => row.nonce)).toEqual([7, 8]);
  });
});

describe("F22 the server was off at the scheduled time", () => {
  test.each([
    ["not yet", -60, { status: "scheduled", late: false, cause: null }],
    ["a moment later", 5, { status: "sending", late: false, cause: null }],
    ["an hour later: sent, and marked late", 3600, { status: "sending", late: true, cause: null }],
    ["just within two hours", 7190, { status: "sending", late: true, cause: null }],
    [
      "more than two hours later: not sent by itself",
      7210,
      { status: "paused", late: false, cause: "missed" },
    ],
  ])("F22 %s", async (_, seconds, expected) => {
    const { body } = await post(form({ schedule: at("2026-11-27T08:00") }));
    await sql`update campaign set scheduled_at = now() - ${seconds} * interval '1 second' where id = ${body.id}`.execute(
      db,
    );
    await startDue(db);
    expect((await api(account)<Campaign>("GET", `/api/campaigns/${body.id}`)).body).toMatchObject(expected);
  });
});

describe("F27 the same form sent again", () => {
  test("F27 20 parallel POSTs make one campaign", async () => {
    const body = form({ idempotencyKey: "form-1" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await campaigns()).toHaveLength(1);
  });

  test("F27 another body under the same key is refused", async () => {
    await post(form({ idempotencyKey: "form-1" }));
    const { status, body } = await post<ErrorAnswer>(form({ idempotencyKey: "form-1", text: "Outro" }));
    expect([status, body.code]).toEqual([409, "idempotency_mismatch"]);
    expect(await campaigns()).toHaveLength(1);
  });

  test("is known by the hash it had before a field existed that it does not use", async () => {
    const body = form({ idempotencyKey: "form-1" });
    await post(body);
    const { idempotencyKey: _, leaveHint: __, moreAttachmentIds: ___, ...before } = CampaignInput.parse(body);
    const { rows } = await sql<{ hash: Buffer }>`select idempotency_hash as hash from campaign
      where account_id = ${account}::uuid`.execute(db);
    expect(rows[0]?.hash).toEqual(createHash("sha256").update(JSON.stringify(before)).digest());
    expect((await post<ErrorAnswer>({ ...body, leaveHint: true })).body.code).toBe("idempotency_mismatch");
  });

  test("F27 a retry after its hour has passed, or its list is gone, still answers the campaign", async () => {
    const body = form({ idempotencyKey: "form-1", schedule: at("2026-11-19T14:06") });
    const first = await post(body);
    await sql`delete from contact_list where id = ${listId}`.execute(db);
    expect((await post(body)).body.id).toBe(first.body.id);
  });

  test("F27 after 24 hours the key is free again; other accounts never share it", async () => {
    const first = await post(form({ idempotencyKey: "form-1" }));
    await sql`update campaign set idempotency_at = now() - interval '25 hours' where id = ${first.body.id}`.execute(
      db,
    );
    const second = await post(form({ idempotencyKey: "form-1", text: "Outro" }));
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    await sql`update campaign set idempotency_at = now() - interval '25 hours' where id = ${second.body.id}`.execute(
      db,
    );
    const { body: draft } = await post(form({ intent: "draft" }));
    expect((await put(draft.id, form({ idempotencyKey: "form-1" }))).status).toBe(200);
    const other = await accountRow(db);
    const theirs = await api(other)<Campaign>("POST", "/api/campaigns", {
      name: "A",
      intent: "draft",
      idempotencyKey: "form-1",
    });
    expect(theirs.status).toBe(201);
  });

  test("F27 «Criar Campanha» of a draft, pressed twice, is no error", async () => {
    const { body: draft } = await post(form({ intent: "draft", idempotencyKey: "form-1" }));
    const body = form({ idempotencyKey: "form-2" });
    const answers = await Promise.all([put(draft.id, body), put(draft.id, body), put(draft.id, body)]);
    expect(answers.map((answer) => [answer.status, answer.body.id])).toEqual(Array(3).fill([200, draft.id]));
    expect(await campaigns()).toEqual([{ id: draft.id, status: "starting" }]);
    const another = await post(form({ intent: "draft" }));
    const mixed = await put<ErrorAnswer>(another.body.id, body);
    expect([mixed.status, mixed.body.code]).toEqual([409, "idempotency_mismatch"]);
  });
});

test("a list that is deleted while the campaign is saved answers like one that is missing", async () => {
  const deleted = async (save: () => Promise<{ status: number; body: ErrorAnswer }>) => {
    const list = await listRow(db, account);
    const answer = await unhurried(db, async (tx) => {
      await sql`delete from contact_list where id = ${list}`.execute(tx);
      listId = list;
      const saving = save();
      await expect.poll(() => waiting(db)).toBeGreaterThan(0);
      return { saving };
    });
    const { status, body } = await answer.saving;
    expect([status, body.code]).toEqual([404, "not_found"]);
  };
  await deleted(() => post<ErrorAnswer>(form()));
  const { body: draft } = await post({ name: "Natal", intent: "draft" });
  await deleted(() => put<ErrorAnswer>(draft.id, form()));
  expect((await campaigns()).map(({ status }) => status)).toEqual(["draft"]);
});

test("a start and a change at the same moment: either the change was first, or it is refused; never half of both", async () => {
  for (let round = 0; round < 20; round += 1) {
    const { body: scheduled } = await post(form({ text: "antes", schedule: at("2026-11-27T08:00") }));
    const start =
      sql`update campaign set status = 'starting' where id = ${scheduled.id} and status = 'scheduled'`.execute(
        db,
      );
    const [change] = await Promise.all([
      put(scheduled.id, form({ text: "depois", schedule: at("2026-11-27T09:00") })),
      start,
    ]);
    const { rows } = await sql<{
      status: string;
      text: string;
    }>`select status, text from campaign where id = ${scheduled.id}`.execute(db);
    const refused = change.status === 409;
    expect(rows).toEqual([{ status: "starting", text: refused ? "antes" : "depois" }]);
  }
});

describe("the seconds before a start", () => {
  const waits = testApi(db, (app) =>
    mountCampaigns(
      app,
      new CampaignService({
        clock: { now: () => now },
        changes: { mark: () => undefined },
        random32: () => randomInt(2 ** 32),
        undoSeconds: 15,
      }),
    ),
  );
  const create = (body: object = form()) => waits(account)<Campaign>("POST", "/api/campaigns", body);
  const undo = (id: number) =>
    waits(account)<Campaign & ErrorAnswer>("POST", `/api/campaigns/${id}/undo-start`);
  const passes = (id: number) =>
    sql`update campaign set scheduled_at = now() - interval '1 second' where id = ${id}`.execute(db);

  test("nothing is frozen or handed out in them, and «Desfazer» makes it a draft again", async () => {
    const { body: made } = await create();
    expect(made).toMatchObject({
      status: "scheduled",
      schedule: { kind: "now" },
      actions: ["undo", "cancel"],
    });
    expect(Date.parse(made.scheduledAt ?? "") - Date.parse(made.updatedAt)).toBe(15_000);
    await startDue(db);
    await startAll();
    expect(await campaigns()).toEqual([{ id: made.id, status: "scheduled" }]);
    expect((await undo(made.id)).body).toMatchObject({ status: "draft", scheduledAt: null });
    await passes(made.id);
    await startDue(db);
    await startAll();
    expect(await campaigns()).toEqual([{ id: made.id, status: "draft" }]);
  });

  test("after them it starts by itself, and can be taken back no more", async () => {
    const { body: made } = await create();
    await passes(made.id);
    await startDue(db);
    await startAll();
    expect(await campaigns()).toEqual([{ id: made.id, status: "sending" }]);
    const { status, body } = await undo(made.id);
    expect([status, body.code]).toEqual([409, "campaign_wrong_state"]);
  });

  test("an account that chose none waits as the installation says, another as it chose", async () => {
    await sql`update account set undo_seconds = 0 where id = ${account}::uuid`.execute(db);
    expect((await create()).body).toMatchObject({ status: "sending", actions: ["pause", "cancel"] });
    await sql`update account set undo_seconds = 60 where id = ${account}::uuid`.execute(db);
    const { body: made } = await create(form({ name: "Outra" }));
    expect(Date.parse(made.scheduledAt ?? "") - Date.parse(made.updatedAt)).toBe(60_000);
  });

  test("a campaign with a time of its own is not undone but edited", async () => {
    const { body: made } = await create(form({ schedule: at("2026-11-27T08:00") }));
    expect(made.actions).toEqual(["edit", "cancel"]);
    expect((await undo(made.id)).status).toBe(409);
  });

  test("what would stop the start is said before them", async () => {
    const empty = await listRow(db, account, 0);
    expect((await create(form({ listId: empty }))).status).toBe(422);
    expect(await campaigns()).toEqual([]);
  });
});
