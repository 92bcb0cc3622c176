import { expect, type Page } from "@playwright/test";
import { listRow } from "../support/campaign-rows.ts";
import { openFaultProxy } from "../support/fault-proxy.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf } from "./support/product-rows.ts";

test("changes during a stream outage are refetched in every tab, not only in the one that holds it", async ({
  page,
  context,
  db,
  product,
}) => {
  const wire = await openFaultProxy({ port: Number(new URL(product.url).port) });
  const screen = `http://127.0.0.1:${wire.port}/contacts`;
  const empty = (tab: Page) => tab.getByText("Nenhuma lista de contatos");
  try {
    const account = await accountOf(db, await signUpUnseen(page));
    const opened = page.waitForResponse("**/api/events*");
    await page.goto(screen);
    await expect(empty(page)).toBeVisible();
    await opened;
    const tab = await context.newPage();
    let streams = 0;
    tab.on("request", (request) => {
      if (new URL(request.url()).pathname === "/api/events") streams++;
    });
    await tab.goto(screen);
    await expect(empty(tab)).toBeVisible();
    await listRow(db, account, 3, "Clientes");
    wire.cut();
    for (const one of [page, tab])
      await expect(one.getByRole("article", { name: "Clientes" })).toBeVisible({ timeout: 25_000 });
    expect(streams).toBe(0);
  } finally {
    await wire.close();
  }
});
