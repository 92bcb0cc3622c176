import { expect, type Page } from "@playwright/test";
import type { Db } from "../../src/server/db/client.ts";
import { campaignRow } from "../support/campaign-rows.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

async function scriptOf(page: Page, place: string): Promise<number> {
  const fresh = await page.context().newPage();
  await fresh.goto(place);
  await expect(fresh.locator("h1")).toBeVisible();
  await expect(fresh.getByText("Carregando...")).toHaveCount(0);
  if (place.includes("detalhes")) await expect(fresh.getByText("Pessoa 0", { exact: true })).toBeVisible();
  const bytes = await fresh.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter((each) => new URL(each.name).pathname.endsWith(".js"))
      .reduce((sum, each) => sum + (each as PerformanceResourceTiming).encodedBodySize, 0),
  );
  await fresh.close();
  return bytes / 1000;
}

async function aCampaignOf(db: Db, email: string): Promise<number> {
  const account = await accountOf(db, email);
  const connectionId = await heldConnection(db, account, "connected", "Matriz");
  return campaignRow(db, account, {
    connectionId,
    people: { read: 300, error: 2, uncertain: 1 },
  });
}

test("no screen brings more script than an old telephone can bear", async ({ page, db }) => {
  for (const place of ["/login", "/signup", "/esqueci-a-senha", "/nova-senha#nada", "/confirmar-email#nada"])
    expect(await scriptOf(page, place), place).toBeLessThanOrEqual(130);
  const campaign = await aCampaignOf(db, await signUpUnseen(page));
  const places = [
    "/",
    "/campaigns",
    `/campaigns?detalhes=${campaign}`,
    "/campaigns/new",
    "/contacts",
    "/contacts/pessoas",
    "/baileys",
    "/whatsapp/connections",
    "/chat",
    "/instances",
    "/chatbot",
    "/criar-robo",
    "/settings",
    "/settings?aba=notificacoes",
  ];
  for (const place of places) {
    const size = await scriptOf(page, place);
    expect(size, place).toBeGreaterThan(50);
    expect(size, place).toBeLessThanOrEqual(220);
  }
});
