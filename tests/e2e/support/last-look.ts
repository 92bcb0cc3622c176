import { expect, type Page } from "@playwright/test";

export const lastLook = (page: Page) => page.getByRole("alertdialog", { name: /^Conferir antes de / });

export async function confirmLook(page: Page): Promise<void> {
  await expect(lastLook(page)).toBeVisible();
  await expect(lastLook(page).getByText("Contando...")).toHaveCount(0);
  const total = lastLook(page).getByLabel(/^Para confirmar, digite o total: /);
  const label =
    (await total.count()) === 0 ? "" : ((await lastLook(page).locator("label").last().textContent()) ?? "");
  if (label !== "") await total.fill(label.replace(/\D/g, ""));
  await lastLook(page)
    .getByRole("button", { name: /^(Criar Campanha|Agendar)$/ })
    .click();
}

export async function createCampaign(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Criar Campanha" }).click();
  await confirmLook(page);
}
