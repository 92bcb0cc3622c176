import { expect, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { endSession, logIn, signUpByForm, signUpUnseen } from "./support/person.ts";

let product: ProductServer;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(() => product.close());

test("a person signs up, leaves, and comes back to where they wanted to go @spec 0.1,2.1,2.18,2.19,2.21,4.8,8.1 @decision 17,28", async ({
  page,
}) => {
  const email = await signUpByForm(page, product.url, "Ótica Horizonte");
  await expect(page.getByRole("banner")).toContainText("Ótica Horizonte");
  await expect(page.getByRole("banner")).toContainText(email);
  await expect(page.getByRole("banner").locator("[data-ui~=avatar]")).toHaveText("Ó");

  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page).toHaveURL(/\/login$/);

  await page.goto(`${product.url}/whatsapp/connections`);
  await expect(page).toHaveURL(/\/login\?redirect=/);
  await logIn(page, email, "outra senha qualquer");
  await expect(page.getByRole("alert")).toContainText(
    "Falha ao fazer login. Por favor, verifique suas credenciais.",
  );
  await logIn(page, email);
  await expect(page).toHaveURL(`${product.url}/whatsapp/connections`);
  await expect(page.getByRole("heading", { level: 1, name: "Conexões WhatsApp" })).toBeVisible();
});

test("whose session has ended signs in again and goes on where they were", async ({ page }) => {
  const email = await signUpByForm(page, product.url);
  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await endSession(page.getByRole("navigation").getByRole("link", { name: "Conexões" }));
  await expect(
    page.getByText("Sua sessão terminou. Entre de novo para continuar de onde parou."),
  ).toBeVisible();
  await logIn(page, email);
  await expect(page).toHaveURL(`${product.url}/whatsapp/connections`);
});

test("a tab shows nothing of an account that another tab has left, or taken another one's place in", async ({
  page,
  context,
}) => {
  const other = await signUpUnseen(page, product.url);
  await context.clearCookies();
  const tab = await context.newPage();
  await tab.goto(`${product.url}/login`);
  await signUpByForm(page, product.url, "Ótica Horizonte");
  await page.goto(`${product.url}/settings`);
  await page.getByLabel("Nome completo").fill("Ótica Nova");
  await logIn(tab, other);
  await expect(tab.getByRole("banner")).toContainText(other);
  await expect(page.getByText("Sua sessão terminou.")).toBeVisible();
  await expect(page.getByRole("banner")).toHaveCount(0);
  await logIn(page, other);
  await expect(page).toHaveURL(`${product.url}/settings`);
  await expect(page.getByRole("banner")).toContainText(other);
  await expect(tab.getByRole("banner")).toContainText(other);
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(tab.getByText("Sua sessão terminou.")).toBeVisible();
});
