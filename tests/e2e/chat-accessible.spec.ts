import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import { sentRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import type { ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, someTalks, thread } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;

test.use({ contextOptions: { reducedMotion: "reduce" }, viewport: { width: 1440, height: 900 } });
startedFor((started) => {
  ({ product, rows } = started);
});

async function arrange(page: Page) {
  const talks = await someTalks(rows.db, await signUpUnseen(page, product.url));
  for (const [status, error] of [
    [0, null],
    [4, "no_ack"],
    [5, "not_on_whatsapp"],
    [6, null],
    [7, null],
    [8, null],
  ] as const)
    await sentRow(rows.db, talks.ana, { text: `estado ${status}`, status, ...(error ? { error } : {}) });
  await sentRow(rows.db, talks.ana, { text: "da API", status: DELIVERY.read, origin: "api" });
  await sql`insert into opt_out (account_id, phone, source)
    select account_id, phone, 'reply' from chat where id = ${talks.bruno}`.execute(rows.db);
  return talks;
}

for (const colorScheme of ["light", "dark"] as const)
  test(`the chat is accessible, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    const { away } = await arrange(page);
    await page.goto(`${product.url}/chat`);
    await expect(log(page)).toContainText("A verificar");
    await expectAccessible(page);
    // In forced colours a border must mark each message.
    await page.emulateMedia({ forcedColors: "active" });
    await expect(page.locator("[data-ui~=bubble]").first()).toHaveCSS("outline-style", "solid");
    await page.emulateMedia({ forcedColors: null });
    await page.getByRole("button", { name: "Enviar", exact: true }).click();
    await expect(page.getByText("Escreva a mensagem.")).toBeVisible();
    await expectAccessible(page);
    await thread(page, /Bruno/).click();
    await expect(page.getByText("Não quer receber campanhas")).toBeVisible();
    await expectAccessible(page);
    await thread(page, /@g\.us/).click();
    await expect(log(page)).toContainText("Lucas");
    await expectAccessible(page);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${product.url}/chat?conexao=${away}`);
    await expect(thread(page, /Rita/)).toBeVisible();
    await expectAccessible(page);
    await thread(page, /Rita/).click();
    await expect(page.getByText("Unidade Savassi: Desconectado.")).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Voltar aos contatos").click();
    await page.getByRole("searchbox").fill("ninguém assim");
    await expect(page.getByText("Nada encontrado")).toBeVisible();
    await expectAccessible(page);
  });

test("the keyboard goes through the chat in the order in which one reads it", async ({ page }) => {
  await arrange(page);
  await page.goto(`${product.url}/chat`);
  await expect(log(page)).toContainText("A verificar");
  await page.getByLabel("Conexão").focus();
  const next = async () => {
    await page.keyboard.press("Tab");
    return page.locator(":focus");
  };
  await expect(await next()).toHaveRole("searchbox");
  await expect(await next()).toHaveAccessibleName("Nova conversa");
  await expect(await next()).toHaveAttribute("aria-current", "page");
  await expect(await next()).toHaveRole("log");
  await expect(await next()).toHaveText("Reenviar mesmo assim");
  await expect(await next()).toHaveText("Tentar novamente");
  await expect(await next()).toHaveAccessibleName("Anexar imagem");
  await page.keyboard.press("Tab");
  await expect(field(page)).toBeFocused();
  await expect(log(page)).toHaveAttribute("aria-busy", "false");
});
