import { randomUUID } from "node:crypto";
import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function underWay(email: string, list: string): Promise<number> {
  const account = await accountOf(rows.db, email);
  const { rows: made } = await sql<{ id: number }>`insert into contact_import
      (account_id, list_name, file_name, state, spool, spool_folder, worker, lease_until, bytes_total, bytes_read)
    values (${account}::uuid, ${list}, 'clientes.csv', 'running', ${randomUUID()}, ${randomUUID()}, ${randomUUID()},
      now() + interval '5 minutes', 100, 50) returning id`.execute(rows.db);
  return made[0]?.id ?? 0;
}

const progress = (page: Page, list: string) => page.getByText(`Importando «${list}»: 50,0%`);

async function withImportUnderWay(page: Page) {
  const email = await signUpUnseen(page, product.url);
  const id = await underWay(email, "Clientes");
  await page.goto(`${product.url}/contacts`);
  await expect(progress(page, "Clientes")).toBeVisible();
  return { id, email };
}

async function reopen(page: Page, email: string): Promise<void> {
  await underWay(email, "Fornecedores");
  await page.reload();
  await expect(progress(page, "Fornecedores")).toBeVisible();
}

const ends = (id: number, how: ReturnType<typeof sql>) =>
  sql`update contact_import set ${how}, finished_at = now(), spool = null, worker = null, lease_until = null
    where id = ${id}`.execute(rows.db);

const contacts = (page: Page) => page.getByRole("main");

test("an import that failed behind a closed dialog is reported until read, also after a reload", async ({
  page,
}) => {
  const { id, email } = await withImportUnderWay(page);
  await ends(id, sql`state = 'failed', fault = 'import_unclosed_quote', fault_details = '{"line": 7}'`);
  const said = contacts(page).getByText(
    "A lista «Clientes» não foi importada. Aspas não fechadas na linha 7.",
  );
  await expect(said).toBeVisible();
  await page.reload();
  await expect(said).toBeVisible();
  await contacts(page).getByRole("button", { name: "Ver o que houve" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toContainText("Aspas não fechadas na linha 7.");
  await dialog.getByRole("button", { name: "Cancelar" }).click();
  await expect(dialog).toBeHidden();
  await expect(said).toHaveCount(0);
  await reopen(page, email);
  await expect(said).toHaveCount(0);
});

test("of one that ended well its refused rows are not lost with the window", async ({ page }) => {
  const { id } = await withImportUnderWay(page);
  await sql`insert into contact_import_row (import_id, row_number, kind, name, value, reason)
    values (${id}, 3, 'refused', 'Bia', '31 9', 'phone_too_short')`.execute(rows.db);
  await ends(id, sql`state = 'done', rows_read = 3, imported = 2, refused = 1, bytes_read = 100`);
  const said = contacts(page).getByText("Lista «Clientes» importada com 2 contatos e 1 linha recusada.");
  await expect(said).toBeVisible();
  await contacts(page).getByRole("button", { name: "Ver o que houve" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("region", { name: "Linhas recusadas" })).toContainText("31 9");
  await dialog.getByRole("button", { name: "Concluir" }).click();
  await expect(said).toHaveCount(0);
});

test("who wants to know no more says so", async ({ page }) => {
  const { id, email } = await withImportUnderWay(page);
  await ends(id, sql`state = 'done', rows_read = 2, refused = 2, bytes_read = 100`);
  const said = contacts(page).getByText("Nenhum contato de «Clientes» foi importado: 2 linhas recusadas.");
  await expect(said).toBeVisible();
  await contacts(page).getByRole("button", { name: "Fechar" }).press("Enter");
  await expect(said).toHaveCount(0);
  await expect(contacts(page)).toBeFocused();
  await reopen(page, email);
  await expect(said).toHaveCount(0);
});

test("of one whose refused rows are gone with its list no file of them is offered, and the report says why", async ({
  page,
}) => {
  const { id } = await withImportUnderWay(page);
  await ends(id, sql`state = 'done', rows_read = 2, imported = 1, refused = 1, ninth_added = 1`);
  await contacts(page).getByRole("button", { name: "Ver o que houve" }).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("As linhas recusadas não estão mais guardadas: foram apagadas com a lista, ou depois"),
  ).toBeVisible();
  await expect(dialog.getByText("nono dígito acrescentado")).toBeVisible();
  for (const gone of ["As primeiras 0 de", "Baixar linhas recusadas", "Ver as linhas"])
    await expect(dialog.getByText(gone)).toHaveCount(0);
});
