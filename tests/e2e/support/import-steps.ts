import type { Locator } from "@playwright/test";

export async function importAs(dialog: Locator, list: string): Promise<void> {
  await dialog.getByRole("button", { name: "Continuar" }).click();
  await dialog.getByRole("heading", { name: "Primeiras linhas" }).waitFor();
  await dialog.getByRole("button", { name: "Continuar" }).click();
  await dialog.getByLabel("Nome da lista").fill(list);
  await dialog.getByRole("radio", { name: /^São clientes/ }).check();
  await dialog.getByRole("button", { name: "Importar" }).click();
}
