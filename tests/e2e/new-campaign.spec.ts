import { expect, type Page } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import { listRow } from "../support/campaign-rows.ts";
import { confirmLook, createCampaign, lastLook } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

async function openForm(page: Page, db: Db) {
  const account = await accountOf(db, await signUpUnseen(page));
  await heldConnection(db, account, "connected", "Matriz – Centro");
  await listRow(db, account, 480, "Clientes VIP");
  await page.goto("/campaigns/new");
  await expect(page.getByRole("heading", { level: 1, name: "Nova Campanha" })).toBeVisible();
  return { account };
}

const name = (page: Page) => page.getByLabel("Nome da campanha");
const text = (page: Page) => page.getByRole("textbox", { name: "Texto" });
const list = (page: Page) => page.getByLabel("Lista de contatos");
const date = (page: Page) => page.getByLabel("Data", { exact: true });
const time = (page: Page) => page.getByLabel("Hora", { exact: true });
const create = (page: Page) => page.getByRole("button", { name: "Criar Campanha" });
const card = (page: Page, title: string) => page.getByRole("article", { name: title, exact: true });

async function fill(page: Page, title = "Black Friday") {
  await name(page).fill(title);
  await text(page).fill("Oi, {nome}! *40%* até domingo.");
  await list(page).selectOption("Clientes VIP (480)");
}

async function campaignsOf(db: Db, account: string) {
  const { rows: found } = await sql<{ name: string; status: string; scheduled_at: Date | null }>`
    select name, status, scheduled_at from campaign where account_id = ${account}::uuid`.execute(db);
  return found;
}

test("a scheduled campaign goes out at the wall time of the account's zone, and can be changed @spec 1.1,2.46,4.5,9.4 @decision 12", async ({
  page,
  db,
}) => {
  const { account } = await openForm(page, db);
  await fill(page, "Natal antecipado");
  await page.getByText("Agendado", { exact: true }).click();
  await expect(page.getByText("Horário de Brasília")).toBeVisible();
  const wall = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const [year, month, day] = wall.split("-");
  await date(page).fill(wall);
  await time(page).fill("08:00");
  await expect(page.getByText("480 mensagens, cerca de 8 horas.")).toBeVisible();
  await expect(
    page.getByText(new RegExp(`^Começa .+, ${day}/${month}, às 08:00 e termina às 16:00\\.`)),
  ).toBeVisible();
  await createCampaign(page);
  await expect(
    page.getByText(new RegExp(`Campanha agendada para .+, ${day}/${month}, às 08:00`)),
  ).toBeVisible();
  const [stored] = await campaignsOf(db, account);
  expect(stored).toMatchObject({
    status: "scheduled",
    scheduled_at: new Date(`${wall}T11:00:00.000Z`),
  });

  await heldConnection(db, account, "connected", "Unidade Savassi");
  await page.goto("/campaigns/new");
  await fill(page, "Ano novo");
  await page.getByText("Agendado", { exact: true }).click();
  await date(page).fill(wall);
  await time(page).fill("07:00");
  await expect(
    page.getByText(/às 07:00 e, se nenhuma outra usar a conexão, termina às 15:00\./).first(),
  ).toBeVisible();
  await page.goto("/campaigns");

  const scheduled = card(page, "Natal antecipado");
  await expect(scheduled).toContainText(`${day}/${month}/${year} 08:00, horário de Brasília`);
  await scheduled.getByRole("link", { name: "Editar" }).click();
  await expect(date(page)).toHaveValue(`${day}/${month}/${year}`);
  await time(page).fill("09:30");
  await page.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(lastLook(page)).toContainText(`${day}/${month}, às 09:30`);
  await confirmLook(page);
  await expect(card(page, "Natal antecipado")).toContainText(`${day}/${month}/${year} 09:30`);
  await card(page, "Natal antecipado").getByRole("link", { name: "Editar" }).click();
  await page.getByRole("button", { name: "Transformar em rascunho" }).click();
  await expect(card(page, "Natal antecipado")).toContainText("Rascunho");
  expect(await campaignsOf(db, account)).toHaveLength(1);
});

test("a lost answer and a second press make one campaign, and what was typed survives a reload", async ({
  page,
  db,
}) => {
  const { account } = await openForm(page, db);
  await fill(page, "Uma só");
  await page.route("**/api/campaigns", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await createCampaign(page);
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a campanha. Tente novamente.");
  await expect(text(page)).toHaveValue("Oi, {nome}! *40%* até domingo.");
  expect(await campaignsOf(db, account)).toHaveLength(1);
  await page.unrouteAll();

  await page.reload();
  await expect(page.getByText("Recuperamos o que você tinha escrito.")).toBeVisible();
  await expect(name(page)).toHaveValue("Uma só");
  await create(page).dblclick();
  await confirmLook(page);
  await expect(page).toHaveURL("/campaigns");
  expect(await campaignsOf(db, account)).toHaveLength(1);
  await page.goto("/campaigns/new");
  await expect(name(page)).toHaveValue("");
});
