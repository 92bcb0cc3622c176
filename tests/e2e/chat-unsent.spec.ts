import { type Dialog, expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { logIn, signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import type { ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { field, log, onTheirWay, someTalks, thread } from "./support/talks.ts";

/* Messages written and not yet at the server while the person looks elsewhere or leaves. */

let url: string;
let rows: ProductRows;

startedFor((started) => {
  url = started.product.url;
  rows = started.rows;
});
test.use({ viewport: { width: 1440, height: 900 } });

const outbox = async (account: string) =>
  (
    await sql<{ text: string; phone: string | null; image: boolean }>`
      select text, phone::text as phone, image_id is not null as image from outbox
      where account_id = ${account}::uuid and origin = 'chat' order by id`.execute(rows.db)
  ).rows;

async function slowUpload(page: Page) {
  const { promise, resolve } = Promise.withResolvers<"through" | "lost">();
  await page.route("**/api/images", async (route) =>
    (await promise) === "through" ? route.continue() : route.abort(),
  );
  return resolve;
}

async function attach(page: Page) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Anexar imagem" }).click();
  await (await chooser).setFiles({
    name: "armação.png",
    mimeType: "image/png",
    buffer: await testPicture(),
  });
  await expect(page.getByText("Enviando imagem...")).toBeVisible();
}

const send = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });
const goTo = (page: Page, name: string) =>
  page
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(`^${name}\\b`) })
    .click();

for (const place of ["another conversation", "another screen"])
  test(`a message that waits for its picture goes once, also from ${place}`, async ({ page }) => {
    const { account } = await someTalks(rows.db, await signUpUnseen(page, url));
    await page.goto(`${url}/chat`);
    await expect(log(page)).toContainText("Passo aí às 17h");
    const end = await slowUpload(page);
    await attach(page);
    await field(page).fill("Esta armação?");
    await send(page).click();
    await thread(page, /Bruno/).click();
    await expect(log(page)).toContainText("QUERO");
    await field(page).fill("um rascunho");
    await thread(page, /Ana Beatriz/).click();
    await expect(page.getByText("Enviando imagem...")).toBeVisible();
    await expect(send(page)).toHaveAttribute("aria-busy", "true");
    await thread(page, /Bruno/).click();
    if (place === "another screen") await goTo(page, "Contatos");
    end("through");
    await expect
      .poll(() => outbox(account))
      .toEqual([{ text: "Esta armação?", phone: "5531902341187", image: true }]);
    if (place === "another screen") await goTo(page, "Chat");
    await thread(page, /Bruno/).click();
    await expect(field(page)).toHaveValue("um rascunho");
    await expect(log(page)).not.toContainText("Esta armação?");
    await thread(page, /Ana Beatriz/).click();
    await expect(field(page)).toHaveValue("");
    await expect(page.getByText("armação.png")).toHaveCount(0);
    await expect(log(page).getByText("Esta armação?")).toHaveCount(1);
    expect(await outbox(account)).toHaveLength(1);
  });

test("a picture that gets lost while one looks at another conversation is said where it was attached, and the text stays", async ({
  page,
}) => {
  const { account } = await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  const end = await slowUpload(page);
  await attach(page);
  await field(page).fill("Esta armação?");
  await send(page).click();
  await thread(page, /Bruno/).click();
  await expect(log(page)).toContainText("QUERO");
  const lost = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/images"));
  end("lost");
  await lost;
  await thread(page, /Ana Beatriz/).click();
  await expect(page.getByRole("alert")).toContainText("O servidor não respondeu.");
  await expect(field(page)).toHaveValue("Esta armação?");
  await expect(field(page)).toHaveAttribute("aria-invalid", "true");
  await expect(send(page)).not.toHaveAttribute("aria-busy");
  expect(await outbox(account)).toEqual([]);
});

test("letters typed quickly in the middle of a draft stay where they were typed", async ({ page }) => {
  await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("a armação chegou.");
  await field(page).press("Home");
  await field(page).pressSequentially("Oi! Veja só: ");
  await expect(field(page)).toHaveValue("Oi! Veja só: a armação chegou.");
});

async function staysAtReload(page: Page): Promise<boolean> {
  const mark = "data-before-the-load";
  await page.evaluate((name) => document.documentElement.setAttribute(name, ""), mark);
  let asked = false;
  const stay = async (dialog: Dialog) => {
    asked = dialog.type() === "beforeunload";
    await dialog.dismiss();
  };
  page.on("dialog", stay);
  await page.evaluate(() => setTimeout(() => window.location.reload()));
  await expect
    .poll(async () => asked || (await page.locator(`html:not([${mark}]) h1`).count()) > 0)
    .toBe(true);
  page.off("dialog", stay);
  return asked;
}

test("the browser asks before a page goes that holds what was written and not sent, on every screen", async ({
  page,
}) => {
  const { account } = await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).click();
  expect(await staysAtReload(page)).toBe(false);
  await field(page).click();
  await field(page).pressSequentially("um rascunho");
  await goTo(page, "Contatos");
  await expect(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  expect(await staysAtReload(page)).toBe(true);
  await goTo(page, "Chat");
  await thread(page, /Ana Beatriz/).click();
  await expect(field(page)).toHaveValue("um rascunho");

  await page.route("**/api/chats/*/messages", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await send(page).click();
  const failed = log(page).getByRole("alert");
  await expect(failed).toBeVisible();
  expect(await staysAtReload(page)).toBe(true);
  await page.unroute("**/api/chats/*/messages");
  await failed.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(failed).toHaveCount(0);
  await expect.poll(async () => (await outbox(account)).map(({ text }) => text)).toEqual(["um rascunho"]);
  await expect(onTheirWay(page)).toHaveCount(0);
  expect(await staysAtReload(page)).toBe(false);
});

test("signing out asks before it discards unsent text", async ({ page }) => {
  await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("um rascunho");
  await goTo(page, "Contatos");
  const question = page.getByRole("alertdialog", { name: "Sair sem enviar?" });
  const stay = question.getByRole("button", { name: "Continuar aqui" });
  const leave = page.getByRole("button", { name: "Sair", exact: true });
  await leave.click();
  await expect(stay).toBeFocused();
  await stay.click();
  await expect(question).toBeHidden();
  await expect(leave).toBeFocused();
  await page.keyboard.press("Control+k");
  const command = page.getByRole("dialog").getByRole("combobox");
  await command.fill("sair da conta");
  await command.press("Enter");
  await expect(stay).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(question).toBeHidden();
  await expect(leave).toBeFocused();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Abrir menu" }).click();
  await leave.click();
  await expect(question).toBeVisible();
  await expect(page.locator("[data-ui~=drawer] ~ [data-ui~=overlay]")).toHaveCSS("z-index", "21");
  await page.goBack();
  await expect(question).toBeHidden();
  await expect(leave).toBeFocused();
  await leave.click();
  await page.route("**/api/logout", (route) => route.abort());
  await question.getByRole("button", { name: "Sair sem enviar" }).click();
  await expect(question.getByRole("alert")).toContainText("Não foi possível sair.");
  await page.unroute("**/api/logout");
  await question.getByRole("button", { name: "Sair sem enviar" }).click();
  await expect(page).toHaveURL(`${url}/login`);
});

test("visiting another site keeps the text; signing out and in discards it", async ({ page }) => {
  const email = await signUpUnseen(page, url);
  await someTalks(rows.db, email);
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("um rascunho");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog").getByRole("combobox");
  await palette.fill("termos");
  await palette.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Termos de uso" })).toBeVisible();
  await page.goBack();
  await expect(field(page)).toHaveValue("um rascunho");
  await page.getByRole("button", { name: "Sair", exact: true }).click();
  await page.getByRole("button", { name: "Sair sem enviar" }).click();
  await expect(page).toHaveURL(`${url}/login`);
  await logIn(page, email);
  await goTo(page, "Chat");
  await expect(log(page)).toContainText("Passo aí às 17h");
  await expect(field(page)).toHaveValue("");
});

test("a screen that arrives late does not take the keyboard from the question", async ({ page }) => {
  await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("um rascunho");
  const { promise: arrives, resolve: arrive } = Promise.withResolvers<void>();
  await page.route("**/*.js", async (route) => {
    await arrives;
    await route.continue();
  });
  await goTo(page, "Contatos");
  await page.getByRole("button", { name: "Sair", exact: true }).click();
  const stay = page
    .getByRole("alertdialog", { name: "Sair sem enviar?" })
    .getByRole("button", { name: "Continuar aqui" });
  await expect(stay).toBeFocused();
  arrive();
  await expect(page.locator("h1", { hasText: "Contatos" })).toBeVisible();
  await expect(stay).toBeFocused();
});

test("signing out with nothing unsent does not ask", async ({ page }) => {
  await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  await field(page).fill("um rascunho");
  await field(page).fill("");
  await page.getByRole("button", { name: "Sair", exact: true }).click();
  await expect(page).toHaveURL(`${url}/login`);
});

test("two quick messages are stored in order; one that may have arrived is safe to repeat", async ({
  page,
}) => {
  const { account } = await someTalks(rows.db, await signUpUnseen(page, url));
  await page.goto(`${url}/chat`);
  await expect(log(page)).toContainText("Passo aí às 17h");
  const { promise: go, resolve: answer } = Promise.withResolvers<void>();
  let posts = 0;
  await page.route(/\/messages$/, async (route) => {
    if (route.request().method() === "POST" && ++posts === 1) await go;
    return route.continue();
  });
  for (const text of ["primeira", "segunda"]) {
    await field(page).fill(text);
    await field(page).press("Enter");
    await expect(onTheirWay(page).filter({ hasText: text })).toBeVisible();
  }
  answer();
  await expect(onTheirWay(page)).toHaveCount(0);
  await expect(log(page).getByRole("alert")).toHaveCount(0);
  expect((await outbox(account)).map(({ text }) => text)).toEqual(["primeira", "segunda"]);

  await page.route(/\/messages$/, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 502, contentType: "text/html", body: "Bad Gateway" })
      : route.continue(),
  );
  await field(page).fill("terceira");
  await field(page).press("Enter");
  await expect(log(page).getByRole("alert")).toContainText("Tentar novamente não repete a mensagem.");
});
