import { expect, type Locator, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnread, signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

/* While a dialog waits for its answer nothing closes it, not even its cross: the outcome would not be shown. */

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";

async function hold(page: Page, method: string, place: string) {
  let release = (_: "through" | "broken") => {};
  const answer = new Promise<"through" | "broken">((resolve) => {
    release = resolve;
  });
  await page.route(place, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    if ((await answer) === "through") return route.continue();
    return route.fulfill({ status: 503, json: { code: "unavailable", error: CAUSE } });
  });
  return { go: release };
}

const cross = (dialog: Locator) => dialog.getByRole("button", { name: "Fechar" }).first();

async function pressCross(page: Page, dialog: Locator) {
  await expect(cross(dialog)).toHaveAttribute("aria-disabled", "true");
  await cross(dialog).dispatchEvent("click");
  await cross(dialog).focus();
  for (const key of ["Enter", "Space", "Escape"]) await page.keyboard.press(key);
  await page.mouse.click(5, 5);
  await expect(dialog).toBeVisible();
  await cross(dialog).focus();
  await expect(cross(dialog)).toBeFocused();
}

test("the cross of a window that makes a key is held until the key is shown, and closes it then", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/settings?aba=chaves`);
  const held = await hold(page, "POST", "**/api/settings/api-keys");
  await page.getByRole("button", { name: "Gerar nova chave" }).first().click();
  const dialog = page.getByRole("dialog");
  await expect(cross(dialog)).not.toHaveAttribute("aria-disabled");
  await dialog.getByRole("textbox").first().fill("Loja");
  await dialog.getByRole("textbox").first().press("Enter");
  await expect(dialog.getByRole("button", { name: "Gerando..." })).toBeVisible();
  await pressCross(page, dialog);
  held.go("through");
  await expect(dialog.getByRole("heading", { name: "Chave «Loja» gerada" })).toBeVisible();
  await expect(dialog.getByRole("textbox")).toHaveValue(/^rcd_/);
  await cross(dialog).click();
  await expect(dialog).toBeHidden();
});

test("the cross of a window that sends a file is held, and what it fails with is said", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  const held = await hold(page, "POST", "**/api/contact-imports?*");
  await page.getByRole("button", { name: "Importar contatos" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "Clientes.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("nome,telefone\nAna,31907773055\n"),
  });
  await dialog.getByRole("button", { name: "Importar" }).click();
  await expect(dialog.getByText("Enviando o arquivo...")).toBeVisible();
  await pressCross(page, dialog);
  held.go("broken");
  await expect(dialog.getByRole("alert")).toContainText(CAUSE);
  await expect(cross(dialog)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
});

test("the cross of the notice before the first campaign is held while it is accepted", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnread(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 3, "Clientes");
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByLabel("Nome da campanha").fill("Natal");
  await page.getByRole("textbox", { name: "Texto" }).fill("Oi, {nome}!");
  await page.getByLabel("Lista de contatos").selectOption("Clientes (3)");
  await page.getByRole("button", { name: "Criar Campanha" }).click();
  const notice = page.getByRole("dialog", { name: "Antes da primeira campanha" });
  const held = await hold(page, "PATCH", "**/api/settings/profile");
  await notice.getByRole("button", { name: "Entendi, criar campanha" }).press("Enter");
  // The disabled button must not lose the focus from the dialog.
  await expect(notice).toBeFocused();
  await pressCross(page, notice);
  held.go("broken");
  await expect(notice.getByRole("alert")).toContainText(CAUSE);
  await cross(notice).click();
  await expect(notice).toBeHidden();
});

test("the opt-out dialog stays open while one is added or removed, and both outcomes are shown", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados" }).click();
  const dialog = page.getByRole("dialog");
  const adding = await hold(page, "POST", "**/api/opt-outs");
  await dialog.getByLabel("Não enviar campanhas para").fill("31 98765-4321");
  await dialog.getByRole("button", { name: "Adicionar" }).click();
  await pressCross(page, dialog);
  await dialog.getByLabel("Não enviar campanhas para").fill("31 9");
  adding.go("through");
  const undo = page.getByRole("button", { name: "Desfazer" });
  const lines = (button: HTMLElement) => {
    const words = document.createRange();
    words.selectNodeContents(button);
    return words.getClientRects().length;
  };
  expect(await undo.evaluate(lines)).toBe(1);
  const allow = dialog.getByRole("button", { name: /^Permitir de novo/ });
  await expect(allow).toBeVisible();
  await expect(dialog.getByLabel("Não enviar campanhas para")).toHaveValue("31 9");
  await expect(cross(dialog)).not.toHaveAttribute("aria-disabled");
  const allowing = await hold(page, "DELETE", "**/api/opt-outs/*");
  await allow.click();
  await pressCross(page, dialog);
  allowing.go("broken");
  await expect(dialog.getByRole("alert")).toContainText(CAUSE);
  await cross(dialog).click();
  await expect(dialog).toBeHidden();
});

test("the assistant dialog stays open while its pause is saved; its other parts show the error too", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connection = await heldConnection(rows.db, account, "connected", "Matriz");
  await sql`insert into assistant_link (connection_id, account_id, agent_id, agent_name, active)
    values (${connection}, ${account}, 'ag:1', 'Clara', true)`.execute(rows.db);
  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: "Ações de Matriz" }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  const dialog = page.getByRole("dialog", { name: "Assistente" });
  const held = await hold(page, "PATCH", "**/api/connections/*/assistant");
  await dialog.getByLabel("Pausa do assistente").fill("45");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await pressCross(page, dialog);
  await expect(dialog.getByRole("button", { name: "Fechar" }).last()).toBeDisabled();
  await dialog.getByRole("tab", { name: "Respostas" }).click();
  held.go("broken");
  await expect(cross(dialog)).not.toHaveAttribute("aria-disabled");
  await dialog.getByRole("tab", { name: "Assistente" }).click();
  await expect(dialog.getByRole("alert")).toContainText(CAUSE);
  await expect(dialog.getByLabel("Pausa do assistente")).toHaveValue("45");
  await cross(dialog).click();
  await expect(dialog).toBeHidden();
});
