import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function withConnection(page: Page, state: string, cause: string | null = null) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await page.route("**/api/events*", (route) => route.abort());
  const id = await heldConnection(rows.db, account, state, "Loja", cause);
  const found = await sql<{
    number: string;
  }>`select device_id as number from connection where id = ${id}`.execute(rows.db);
  const becomes = (next: string, why: string | null = null) =>
    sql`update connection set state = ${next}, state_reason = ${why}, state_since = now(), qr = null, qr_expires_at = null,
      pairing_code = null, pairing_code_expires_at = null, state_reason_until = now() + interval '3 hours'
      where id = ${id}`.execute(rows.db);
  return { id, number: found.rows[0]?.number ?? "", becomes };
}

test("an expired pairing code is not called pending: the phone has it, or a new one is needed", async ({
  page,
}) => {
  const { id, becomes } = await withConnection(page, "pending");
  await sql`update connection set qr = 'a code', qr_expires_at = now() + interval '1 hour', pairing_code = 'ABCD1234',
    pairing_code_expires_at = now() + interval '1 hour' where id = ${id}`.execute(rows.db);
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Mostrar QR Code" }).click();
  await page.getByRole("tab", { name: "Código de pareamento" }).click();
  const dialog = page.getByRole("dialog");
  const letters = dialog.getByRole("img", { name: /^Código de pareamento: / });
  await expect(letters).toBeVisible();
  const asking = dialog.getByText("Pedindo um código ao WhatsApp...");

  await becomes("connecting");
  await expect(letters).toHaveCount(0);
  await expect(asking).toHaveCount(0);
  await becomes("disconnected", "qr_expired");
  await expect(dialog.getByText("Os códigos expiraram sem leitura.")).toBeVisible();
  await expect(asking).toHaveCount(0);
  await dialog.getByRole("button", { name: "Gerar novo código" }).click();
  await expect(asking).toBeVisible();
});

test("why an instance that is to be connected again has no code is said in its window", async ({ page }) => {
  const { id, becomes } = await withConnection(page, "disconnected", "qr_expired");
  await sql`update connection set kind = 'instance' where id = ${id}`.execute(rows.db);
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Loja" }).click();
  await page.getByRole("menuitem", { name: "Reconectar" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("status")).toHaveText("Conectando...");
  await becomes("disconnected", "unreachable");
  await expect(dialog).toContainText(/O servidor da instância não responde desde \d\d:\d\d\./);
});

test("a suspension is shown with its end where the number is typed", async ({ page }) => {
  const { number, becomes } = await withConnection(page, "disconnected", "logged_out");
  await page.goto(`${product.url}/baileys`);
  await page.getByLabel("Número do WhatsApp").fill(`+${number}`);
  const asked = page.waitForResponse("**/api/whatsapp/connect");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await asked;
  await becomes("disconnected", "temp_banned");
  await expect(page.getByText(/O WhatsApp suspendeu este número até .*\d\d:\d\d/)).toBeVisible();
});

test("a number that loses its line once it was connected is not said to be connected, nor to wait for a code", async ({
  page,
}) => {
  const { number, becomes } = await withConnection(page, "connected");
  await page.goto(`${product.url}/baileys`);
  await page.getByLabel("Número do WhatsApp").fill(`+${number}`);
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  const said = page.getByRole("region", { name: "Conectar WhatsApp" }).getByRole("status");
  await expect(said).toHaveText("Conectado");
  await becomes("connecting", "network");
  await expect(said).toHaveText("Conectando...");
  await expect(page.getByText(/Sem contato com o WhatsApp desde \d\d:\d\d\./)).toBeVisible();
  await expect(page.getByRole("button", { name: "Mostrar QR Code" })).toHaveCount(0);
  await expect(page.getByText("o código aparece")).toHaveCount(0);
  await becomes("connected");
  await expect(said).toHaveText("Conectado");
});

test("a name that is too long is said to be so at its field", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/baileys`);
  await page.getByLabel("Número do WhatsApp").fill("+55 31 90777-3055");
  await page.getByLabel("Nome da Conexão").fill("a".repeat(121));
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(page.getByText("Use no máximo 120 caracteres.")).toBeVisible();
  await expect(page.getByLabel("Nome da Conexão")).toBeFocused();
  await expect(page.getByText("Confira os campos destacados.")).toHaveCount(0);
});

test("a connection that another window has removed is named as what is gone, and leaves the list", async ({
  page,
}) => {
  const { id } = await withConnection(page, "disconnected", "logged_out");
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Loja" }).click();
  await sql`delete from connection where id = ${id}`.execute(rows.db);
  await page.getByRole("menuitem", { name: "Reconectar" }).click();
  await expect(page.getByText("Loja não existe mais: foi excluída.")).toBeVisible();
  await expect(page.getByText("Nenhuma conexão encontrada")).toBeVisible();
});
