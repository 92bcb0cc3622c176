import { expect, type Page, test } from "@playwright/test";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

/* Where the focus goes when the pressed or focused element disappears. */

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const newAccount = async (page: Page) => accountOf(rows.db, await signUpUnseen(page, product.url));

test("a campaign that leaves the list, by what is pressed in it or elsewhere, leaves the keyboard on the page", async ({
  page,
}) => {
  const account = await newAccount(page);
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const running = { status: "sending", connectionId, people: { sent: 2, pending: 8 } };
  await campaignRow(rows.db, account, { ...running, name: "Natal" });
  const other = await campaignRow(rows.db, account, { ...running, name: "Páscoa" });
  await page.goto(`${product.url}/campaigns?filtro=sending`);
  const card = (name: string) => page.getByRole("article", { name });
  await card("Natal").getByRole("button", { name: "Pausar" }).press("Enter");
  await expect(card("Natal")).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();

  await card("Páscoa").getByRole("link", { name: "Ver Detalhes" }).focus();
  expect((await page.request.post(`${product.url}/api/campaigns/${other}/pause`)).ok()).toBe(true);
  await expect(card("Páscoa")).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
});

test("all lists are shown again, and one is deleted elsewhere, without the keyboard falling out of the page", async ({
  page,
}) => {
  const account = await newAccount(page);
  const id = await listRow(rows.db, account, 3, "Clientes VIP");
  await page.goto(`${product.url}/contacts?lista=${id}`);
  await page.getByRole("button", { name: "Mostrar todas as listas" }).press("Enter");
  await expect(page.getByText("1 lista, 3 contatos")).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();

  await page.getByRole("button", { name: "Excluir Lista: Clientes VIP" }).focus();
  expect((await page.request.delete(`${product.url}/api/contact-lists/${id}`)).ok()).toBe(true);
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
});

async function pick(page: Page, button: string, file: { name: string; mimeType: string; buffer: Buffer }) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button }).press("Enter");
  await (await chooser).setFiles(file);
}

test("a file that was picked by keyboard is said by the button that changes it, which has the keyboard", async ({
  page,
}) => {
  await newAccount(page);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar", exact: true }).first().press("Enter");
  const buffer = Buffer.from("Nome;Telefone\nAna;31 90234-1187\n");
  await pick(page, "Escolher arquivo", { name: "clientes.csv", mimeType: "text/csv", buffer });
  await expect(page.getByRole("button", { name: "Trocar" })).toBeFocused();
  await expect(page.getByRole("button", { name: "Trocar" })).toHaveAccessibleDescription("clientes.csv");
});

test("a picture that was chosen by keyboard is followed by what can be done then, whether it was taken or not", async ({
  page,
}) => {
  await newAccount(page);
  await page.goto(`${product.url}/campaigns/new`);
  const buffer = await testPicture(64, 64);
  await pick(page, "Escolher imagem", { name: "foto.bmp", mimeType: "image/bmp", buffer });
  const choose = page.getByRole("button", { name: "Escolher imagem" });
  await expect(choose).toBeFocused();
  await expect(choose).toHaveAccessibleDescription("Use uma imagem JPG, PNG ou WebP.");
  await pick(page, "Escolher imagem", { name: "foto.png", mimeType: "image/png", buffer });
  await expect(page.getByRole("button", { name: "Remover imagem" })).toBeFocused();
});
