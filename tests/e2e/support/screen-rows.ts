import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../../src/server/db/client.ts";
import { campaignRow, listRow } from "../../support/campaign-rows.ts";
import { sentRow } from "../../support/chat-rows.ts";
import { someTalks } from "./talks.ts";

/** An account with a little of everything that screens show; answers the campaign that has failures. */
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
  const sending = { life: "sending", people: { delivered: 210, read: 120, pending: 150 } };
  await campaignRow(db, account, { ...sending, name: "Black Friday", connectionId, listId });
  await campaignRow(db, account, {
    ...sending,
    name: "Semana do cliente na unidade da Savassi e arredores",
    connectionId: away,
  });
  await campaignRow(db, account, { name: "Rascunho de Natal", life: "draft", text: "", listId });
  await campaignRow(db, account, { name: "Desistida", life: "cancelled", people: { skipped: 4 } });
  await campaignRow(db, account, {
    name: "Volta às aulas",
    life: "scheduled",
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
