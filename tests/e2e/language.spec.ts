import fs from "node:fs";
import { expect, type Page } from "@playwright/test";
import { campaignRow } from "../support/campaign-rows.ts";
import { logIn, newEmail, PASSWORD, signUp } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
const language = (page: Page) => page.locator("html");

async function choose(page: Page, name: "Português" | "English") {
  await page.getByRole("button", { name: /^(Menu da conta|Account menu)/ }).click();
  await page.getByRole("menuitemradio", { name }).click();
  await expect(language(page)).toHaveAttribute("lang", name === "English" ? "en" : "pt-BR");
}

async function fillSignUp(page: Page, password = PASSWORD, again = password): Promise<string> {
  const email = newEmail();
  await page.getByLabel("Full name").fill("Horizonte Optics");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Confirm password").fill(again);
  await page.getByRole("checkbox").check();
  return email;
}

test("a visitor's choice holds on every page, for the server's words too, and becomes the new account's @spec 8.2,8.3", async ({
  page,
  browser,
}) => {
  await page.goto("/login");
  await page.getByRole("group", { name: "Idioma" }).getByRole("button", { name: "English" }).click();
  await expect(heading(page, "Good to see you")).toBeVisible();
  await expect(language(page)).toHaveAttribute("lang", "en");
  await expect(page).toHaveTitle("Log in · Recado");
  await expect(page.getByRole("button", { name: "English" })).toHaveAttribute("aria-pressed", "true");

  await page.getByLabel("E-mail").fill("unknown@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await expect(page.getByRole("alert")).toHaveText("Login failed. Please check your credentials.");

  await page.goto("/termos");
  await expect(page.getByText("These are the standard terms of this Recado server.")).toBeVisible();
  await page.goto("/signup");
  await expect(heading(page, "Create account")).toBeVisible();
  await fillSignUp(page, PASSWORD, "something else");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Passwords do not match", { exact: true }).first()).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill("password1234");
  await page.getByLabel("Confirm password").fill("password1234");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("This password is easy to guess. Choose another.").first()).toBeVisible();
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm password").fill(PASSWORD);
  const email = await page.getByLabel("E-mail").inputValue();
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(heading(page, "Dashboard")).toBeVisible();
  await expect(page.getByRole("button", { name: "Log Out" })).toBeVisible();

  const elsewhere = await browser.newContext();
  const there = await elsewhere.newPage();
  await there.goto("/login");
  await expect(language(there)).toHaveAttribute("lang", "pt-BR");
  await logIn(there, email);
  await expect(heading(there, "Dashboard")).toBeVisible();
  await expect(language(there)).toHaveAttribute("lang", "en");
  await elsewhere.close();

  await page.getByRole("button", { name: "Log Out" }).click();
  await expect(heading(page, "Good to see you")).toBeVisible();
  await page.goto("/signup");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Full name").fill("Another person");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm password").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("alert")).toContainText("Failed to create an account");
});

test("a campaign's dates, numbers, failures and file are in English, and no screen shows a word of Portuguese", async ({
  page,
  db,
}) => {
  const account = await accountOf(db, await signUp(page, "Horizonte Optics"));
  const connectionId = await heldConnection(db, account, "connected", "Matriz");
  await campaignRow(db, account, {
    connectionId,
    name: "Spring",
    people: { read: 1250, error: 2, uncertain: 1 },
  });
  await page.goto("/campaigns");
  await choose(page, "English");
  const card = page.getByRole("article", { name: "Spring", exact: true });
  await expect(card).toContainText("1,253");
  await expect(card).toContainText(
    /\d{1,2} (Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec) 20\d\d, \d\d:\d\d/,
  );
  await expect(card).toContainText("Failed to send message to 55");
  await card.getByText("See Details").click();
  const dialog = page.getByRole("dialog", { name: "Delivery Details" });
  await expect(dialog.getByRole("button", { name: "Unconfirmed 1" })).toBeVisible();
  await expect(dialog.getByRole("columnheader")).toHaveText(["Contact", "Status", "Sent at", "Error"]);
  const saving = page.waitForEvent("download");
  await dialog
    .getByRole("link", { name: "Export CSV" })
    .or(dialog.getByRole("button", { name: "Export CSV" }))
    .click();
  const file = fs.readFileSync(await (await saving).path(), "utf8");
  expect(file).toMatch(/^\ufeffName;Phone;Status;Sent at;Error\r\n/);
  expect(file).toMatch(/;Read;20\d\d-\d\d-\d\d \d\d:\d\d;/);

  const places = ["/", "/campaigns", "/campaigns/new", "/contacts", "/baileys", "/whatsapp/connections"];
  for (const place of [
    ...places,
    "/chat",
    "/instances",
    "/chatbot",
    "/criar-robo",
    "/settings",
    "/nothing",
  ]) {
    await page.goto(place);
    await expect(page.getByRole("heading").first()).toBeVisible();
    await expect(page.getByText("Loading...")).toHaveCount(0);
    const said = (await page.locator("body").ariaSnapshot()).replace(
      /\bPortuguês\b|\{nome\}|São Paulo|Responda SAIR para não receber mais|Pronto: você não vai mais receber[^"]*/g,
      "",
    );
    expect(said.match(/.*([ãõçáéíóúâêô]|\b(não|uma|para|você|nenhum|erro)\b).*/i)?.[0] ?? "", place).toBe("");
  }
});
