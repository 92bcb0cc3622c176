import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../../src/server/db/client.ts";
import { campaignRow, listRow } from "../../support/campaign-rows.ts";
import { sentRow } from "../../support/chat-rows.ts";
import { accountOf, heldConnection } from "./product-rows.ts";
import { someTalks, talk } from "./talks.ts";

export async function seedWorkingAccount(db: Db, page: Page, url: string, email: string): Promise<number> {
  const { account, connectionId, away, ana, bruno } = await someTalks(db, email);
  const listId = await listRow(db, account, 480, "Clientes Savassi");
  await listRow(db, account, 3, "Óticas de Belo Horizonte, Contagem, Betim e região metropolitana");
  await sql`insert into opt_out (account_id, phone, source, connection_id, text)
    select account_id, phone, 'reply', connection_id, 'Sair.' from chat where id = ${bruno}`.execute(db);
  for (const status of [0, 4, 5, 6, 7, 8])
    await sentRow(db, ana, {
      text: `estado ${status}`,
      status,
      ...(status === 5 ? { error: "not_on_whatsapp" } : {}),
    });
  const failed = await seedCampaigns(db, { account, connectionId, away, listId });
  await sql`update account set monthly_limit = 2000 where id = ${account}::uuid`.execute(db);
  for (const name of ["Sistema de pedidos", "Painel"]) {
    const made = await page.request.post(`${url}/api/settings/api-keys`, { data: { name } });
    expect(made.status()).toBe(201);
  }
  return failed;
}

type Place = { account: string; connectionId: number; away: number; listId: number };

async function seedCampaigns(db: Db, { account, connectionId, away, listId }: Place): Promise<number> {
  const sending = { status: "sending", people: { delivered: 210, read: 120, pending: 150 } };
  await campaignRow(db, account, { ...sending, name: "Black Friday", connectionId, listId });
  await campaignRow(db, account, {
    ...sending,
    name: "Semana do cliente na unidade da Savassi e arredores",
    connectionId: away,
  });
  await campaignRow(db, account, { name: "Rascunho de Natal", status: "draft", text: "", listId });
  await campaignRow(db, account, { name: "Desistida", status: "cancelled", people: { skipped: 4 } });
  await campaignRow(db, account, {
    name: "Volta às aulas",
    status: "scheduled",
    listId,
    scheduledAt: new Date(Date.now() + 30 * 86_400_000),
  });
  const failed = await campaignRow(db, account, {
    name: "Óculos prontos",
    connectionId,
    listId,
    people: { sent: 20, delivered: 30, read: 440, error: 5, uncertain: 2, skipped: 1 },
  });
  await sql`insert into campaign_day (campaign_id, day, accepted, failed, delivered)
    select ${failed}, (now() at time zone 'America/Sao_Paulo')::date - n, 40 + n * 37 % 90, n % 3, 30 + n * 29 % 60
    from generate_series(0, 20) n`.execute(db);
  return failed;
}

export async function seedLongNames(db: Db, email: string): Promise<void> {
  const account = await accountOf(db, email);
  const long =
    "Acompanhamento personalizado pós-venda dos clientes responsáveis pelo estabelecimento comercial";
  const connectionId = await heldConnection(db, account, "connected", long.slice(0, 60));
  const people = { read: 3, error: 2 };
  const text = `${long}. ${long}.`;
  const id = await campaignRow(db, account, { name: long, text, people, connectionId });
  await sql`update campaign set total = 1250000, read_count = 1240000, error_count = 9998, uncertain_count = 2
    where id = ${id}`.execute(db);
  await sql`update delivery set name = ${long} where campaign_id = ${id} and seq = 0`.execute(db);
  const list = sql`(select id from contact_list where account_id = ${account}::uuid and name like 'Óticas de %')`;
  await sql`update contact_list set name = ${long} where id = ${list}`.execute(db);
  await sql`update contact set name = ${long} where list_id = (
    select id from contact_list where account_id = ${account}::uuid and name = ${long}) and seq = 0`.execute(
    db,
  );
  const said = { name: long, phone: 5_531_900_000_003, texts: [text], endedMinutesAgo: 600, unread: 1200 };
  await talk(db, { account, connectionId }, said);
}
