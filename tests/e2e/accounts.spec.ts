import { expect } from "@playwright/test";
import { logIn, signUpByForm, signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { test } from "./support/product.ts";

test("a person signs up, leaves or is signed out, and comes back to where they wanted to go @spec 0.1,2.1,2.18,2.19,2.21,4.8,8.1 @decision 17,28", async ({
  page,
}) => {
  const email = await signUpByForm(page, "Ótica Horizonte");
  await expect(page.getByRole("banner")).toContainText("Ótica Horizonte");
  await expect(page.getByRole("banner")).toContainText(email);
  await expect(page.getByRole("banner").locator("[data-ui~=avatar]")).toHaveText("Ó");

  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page).toHaveURL(/\/login$/);

  await page.goto("/whatsapp/connections");
  await expect(page).toHaveURL(/\/login\?redirect=/);
  await logIn(page, email, "outra senha qualquer");
  await expect(page.getByRole("alert")).toContainText(
    "Falha ao fazer login. Por favor, verifique suas credenciais.",
  );
  await logIn(page, email);
  await expect(page).toHaveURL("/whatsapp/connections");
  await expect(page.getByRole("heading", { level: 1, name: "Conexões WhatsApp" })).toBeVisible();

  await page.getByRole("navigation").getByRole("link", { name: "Contatos" }).click();
  await expect(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  // Requests wait for the press: one that met the end before it would lead back to «Contatos».
  const ended = Promise.withResolvers<void>();
  await page.route("**/api/**", (route) => ended.promise.then(() => route.continue()));
  await page.getByRole("navigation").getByRole("link", { name: "Evolution" }).click();
  await expect(page).toHaveURL("/instances");
  await page.context().clearCookies();
  ended.resolve();
  await expect(
    page.getByText("Sua sessão terminou. Entre de novo para continuar de onde parou."),
  ).toBeVisible();
  await logIn(page, email);
  await expect(page).toHaveURL("/instances");
});

test("a tab shows nothing of an account that another tab has left, or taken another one's place in, nor its cached pictures", async ({
  page,
  context,
}) => {
  const other = await signUpUnseen(page);
  await context.clearCookies();
  const tab = await context.newPage();
  await tab.goto("/login");
  await signUpByForm(page, "Ótica Horizonte");
  await page.goto("/settings");
  await page.getByLabel("Nome completo").fill("Ótica Nova");
  await logIn(tab, other);
  await expect(tab.getByRole("banner")).toContainText(other);
  await expect(page.getByText("Sua sessão terminou.")).toBeVisible();
  await expect(page.getByRole("banner")).toHaveCount(0);
  await logIn(page, other);
  await expect(page).toHaveURL("/settings");
  await expect(page.getByRole("banner")).toContainText(other);
  await expect(tab.getByRole("banner")).toContainText(other);
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(tab.getByText("Sua sessão terminou.")).toBeVisible();
  await tab.close();

  await logIn(page, other);
  await expect(page.getByRole("banner")).toContainText(other);
  const uploaded = await page.request.post("/api/attachments", {
    data: await testPicture(),
    headers: { "content-type": "image/png" },
  });
  const { id } = (await uploaded.json()) as { id: number };
  const answer = () => page.evaluate(async (path) => (await fetch(path)).status, `/api/attachments/${id}`);
  expect(await answer()).toBe(200);

  await page.request.post("/api/logout");
  expect(await answer()).toBe(401);
  await signUpUnseen(page);
  expect(await answer()).toBe(404);
});
