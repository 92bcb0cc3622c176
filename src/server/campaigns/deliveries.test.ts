import { sql } from "kysely";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { testApi } from "../../../tests/support/api.ts";
import { accountRow, campaignRow, connectionRow } from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { Campaign, Delivery, DeliveryPage } from "../../contract/campaigns.ts";
import { SHOWN_DELIVERIES } from "../../domain/campaign.ts";
import { ownerOf } from "../db/owner.ts";
import { deliveriesPage, findDeliveries } from "./deliveries-repo.ts";
import { mountCampaigns } from "./routes.ts";
import { CampaignService } from "./service.ts";

const { db } = await testDatabase();
const marks: string[] = [];
const api = testApi(db, (app) =>
  mountCampaigns(
    app,
    new CampaignService({
      clock: { now: () => new Date() },
      changes: { mark: (_, topic) => marks.push(topic) },
      random32: () => 1,
    }),
  ),
);

let account = "";
let other = "";
let connectionId = 0;
beforeAll(async () => {
  account = await accountRow(db);
  other = await accountRow(db);
  connectionId = await connectionRow(db, account);
});

const page = async (id: number, query = "") =>
  (await api(account)<DeliveryPage>("GET", `/api/campaigns/${id}/deliveries${query}`)).body;

async function allPages(id: number, query: string): Promise<number[]> {
  const seqs: number[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const { items, next }: DeliveryPage = await page(id, `?${query}&after=${after}`);
    seqs.push(...items.map((item) => item.seq));
    after = next;
  }
  return seqs;
}

describe("people of a campaign", () => {
  let id = 0;
  beforeAll(async () => {
    const people = {
      read: 2,
      delivered: 1,
      sent: 2,
      error: 2,
      uncertain: 1,
      skipped: 1,
      waiting: 2,
      sending: 1,
      pending: 5,
    };
    id = await campaignRow(db, account, { status: "sending", connectionId, people });
    await sql`update delivery set name = 'João d''Ávila 100%' where campaign_id = ${id} and seq = 3`.execute(
      db,
    );
  });

  test("come in the list's order, page by page, none twice and none left out @spec 7.7", async () => {
    expect(await allPages(id, "limit=4")).toEqual(Array.from({ length: 17 }, (_, seq) => seq));
    expect((await page(id, "?after=14")).items.map((item) => item.seq)).toEqual([15, 16]);
    expect((await page(id, "?limit=17")).next).toBeNull();
  });

  test("by status; counts agree with the campaign's", async () => {
    const found = new Map<string, number[]>();
    for (const status of SHOWN_DELIVERIES) found.set(status, await allPages(id, `status=${status}&limit=2`));
    expect(Object.fromEntries(found)).toEqual({
      read: [0, 1],
      accepted: [],
      delivered: [2],
      sent: [3, 4],
      error: [5, 6],
      uncertain: [7],
      skipped: [8],
      pending: [9, 10, 12, 13, 14, 15, 16],
      sending: [11],
    });
    const { counts } = (await api(account)<Campaign>("GET", `/api/campaigns/${id}`)).body;
    expect(counts.remaining).toBe(8);
    expect(counts.sent).toBe(5);
  });

  test.each([
    ["name, whatever its case and accents", "JOAO", [3]],
    ["% means itself", "100%", [3]],
    ["_ means itself", "Pessoa_", []],
    ["a quote", "d'ávila", [3]],
    ["part of a phone", "900000016", [16]],
    ["a phone as people write it", "+55 (11) 90000-0016", [16]],
    ["nothing found", "Zenaide", []],
  ])("search: %s", async (_, words, seqs) => {
    expect((await page(id, `?search=${encodeURIComponent(words)}`)).items.map((item) => item.seq)).toEqual(
      seqs,
    );
  });

  test("search within a status", async () => {
    expect((await page(id, "?status=error&search=Pessoa")).items.map((item) => item.seq)).toEqual([5, 6]);
  });

  test("say contact, status, date, tries, and why in words @spec 2.40,3.4,7.8", async () => {
    const { items } = await page(id, "?status=error&limit=1");
    expect(items[0]).toMatchObject({
      name: "Pessoa 5",
      phone: "5511900000005",
      status: "error",
      reason: "not_on_whatsapp",
      error: "Falha ao enviar mensagem para 5511900000005: este número não tem WhatsApp",
    });
    expect(items[0]?.at).not.toBeNull();
    const doubt = (await page(id, "?status=uncertain")).items[0];
    expect(doubt?.error).toBe("o WhatsApp não confirmou este envio");
    expect((await page(id, "?status=pending&after=11&limit=1")).items[0]).toMatchObject({
      at: null,
      error: null,
      tries: 0,
    });
  });

  test.each([
    "?limit=0",
    "?limit=501",
    "?limit=x",
    "?after=-2",
    "?after=1.5",
    "?after=",
    "?after=%20",
    "?limit=",
    "?status=lido",
    `?search=${"a".repeat(201)}`,
  ])("bad query %s is refused", async (query) => {
    expect((await api(account)("GET", `/api/campaigns/${id}/deliveries${query}`)).status).toBe(422);
  });

  test("another account's campaign answers like a missing one", async () => {
    for (const path of ["deliveries", "deliveries.csv", "failures", "deliveries/7"]) {
      const theirs = await api(other)("GET", `/api/campaigns/${id}/${path}`);
      const missing = await api(other)("GET", `/api/campaigns/999999/${path}`);
      expect([theirs.status, theirs.body]).toEqual([404, missing.body]);
    }
  });
});

describe("files", () => {
  test("all people as CSV that Excel reads, without formulas", async () => {
    const id = await campaignRow(db, account, { people: { sent: 1, error: 1, skipped: 1 } });
    await sql`update delivery set name = '=1+1;"x"', at = '2026-11-18T12:30:00Z' where campaign_id = ${id} and seq = 0`.execute(
      db,
    );
    await sql`update delivery set at = null where campaign_id = ${id} and seq > 0`.execute(db);
    await sql`update delivery set error = 'duplicate' where campaign_id = ${id} and seq = 2`.execute(db);
    const { body, headers } = await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="Campanha_${id}_envios.csv"; filename*=UTF-8''Campanha_${id}_envios.csv`,
    );
    expect(body.split("\r\n")).toEqual([
      "\ufeffNome;Telefone;Status;Data do envio;Erro",
      `"'=1+1;""x""";55 11 90000-0000;Enviado;18/11/2026 09:30;`,
      "Pessoa 1;55 11 90000-0001;Erro;;Falha ao enviar mensagem para 5511900000001: este número não tem WhatsApp",
      "Pessoa 2;55 11 90000-0002;Ignorado (repetido);;número repetido nesta campanha",
      "",
    ]);
  });

  test("a person who was erased is called so, on the screen, in both files and in no search of digits", async () => {
    const id = await campaignRow(db, account, { people: { sent: 1, error: 1 } });
    await sql`update delivery set phone = -1 - seq, name = '' where campaign_id = ${id}`.execute(db);
    const { items } = await page(id);
    expect(items.map(({ name, phone }) => [name, phone])).toEqual([
      ["", ""],
      ["", ""],
    ]);
    const lines = (await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`)).body.split(
      "\r\n",
    );
    expect(lines[1]).toMatch(/^Pessoa apagada;;Enviado;/);
    const failures = await api(account)<string>("GET", `/api/campaigns/${id}/failures`);
    expect(failures.body).toBe(
      "Falha ao enviar mensagem para Pessoa apagada: este número não tem WhatsApp\n",
    );
    const found = await api(account)<{ items: unknown[] }>("GET", `/api/campaigns/${id}/deliveries?search=2`);
    expect(found.body.items).toEqual([]);
  });

  test("the values that messages held stand in a column for each variable, without formulas; who lacks one, or was erased, has none", async () => {
    const id = await campaignRow(db, account, { people: { sent: 2, skipped: 1 } });
    const variables = ["data", "constructor"].map((key) => ({ key, fallback: null, kind: "text" }));
    await sql`update campaign set variables = ${JSON.stringify(variables)}::jsonb where id = ${id}`.execute(
      db,
    );
    const values = { constructor: "=HYPERLINK(1)", data: '20/12; "quinta"', outro: "x" };
    await sql`update delivery set vars = ${JSON.stringify(values)}::jsonb where campaign_id = ${id} and seq = 0`.execute(
      db,
    );
    await sql`update delivery set vars = '{}' where campaign_id = ${id} and seq = 1`.execute(db);
    const { body } = await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`);
    const [head, ...lines] = body.split("\r\n");
    expect(head).toBe("\ufeffNome;Telefone;Status;Data do envio;Erro;data;constructor");
    expect(lines[0]).toMatch(/^Pessoa 0;.*;"20\/12; ""quinta""";'=HYPERLINK\(1\)$/);
    expect(lines[1]).toMatch(/^Pessoa 1;55 11 90000-0001;Enviado;[^;]*;;;$/);
    expect(lines[2]).toMatch(/^Pessoa 2;.*;;$/);
  });

  test("times are those of the screen, also where the campaign was planned in another zone", async () => {
    const id = await campaignRow(db, account, { zone: "America/Manaus", people: { sent: 1 } });
    await sql`update delivery set at = '2026-11-19T02:30:00Z' where campaign_id = ${id}`.execute(db);
    const { body } = await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`);
    expect(body.split("\r\n")[1]).toBe("Pessoa 0;55 11 90000-0000;Enviado;18/11/2026 23:30;");
  });

  test("a returned person who waits has no send date, in the file or the details", async () => {
    const id = await campaignRow(db, account, { people: { waiting: 1, sending: 1, error: 1 } });
    const { items } = await page(id);
    expect(items.map(({ status, at }) => [status, at !== null])).toEqual([
      ["pending", false],
      ["sending", false],
      ["error", true],
    ]);
    const { body } = await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`);
    expect(body.split("\r\n").slice(1, 3)).toEqual([
      "Pessoa 0;55 11 90000-0000;Pendente;;",
      "Pessoa 1;55 11 90000-0001;Enviando;;",
    ]);
  });

  test("a campaign larger than one batch is whole", async () => {
    const id = await campaignRow(db, account, { people: { sent: 2500, error: 2100 } });
    const file = await api(account)<string>("GET", `/api/campaigns/${id}/deliveries.csv`);
    expect(file.body.split("\r\n")).toHaveLength(4602);
    const failures = await api(account)<string>("GET", `/api/campaigns/${id}/failures`);
    expect(failures.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(failures.headers.get("content-disposition")).toContain(`_${id}_falhas.txt`);
    const lines = failures.body.split("\n");
    expect(lines).toHaveLength(2101);
    expect(lines[2099]).toBe("Falha ao enviar mensagem para 5511900004599: este número não tem WhatsApp");
  });
});

describe("doubts", () => {
  const act = (id: number, seq: number, action: string, who = account) =>
    api(who)<Delivery>("POST", `/api/campaigns/${id}/deliveries/${seq}/${action}`);

  test("are settled as sent, ignored or sent again; a second click finds them settled", async () => {
    const id = await campaignRow(db, account, { connectionId, people: { uncertain: 3 } });
    await sql`update campaign set cursor = total where id = ${id}`.execute(db);
    expect((await act(id, 0, "mark-sent")).body).toMatchObject({ seq: 0, status: "sent", error: null });
    expect((await act(id, 1, "ignore")).body).toMatchObject({
      status: "skipped",
      error: "ignorado por você",
    });
    const shownAt = async () => (await page(id)).items[2]?.at;
    const first = await shownAt();
    marks.length = 0;
    expect((await act(id, 2, `resend?at=${first}`)).body).toMatchObject({ status: "pending" });
    expect(marks).toEqual(["campaigns", "connections"]);
    for (const action of ["mark-sent", "ignore", "resend"])
      expect(await act(id, 0, action)).toMatchObject({
        status: 409,
        body: { details: { action: "mark_sent" } },
      });
    expect((await act(id, 1, "ignore")).body).toMatchObject({ details: { action: "ignore" } });
    expect((await act(id, 2, `resend?at=${first}`)).body).toMatchObject({ details: { action: "resend" } });
    const { body } = await api(account)<Campaign>("GET", `/api/campaigns/${id}`);
    expect(body.counts).toMatchObject({ total: 3, sent: 1, skipped: 1, remaining: 1, uncertain: 0 });
    await sql`update delivery set status = 4, at = now() where campaign_id = ${id} and seq = 2`.execute(db);
    await sql`update campaign set waiting_count = 0, uncertain_count = 1 where id = ${id}`.execute(db);
    for (const action of ["mark-sent", "ignore", "resend"])
      expect((await act(id, 2, `${action}?at=${first}`)).body).toEqual({
        code: "delivery_already_resolved",
        error: "Este envio já foi resolvido.",
      });
    expect((await act(id, 2, `resend?at=${await shownAt()}`)).body).toMatchObject({ status: "pending" });
  });

  test("GW01 what only the server accepted can be settled once WhatsApp's word is overdue, and not before", async () => {
    const id = await campaignRow(db, account, { connectionId, people: { accepted: 2 } });
    await sql`update delivery set at = now() - interval '16 minutes' where campaign_id = ${id} and seq = 0`.execute(
      db,
    );
    expect((await page(id, "?status=accepted")).items.map(({ resolvable }) => resolvable)).toEqual([
      true,
      false,
    ]);
    expect(await act(id, 1, "mark-sent")).toMatchObject({ status: 409, body: { code: "delivery_awaited" } });
    expect((await act(id, 0, "mark-sent")).body).toMatchObject({ status: "sent", resolvable: false });
    const { body } = await api(account)<Campaign>("GET", `/api/campaigns/${id}`);
    expect(body.counts).toMatchObject({ sent: 1, accepted: 1 });
  });

  test("a doubt marked as sent has the time of its attempt, not of the mark", async () => {
    const id = await campaignRow(db, account, { connectionId, people: { uncertain: 2 } });
    await sql`update campaign set cursor = total where id = ${id}`.execute(db);
    const tried = "2026-11-18T12:30:00.000Z";
    await sql`update delivery set at = ${tried} where campaign_id = ${id} and seq = 0`.execute(db);
    await sql`update delivery set at = null where campaign_id = ${id} and seq = 1`.execute(db);
    expect((await act(id, 0, "mark-sent")).body).toMatchObject({ status: "sent", at: tried });
    expect((await act(id, 1, "mark-sent")).body).toMatchObject({ status: "sent", at: expect.any(String) });
  });

  test("another account's or an unknown campaign answers 404", async () => {
    const id = await campaignRow(db, account, { connectionId, people: { uncertain: 1 } });
    expect((await act(id, 0, "ignore", other)).status).toBe(404);
    expect((await act(id, 5, "ignore")).status).toBe(404);
    expect((await act(id, -1, "ignore")).status).toBe(404);
    expect((await page(id, "?status=uncertain")).items).toHaveLength(1);
  });
});

describe("a hundred thousand people", () => {
  let id = 0;
  beforeAll(async () => {
    id = await campaignRow(db, account, { people: { read: 60_000, error: 5_000, sent: 35_000 } });
    await sql`analyze delivery`.execute(db);
  });

  test.each([
    ["the first page", { after: -1 }],
    ["a page in the middle", { after: 50_000 }],
    ["the last page", { after: 99_800 }],
    ["errors in the middle", { after: 62_000, status: "error" as const }],
    ["those read, by key", { after: 30_000, status: "read" as const }],
    ["pending ones, of which there are none", { after: -1, status: "pending" as const }],
  ])("%s reads by index, a page and no more", async (_, filter) => {
    const query = deliveriesPage(ownerOf(db, account), id, { limit: 100, ...filter });
    const { rows } = await sql<{
      "QUERY PLAN": string;
    }>`explain (analyze, costs off, timing off, summary off, buffers off) ${query}`.execute(db);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).not.toMatch(/Seq Scan on delivery/);
    const read = [...plan.matchAll(/ on delivery.*rows=(\d+)/g)].map((match) => Number(match[1]));
    expect(Math.max(0, ...read), plan).toBeLessThanOrEqual(101);
    expect(plan).not.toMatch(/Rows Removed by Filter: \d{4,}/);
  });

  test.each([
    ["words without a match", { search: "zebedeu" }],
    ["a state without people", { status: "delivered" as const }],
  ])("%s are looked for by index: the table is everybody's", async (_, filter) => {
    const before = await scans();
    const found = await findDeliveries(ownerOf(db, account), id, { after: -1, limit: 100, ...filter });
    expect(found).toHaveLength(0);
    const after = await scans();
    expect(after.whole).toBe(before.whole);
    expect(after.byIndex).toBeGreaterThan(before.byIndex);
  });

  /** Each backend reports its counts only when it closes. */
  async function scans(): Promise<{ byIndex: number; whole: number }> {
    await vi.waitFor(async () => {
      const others = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(
        db,
      );
      expect(others.rows).toHaveLength(0);
    }, 60_000);
    await sql`select pg_stat_force_next_flush()`.execute(db);
    const { rows } = await sql<{ byIndex: number; whole: number }>`
      select idx_scan::float8 as "byIndex", seq_scan::float8 as whole
      from pg_stat_user_tables where relname = 'delivery'`.execute(db);
    return rows[0] ?? { byIndex: 0, whole: 0 };
  }
});
