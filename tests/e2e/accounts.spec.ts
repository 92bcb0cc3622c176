import { expect, type Page, test } from "@playwright/test";
import { type ProductServer, startProduct } from "../support/server.ts";
import { endSession, logIn, newEmail, PASSWORD, signUpByForm, signUpUnseen } from "./support/person.ts";

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

test("26.16 a taken e-mail offers login and a new password; a signed-in person goes to the dashboard", async ({
  page,
}) => {
  const email = await signUpUnseen(page, product.url);
  for (const door of ["/login", "/signup"]) {
    await page.goto(`${product.url}${door}`);
    await expect(page).toHaveURL(`${product.url}/`);
  }
  await page.context().clearCookies();
  await page.goto(`${product.url}/signup`);
  await page.getByLabel("Nome completo").fill("Outra");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  const said = page.getByRole("alert");
  await expect(said).toContainText("Não foi possível criar a conta.");
  await expect(said).toContainText("Se este e-mail já tem uma conta, entre nela ou crie uma nova senha.");
  await expect(said.getByRole("link", { name: "Esqueci minha senha" })).toBeVisible();
  await said.getByRole("link", { name: "Entrar com este e-mail" }).click();
  await expect(page).toHaveURL(`${product.url}/login`);
  await expect(page.getByLabel("E-mail")).toHaveValue(email);
});

test("every screen but login, sign-up and terms asks who one is @spec 1.1,2.2,2.3,2.4,2.5,2.6,2.7,2.8,2.9,2.10,2.11,2.12,2.13,2.14,2.23,2.27,6.1 @decision 2", async ({
  page,
}) => {
  const places = ["/", "/campaigns", "/campaigns/new", "/contacts", "/instances", "/baileys"];
  const more = [
    "/whatsapp/connect",
    "/whatsapp/connections",
    "/chat",
    "/chatbot",
    "/criar-robo",
    "/settings",
  ];
  for (const place of [...places, ...more]) {
    await page.goto(`${product.url}${place}`);
    await expect(page).toHaveURL(/\/login(\?|$)/);
    await expect(page.getByRole("button", { name: "Entrar" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Entre em contato" }).click();
  await expect(page).toHaveURL(`${product.url}/signup`);
  await page.getByRole("link", { name: "Entrar" }).click();
  await expect(page).toHaveURL(`${product.url}/login`);
});

test("while a form is on its way its button says so, and is pressed once @spec 2.22", async ({ page }) => {
  let calls = 0;
  const looked = Promise.withResolvers<void>();
  await page.route("**/api/login", async (route) => {
    calls++;
    await looked.promise;
    await route.fulfill({
      status: 503,
      json: { code: "unavailable", error: "O serviço está indisponível." },
    });
  });
  await page.goto(`${product.url}/login`);
  await page.getByLabel("E-mail").fill("ana@exemplo.com.br");
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Entrar" }).dblclick();
  await expect(page.getByRole("button", { name: "Entrando..." })).toBeVisible();
  looked.resolve();
  await expect(page.getByRole("alert")).toContainText("O serviço está indisponível.");
  expect(calls).toBe(1);
});

test("the login form reports missing fields without a request @spec 5.1", async ({ page }) => {
  let calls = 0;
  await page.route("**/api/login", (route) => {
    calls++;
    return route.continue();
  });
  await page.goto(`${product.url}/login`);
  await page.getByRole("button", { name: "Entrar" }).click();
  await expect(page.getByText("Informe o e-mail.")).toBeVisible();
  await expect(page.getByText("Informe a senha.")).toBeVisible();
  await page.getByLabel("E-mail").fill("ana@");
  await page.getByLabel("Senha", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Entrar" }).click();
  await expect(page.getByText("E-mail inválido.", { exact: false })).toBeVisible();
  expect(calls).toBe(0);
  await expect(page.getByRole("link", { name: "Esqueci minha senha" })).toBeVisible();
});

test("while the sign-up is on its way its button says so, and it ends on the dashboard @spec 2.2,2.4,2.26,2.28 @decision 17", async ({
  page,
}) => {
  await page.route("**/api/signup", async (route) => {
    await expect(page.getByRole("button", { name: "Criando conta..." })).toBeDisabled();
    await route.continue();
  });
  await signUpByForm(page, product.url);
  await expect(page).toHaveURL(`${product.url}/`);
});

test("login never redirects to another site @spec 2.24", async ({ page }) => {
  const email = await signUpByForm(page, product.url);
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page).toHaveURL(/\/login$/);
  for (const elsewhere of ["//exemplo.com", "https://exemplo.com/x", "/\\exemplo.com"]) {
    await page.goto(`${product.url}/login?redirect=${encodeURIComponent(elsewhere)}`);
    await logIn(page, email);
    await expect(page).toHaveURL(`${product.url}/`);
    await page.getByRole("button", { name: "Sair" }).click();
    await expect(page).toHaveURL(/\/login$/);
  }
});

test("the sign-up form says what is missing, at the field, and goes there @spec 2.25,5.2,8.2 @decision 17", async ({
  page,
}) => {
  await page.goto(`${product.url}/signup`);
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(page.getByText("Informe seu nome.")).toBeVisible();
  await expect(page.getByLabel("Nome completo")).toBeFocused();
  await expect(page.getByText("Aceite os termos de uso para criar a conta.")).toBeVisible();
  await expect(page.getByText("Repita a senha.")).toBeVisible();

  await page.getByLabel("Nome completo").fill("Marina");
  await page.getByLabel("E-mail").fill("marina@");
  await page.getByLabel("Senha", { exact: true }).fill("curta");
  await page.getByLabel("Confirmar senha").fill("outra");
  await expect(page.getByText("E-mail inválido.", { exact: false })).toBeVisible();
  await expect(page.getByText("A senha é curta: use pelo menos 8 caracteres.")).toBeVisible();
  await expect(page.getByText("As senhas não coincidem.")).toBeVisible();
  await expect(page).toHaveURL(/\/signup$/);
});

test("a press on the button counts although it makes an error appear above it", async ({ page }) => {
  await page.goto(`${product.url}/signup`);
  await page.getByLabel("Nome completo").fill("Marina");
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByLabel("E-mail").fill("marina@");
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(page.getByText("E-mail inválido.", { exact: false })).toBeVisible();
  await expect(page.getByLabel("E-mail")).toBeFocused();
});

test("the account gets the zone of the browser that it was made in @decision 12", async ({ browser }) => {
  const context = await browser.newContext({ timezoneId: "America/Manaus" });
  const page = await context.newPage();
  await signUpByForm(page, product.url);
  expect(await (await page.request.get(`${product.url}/api/me`)).json()).toMatchObject({
    timeZone: "America/Manaus",
  });
  await context.close();
});

test("a second account for the same e-mail is refused in words @spec 8.3 @decision 17", async ({ page }) => {
  const email = await signUpByForm(page, product.url);
  await page.getByRole("button", { name: "Sair" }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(`${product.url}/signup`);
  await page.getByLabel("Nome completo").fill("Outra pessoa");
  await page.getByLabel("E-mail").fill(email.toUpperCase());
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a conta.");
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

test("the terms of use can be read before there is an account", async ({ page, context }) => {
  await page.goto(`${product.url}/signup`);
  const opened = context.waitForEvent("page");
  await page.getByRole("link", { name: /termos de uso/ }).click();
  const terms = await opened;
  await expect(terms).toHaveURL(/\/termos$/);
  await expect(terms.getByRole("heading", { level: 1, name: "Termos de uso" })).toBeVisible();
  await expect(terms.getByText(/Versão/)).toBeVisible();
});

test("a browser without cookies is named as the reason at login, not an ended session", async ({ page }) => {
  const email = await signUpUnseen(page, product.url);
  await page.context().clearCookies();
  await withoutCookies(page);
  await page.goto(`${product.url}/login`);
  const said = page.getByRole("alert").filter({ hasText: "Permita os cookies deste site e entre de novo." });
  await logIn(page, email);
  await expect(said).toBeVisible();
  await expect(page.getByText("Sua sessão terminou")).toBeHidden();
  await expect(page).toHaveURL(`${product.url}/login`);

  await page.goto(`${product.url}/signup`);
  await page.getByLabel("Nome completo").fill("Ótica Horizonte");
  await page.getByLabel("E-mail").fill(newEmail());
  await page.getByLabel("Senha", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").check();
  await page.getByRole("button", { name: "Criar conta" }).click();
  await expect(said).toContainText("Sua conta foi criada.");
});

const withoutCookies = (page: Page) =>
  page.route(`${product.url}/api/**`, async (route) => {
    const asked = route.request();
    const answer = await fetch(asked.url(), {
      method: asked.method(),
      body: asked.postData(),
      headers: await asked.allHeaders(),
    });
    const body = await answer.text();
    await route.fulfill({ status: answer.status, contentType: "application/json", body });
  });
