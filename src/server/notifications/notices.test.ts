import { sql } from "kysely";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  accountRow,
  campaignRow,
  connectionRow,
  imageRow,
  listRow,
} from "../../../tests/support/campaign-rows.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import { ENGLISH_DELIVERIES } from "../../contract/delivery-names.ts";
import { systemClock } from "../base/clock.ts";
import { setServiceOpen } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";
import { lookForNotices } from "./notices.ts";
import { pruneSeen } from "./notices-repo.ts";
import { changePreferences } from "./preferences.ts";

const { db } = await testDatabase();
await openServices(db);
const look = () => lookForNotices({ db, clock: systemClock, url: "https://recado.exemplo.com.br" });

beforeEach(async () => {
  await sql`truncate account cascade`.execute(db);
  await pruneSeen(db);
});

async function emails(account: string) {
  const { rows } = await sql<{ kind: string; subject: string; body: string }>`
    select kind, subject, body from mail where account_id = ${account} order by id`.execute(db);
  return rows;
}

const wants = (account: string, change: Parameters<typeof changePreferences>[1]) =>
  changePreferences(ownerOf(db, account), change, new Date());

test("a campaign's end is reported once, with figures and address @decision 16", async () => {
  const account = await accountRow(db);
  const id = await campaignRow(db, account, {
    name: "Black\n Friday",
    people: { read: 1_000, delivered: 200, sent: 34, skipped: 5 },
  });
  await look();
  await look();
  const mails = await emails(account);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({
    kind: "campaign_completed",
    subject: "Campanha «Black Friday» concluída",
  });
  expect(mails[0]?.body).toContain("Total: 1.239\nEnviados: 1.234\nErros: 0\nA verificar: 0\nIgnorados: 5");
  expect(mails[0]?.body).toMatch(/ terminou em \d\d\/\d\d\/\d{4}, \d\d:\d\d\.\n/);
  expect(mails[0]?.body).toContain(`https://recado.exemplo.com.br/campaigns?detalhes=${id}`);
});

test("in English for English readers, with their figures and times", async () => {
  const account = await accountRow(db);
  await sql`update account set language = 'en'`.execute(db);
  await campaignRow(db, account, { people: { sent: 1_234, error: 1, uncertain: 1 } });
  await look();
  const [email] = await emails(account);
  expect(email?.subject).toBe("Campaign “Campanha” completed with failures");
  const { uncertain, skipped } = ENGLISH_DELIVERIES.names;
  expect(email?.body).toContain(`Total: 1,236\nSent: 1,234\nErrors: 1\n${uncertain}: 1\n${skipped}: 0`);
  expect(email?.body).toMatch(/ ended on \d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d\.\n/);
  expect(email?.body).not.toMatch(/Enviados|Configurações/);
});

test.each([
  ["both boxes: one e-mail, with the failures in it", {}, ["campaign_completed"]],
  ["only the box of issues", { emailCampaignCompleted: false }, ["delivery_issues"]],
  ["only the box of ends", { emailDeliveryIssues: false }, ["campaign_completed"]],
  ["neither", { emailCampaignCompleted: false, emailDeliveryIssues: false }, []],
] as const)("a campaign that ended with failures; %s", async (_name, change, kinds) => {
  const account = await accountRow(db);
  await wants(account, change);
  await campaignRow(db, account, { people: { sent: 1, uncertain: 1 } });
  await look();
  expect((await emails(account)).map(({ kind }) => kind)).toEqual(kinds);
});

test.each([
  ["pt-BR", "Campanha «Natal» falhou", "Nenhuma mensagem foi enviada."],
  ["en", "Campaign “Natal” failed", "No message was sent."],
] as const)(
  "a campaign that reached no one is reported as failed, as on its card: %s",
  async (language, subject, text) => {
    const account = await accountRow(db);
    await sql`update account set language = ${language}`.execute(db);
    await campaignRow(db, account, { name: "Natal", people: { error: 2, skipped: 1 } });
    await look();
    const [email] = await emails(account);
    expect(email?.subject).toBe(subject);
    expect(email?.body).toContain(text);
  },
);

test("an end without failures is no issue", async () => {
  const account = await accountRow(db);
  await wants(account, { emailCampaignCompleted: false });
  await campaignRow(db, account, { people: { sent: 1 } });
  await look();
  expect(await emails(account)).toEqual([]);
});

test("ends long before e-mails were configured are not reported; ends during downtime are", async () => {
  const account = await accountRow(db);
  const old = await campaignRow(db, account, { people: { sent: 1 } });
  await sql`update campaign set ended_at = now() - interval '1 day' where id = ${old}`.execute(db);
  await look();
  expect(await emails(account)).toEqual([]);
  await sql`update setting set value = to_jsonb(now() - interval '3 hours') where key = 'notices_seen'`.execute(
    db,
  );
  const missed = await campaignRow(db, account, { people: { sent: 1 } });
  await sql`update campaign set ended_at = now() - interval '2 hours' where id = ${missed}`.execute(db);
  await look();
  expect(await emails(account)).toHaveLength(1);
});

test("after the database's clock was set back ends are still reported", async () => {
  const account = await accountRow(db);
  await look();
  await sql`update setting set value = to_jsonb(now() + interval '1 hour') where key = 'notices_seen'`.execute(
    db,
  );
  await look();
  await campaignRow(db, account, { people: { sent: 1 } });
  await look();
  expect(await emails(account)).toHaveLength(1);
});

test("a reported end is not repeated when another box is ticked", async () => {
  const account = await accountRow(db);
  await campaignRow(db, account, { people: { sent: 1, error: 1 } });
  await look();
  await sql`update mail set sent_at = now()`.execute(db);
  await wants(account, { emailCampaignCompleted: false });
  await look();
  expect(await emails(account)).toHaveLength(1);
});

test("a campaign that the product stopped is reported with its cause, a manual pause is not", async () => {
  const account = await accountRow(db);
  const listId = await listRow(db, account, 3);
  await campaignRow(db, account, { status: "paused", cause: "user", people: { pending: 2 } });
  await campaignRow(db, account, {
    status: "paused",
    cause: "limit",
    name: "Natal",
    people: { sent: 1, pending: 1, waiting: 1 },
  });
  const missed = await campaignRow(db, account, { status: "paused", cause: "missed", listId });
  await sql`update campaign set started_at = null where id = ${missed}`.execute(db);
  await look();
  await look();
  const mails = await emails(account);
  expect(mails.map(({ kind, subject }) => [kind, subject])).toEqual([
    ["delivery_issues", "Campanha «Natal» parada"],
    ["delivery_issues", "Campanha «Campanha» parada"],
  ]);
  expect(mails[0]?.body).toContain("limite de mensagens deste mês");
  // A waiting person in doubt may have received it.
  expect(mails[0]?.body).toContain("Faltam: 2.");
  expect(mails[0]?.body).not.toContain("não receberam");
  expect(mails[1]?.body).toContain("Faltam: 3.");
});

test("a resend that stopped before it began does not claim its whole list as waiting", async () => {
  const account = await accountRow(db);
  const listId = await listRow(db, account, 500);
  const failed = await campaignRow(db, account, { listId, people: { sent: 497, error: 3 } });
  const status = { status: "paused", cause: "no_default_connection" } as const;
  const resend = await campaignRow(db, account, { ...status, name: "Natal (reenvio)", listId });
  await sql`update campaign set started_at = null, resends_id = ${failed} where id = ${resend}`.execute(db);
  await look();
  const [stopped] = (await emails(account)).filter(({ kind }) => kind === "delivery_issues");
  expect(stopped?.subject).toBe("Campanha «Natal (reenvio)» parada");
  expect(stopped?.body).not.toMatch(/Faltam|500/);
});

test("a connection that needs a person is reported at once, a drop only while a campaign waits long", async () => {
  const account = await accountRow(db);
  const down = async (name: string, cause: string, minutes: number) => {
    const id = await connectionRow(db, account, "disconnected", name);
    await sql`update connection set state_reason = ${cause}, state_since = now() - ${minutes} * interval '1 minute'
      where id = ${id}`.execute(db);
    return id;
  };
  await down("Loja", "logged_out", 0);
  await down("Quieta", "network", 30);
  const busy = await down("Matriz", "network", 11);
  const brief = await down("Filial", "network", 9);
  // Not reported: one preceded e-mails, the other was disconnected by its user.
  await down("Antiga", "logged_out", 24 * 60);
  const left = await down("Deixada", "logged_out", 0);
  await sql`update connection set desired = 'disconnected' where id = ${left}`.execute(db);
  for (const connectionId of [busy, brief])
    await campaignRow(db, account, { status: "sending", connectionId, people: { pending: 1 } });
  await look();
  await look();
  const mails = await emails(account);
  expect(mails.map(({ subject }) => subject)).toEqual([
    "A conexão Loja precisa de atenção",
    "A conexão Matriz precisa de atenção",
  ]);
  expect(mails[0]?.body).toContain("foi desconectada no celular");
  expect(mails[1]?.body).toContain("Uma campanha espera por ela e continua sozinha");
});

test("a number that delivers nothing is reported when a campaign waits long, as its card says", async () => {
  const account = await accountRow(db);
  const hindered = async (name: string, cause: string, minutes: number) => {
    const id = await connectionRow(db, account, "connected", name);
    await sql`update connection set state_reason = ${cause}, state_since = now() - ${minutes} * interval '1 minute'
      where id = ${id}`.execute(db);
    return id;
  };
  await hindered("Quieta", "timelocked", 30);
  for (const [name, cause, minutes, image] of [
    ["Matriz", "timelocked", 11, false],
    ["Filial", "timelocked", 9, false],
    ["Recusada", "devices_refused", 11, false],
    ["Só texto", "upload_failed", 11, false],
    ["Com foto", "upload_failed", 11, true],
  ] as const) {
    const connectionId = await hindered(name, cause, minutes);
    const id = await campaignRow(db, account, { status: "sending", connectionId, people: { pending: 1 } });
    if (image)
      await sql`update campaign set attachment_id = ${await imageRow(db, account)} where id = ${id}`.execute(
        db,
      );
  }
  await look();
  await look();
  const mails = await emails(account);
  expect(mails.map(({ subject }) => subject)).toEqual(
    ["Matriz", "Recusada", "Com foto"].map((name) => `A conexão ${name} precisa de atenção`),
  );
  expect(mails[0]?.body).toContain("A conexão Matriz teve novas conversas bloqueadas pelo WhatsApp (desde ");
  expect(mails[1]?.body).toContain("A conexão Recusada tem as mensagens recusadas pelo WhatsApp (desde ");
  expect(mails[2]?.body).toContain("A conexão Com foto não consegue levar as imagens ao WhatsApp (desde ");
  for (const { body } of mails)
    expect(body).toContain("Uma campanha espera por ela e continua sozinha assim que for possível.");
});

test("an instance that needs a person is reported at once, with its server's message", async () => {
  const account = await accountRow(db);
  const causes = {
    gone: "não existe mais no seu servidor",
    wrong_key: "teve a chave de API recusada pelo seu servidor",
    license_required: "espera pela licença do seu servidor",
    withdrawn: "o administrador o retirou",
  };
  for (const cause of Object.keys(causes)) {
    const id = await connectionRow(db, account, "disconnected", cause);
    await sql`update connection set kind = 'instance', state_reason = ${cause}, state_since = now() where id = ${id}`.execute(
      db,
    );
  }
  await look();
  const mails = await emails(account);
  for (const [cause, words] of Object.entries(causes)) {
    const email = mails.find(({ subject }) => subject === `A conexão ${cause} precisa de atenção`);
    expect(email?.body, cause).toContain(words);
  }
});

test("a box that is unticked also stops the e-mails that still wait @decision 16", async () => {
  const account = await accountRow(db);
  await campaignRow(db, account, { people: { sent: 1 } });
  await look();
  await wants(account, { emailCampaignCompleted: false });
  expect(await emails(account)).toEqual([]);
});

test("a deleted account gets no notices", async () => {
  const account = await accountRow(db);
  await campaignRow(db, account, { people: { sent: 1 } });
  await sql`update account set removed_at = now()`.execute(db);
  await look();
  expect(await emails(account)).toEqual([]);
});

test("27.6 notices by the operator's mail go to accounts that it is open to, and to no others", async () => {
  await openServices(db, { mail: "named" });
  onTestFinished(() => openServices(db));
  const [named, other] = [await accountRow(db), await accountRow(db)];
  await setServiceOpen(ownerOf(db, named), "mail", true);
  for (const account of [named, other]) {
    await campaignRow(db, account, { people: { sent: 1 } });
    await connectionRow(db, account);
    await sql`update connection set state = 'disconnected', state_reason = 'banned' where account_id = ${account}`.execute(
      db,
    );
  }
  await look();
  expect((await emails(named)).length).toBeGreaterThan(0);
  expect(await emails(other)).toEqual([]);
});
