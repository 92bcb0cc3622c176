import { expect, type Page, test } from "@playwright/test";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("a running campaign is paused, goes on and is cancelled only after being asked @decision 10", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const up = await heldConnection(rows.db, account, "connected", "Matriz");
  const people = { sent: 612, pending: 638 };
  await campaignRow(rows.db, account, { name: "Black Friday", status: "sending", connectionId: up, people });
  await page.goto(`${product.url}/campaigns`);
  const black = card(page, "Black Friday");
  await black.getByRole("button", { name: "Pausar" }).click();
  await expect(black).toContainText("Envio pausado");
  await expect(black.getByRole("button", { name: "Continuar" })).toBeFocused();
  await black.getByRole("button", { name: "Continuar" }).click();
  await expect(black).toContainText("Em Andamento");

  await black.getByRole("button", { name: "Mais ações de Black Friday" }).click();
  await page.getByRole("menuitem", { name: "Cancelar envio" }).click();
  const asked = page.getByRole("alertdialog", { name: "Cancelar o envio de Black Friday?" });
  await expect(asked).toContainText("638 pessoas não recebem a mensagem.");
  await expect(asked).toContainText("As 612 mensagens já enviadas continuam no histórico.");
  await expect(asked.getByRole("button", { name: "Voltar" })).toBeFocused();
  await asked.getByRole("button", { name: "Cancelar envio" }).click();
  await expect(asked).toBeHidden();
  await expect(black).toContainText("Cancelada");
  await expect(black.getByRole("link", { name: "Reutilizar" })).toBeVisible();
});
