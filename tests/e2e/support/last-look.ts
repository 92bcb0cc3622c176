import type { Page } from "@playwright/test";

/** The window in which a campaign is looked at once more before it is created or scheduled. */
export const lastLook = (page: Page) => page.getByRole("alertdialog", { name: /^Conferir antes de / });

/** Confirms what «Criar Campanha» (or what schedules) asks. */
export async function confirmLook(page: Page): Promise<void> {
  await lastLook(page)
    .getByRole("button", { name: /^(Criar Campanha|Agendar)$/ })
    .click();
}

/** Presses «Criar Campanha» of the form, and confirms. */
export async function createCampaign(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Criar Campanha" }).click();
  await confirmLook(page);
}
