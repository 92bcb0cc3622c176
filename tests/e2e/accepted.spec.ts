import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
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

test("GW01 the card shows what only the server accepted, explains the total, and can be closed @decision 33", async ({
  page,
}) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Loja");
  const people = { sent: 3, error: 1, skipped: 2, accepted: 12 };
  const paused = { name: "Parada", status: "paused", cause: "unconfirmed", connectionId, people };
  const id = await campaignRow(rows.db, account, paused);
  const waits = { name: "Espera", status: "sending", connectionId, people: { sent: 1, accepted: 2 } };
  await campaignRow(rows.db, account, waits);
  await sql`update delivery set at = now() - interval '16 minutes' where campaign_id = ${id}`.execute(
    rows.db,
  );
  await page.goto(`${product.url}/campaigns`);

  const stopped = card(page, "Parada");
  await expect(stopped).toContainText("O servidor aceitou 12 mensagens que o WhatsApp ainda não confirma.");
  await expect(stopped).toContainText(
    "Total 18 = 3 enviados + 1 erro + 2 ignorados + 12 aceitos pelo servidor",
  );
  await expect(stopped.getByText("Pausada")).toBeVisible();
  await expect(card(page, "Espera")).toContainText(/2 respostas aguardadas\s*Até /);
  await expect(card(page, "Espera")).not.toContainText("Termina");

  await page.goto(`${product.url}/campaigns?detalhes=${id}&status=accepted`);
  const details = page.getByRole("dialog");
  await expect(details.getByRole("button", { name: "Aceito pelo servidor 12" })).toBeVisible();
  await expect(details).toContainText("o WhatsApp ainda não confirmou este envio.");
  await details
    .getByRole("button", { name: /^Resolver o envio para/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Marcar como enviado" }).click();
  await expect(details.getByRole("button", { name: "Aceito pelo servidor 11" })).toBeVisible();

  await page.goto(`${product.url}/campaigns`);
  await stopped.getByRole("button", { name: "Encerrar" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Encerrar" }).click();
  await expect(stopped.getByText("Concluída com falhas")).toBeVisible();
});
