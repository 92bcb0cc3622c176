import { expect, type Page } from "@playwright/test";
import { campaignRow } from "../support/campaign-rows.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("a running campaign is paused, goes on and is cancelled only after being asked @decision 10", async ({
  page,
  db,
}) => {
  const account = await accountOf(db, await signUpUnseen(page));
  const up = await heldConnection(db, account, "connected", "Matriz");
  const people = { sent: 612, pending: 638 };
  await campaignRow(db, account, { name: "Black Friday", status: "sending", connectionId: up, people });
  await page.goto("/campaigns");
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
