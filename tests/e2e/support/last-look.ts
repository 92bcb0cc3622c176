import type { Page } from "@playwright/test";

export const lastLook = (page: Page) => page.getByRole("alertdialog", { name: /^Conferir antes de / });

export async function confirmLook(page: Page): Promise<void> {
  await lastLook(page)
    .getByRole("button", { name: /^(Criar Campanha|Agendar)$/ })
    .click();
}

export async function createCampaign(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Criar Campanha" }).click();
  await confirmLook(page);
}
