import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { button, press, shows } from "./support/screen.ts";
import { fillSignUp, letIn, logIn, PASSWORD } from "./support/signing.ts";
import { person, world } from "./support/world.ts";

const EMAIL = "marina@exemplo.com.br";
const place = () => location.pathname;
const field = (label: string) => page.getByLabelText(label, { exact: true });
const said = page.getByRole("alert");
const visitor = () => fakeServer(world({ me: null }));

function signsUp(server: FakeServer, holds = true) {
  server.on("POST /api/signup", ({ body: { name, email, timeZone = "America/Sao_Paulo" } }) => {
    const me = person({ name, email, timeZone });
    if (holds) server.world.me = me;
    return me;
  });
}

test("26.16 a taken e-mail is refused in words, and offers login and a new password @spec 8.3 @decision 17", async () => {
  const server = visitor();
  server.refuse("POST /api/signup", "signup_failed");
  await renderApp("/signup");
  await fillSignUp(EMAIL);
  await press("Criar conta");
  await expect.element(said).toMatchTextContent("Não foi possível criar a conta.");
  await expect
    .element(said)
    .toMatchTextContent("Se este e-mail já tem uma conta, entre nela ou crie uma nova senha.");
  await expect.element(said.getByRole("link", { name: "Esqueci minha senha" })).toBeVisible();
  await said.getByRole("link", { name: "Entrar com este e-mail" }).click();
  await expect.poll(place).toBe("/login");
  await expect.element(page.getByLabelText("E-mail")).toHaveValue(EMAIL);
});

test("every screen but login, sign-up and terms asks who one is @spec 1.1,2.2,2.3,2.4,2.5,2.6,2.7,2.8,2.9,2.10,2.11,2.12,2.13,2.14,2.23,2.27,6.1 @decision 2", async () => {
  visitor();
  const places = ["/", "/campaigns", "/campaigns/new", "/contacts", "/instances", "/baileys"];
  const more = [
    "/whatsapp/connect",
    "/whatsapp/connections",
    "/chat",
    "/chatbot",
    "/criar-robo",
    "/settings",
  ];
  for (const each of [...places, ...more]) {
    await renderApp(each);
    await expect.element(button("Entrar")).toBeVisible();
    const wanted = each === "/" ? "" : `?redirect=${encodeURIComponent(each)}`;
    expect(location.pathname + location.search).toBe(`/login${wanted}`);
  }
  await page.getByRole("link", { name: "Entre em contato" }).click();
  await expect.poll(place).toBe("/signup");
  await page.getByRole("link", { name: "Entrar" }).click();
  await expect.poll(place).toBe("/login");
});

test("while a form is on its way its button says so, and is pressed once @spec 2.22", async () => {
  const server = visitor();
  server.on("POST /api/login", () => {
    throw refuse("unavailable");
  });
  const held = server.hold("POST /api/login");
  await renderApp("/login");
  await page.getByLabelText("E-mail").fill(EMAIL);
  await field("Senha").fill(PASSWORD);
  await button("Entrar").dblClick();
  await expect.element(button("Entrando...")).toBeVisible();
  held.release();
  await expect.element(said).toMatchTextContent("O serviço está indisponível");
  expect(server.requests("POST /api/login")).toHaveLength(1);
});

test("the login form reports missing fields without a request @spec 5.1", async () => {
  const server = visitor();
  await renderApp("/login");
  await press("Entrar");
  await shows("Informe o e-mail.");
  await shows("Informe a senha.");
  await logIn("ana@", "x");
  await shows("E-mail inválido.");
  expect(server.requests("POST /api/login")).toEqual([]);
  await expect.element(page.getByRole("link", { name: "Esqueci minha senha" })).toBeVisible();
});

test("while the sign-up is on its way its button says so, and it ends on the dashboard @spec 2.2,2.4,2.26,2.28 @decision 17", async () => {
  const server = visitor();
  signsUp(server);
  const held = server.hold("POST /api/signup");
  await renderApp("/signup");
  await fillSignUp(EMAIL);
  await press("Criar conta");
  await expect.element(button("Criando conta...")).toBeDisabled();
  held.release();
  await shows("Painel de Controle");
  expect(place()).toBe("/");
});

test("login never redirects to another site @spec 2.24", async () => {
  const server = visitor();
  const me = person();
  letIn(server, me);
  for (const elsewhere of ["//exemplo.com", "https://exemplo.com/x", "/\\exemplo.com"]) {
    await renderApp(`/login?redirect=${encodeURIComponent(elsewhere)}`);
    await logIn(me.email);
    await expect.element(page.getByRole("banner")).toMatchTextContent(me.email);
    expect(location.pathname + location.search).toBe("/");
    await press("Sair");
    await expect.poll(place).toBe("/login");
  }
});

test("the sign-up form says what is missing, at the field, and goes there @spec 2.25,5.2,8.2 @decision 17", async () => {
  const server = visitor();
  await renderApp("/signup");
  await press("Criar conta");
  await shows("Informe seu nome.");
  await expect.element(field("Nome completo")).toHaveFocus();
  await shows("Aceite os termos de uso para criar a conta.");
  await shows("Repita a senha.");

  await field("Nome completo").fill("Marina");
  await page.getByLabelText("E-mail").fill("marina@");
  await field("Senha").fill("curta");
  await field("Confirmar senha").fill("outra");
  await shows("E-mail inválido.");
  await shows("A senha é curta: use pelo menos 8 caracteres.");
  await shows("As senhas não coincidem.");
  expect(place()).toBe("/signup");
  expect(server.requests("POST /api/signup")).toEqual([]);
});

test("a press on the button counts although it makes an error appear above it", async () => {
  visitor();
  await renderApp("/signup");
  await fillSignUp(EMAIL);
  await page.getByLabelText("E-mail").fill("marina@");
  await press("Criar conta");
  await shows("E-mail inválido.");
  await expect.element(page.getByLabelText("E-mail")).toHaveFocus();
});

test("the account gets the zone of the browser that it was made in @decision 12", async () => {
  const server = visitor();
  signsUp(server);
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockImplementation(function (
    this: Intl.DateTimeFormat,
  ) {
    return { ...resolvedOptions.call(this), timeZone: "America/Manaus" };
  });
  await renderApp("/signup");
  await fillSignUp(EMAIL);
  await press("Criar conta");
  await shows("Painel de Controle");
  expect(server.requests("POST /api/signup").map(({ body }) => body.timeZone)).toEqual(["America/Manaus"]);
});

test("the terms of use can be read before there is an account", async () => {
  visitor();
  await renderApp("/signup");
  const link = page.getByRole("link", { name: /termos de uso/ });
  await expect.element(link).toHaveAttribute("href", "/termos");
  await expect.element(link).toHaveAttribute("target", "_blank");
  await renderApp("/termos");
  await expect.element(page.getByRole("heading", { level: 1, name: "Termos de uso" })).toBeVisible();
  await shows(/Versão/);
  expect(place()).toBe("/termos");
});

test("an operator's terms are read as headings, paragraphs and lists, and never as HTML", async () => {
  const server = visitor();
  server.world.terms = {
    version: "2",
    text: "# Termos\n\n## O que é\nO **Recado** envia.\n\n- golpes;\n- ofensas.\n\n1. Aceite.\n\nNada <i>mais</i>\nvale.",
  };
  await renderApp("/termos");
  await expect.element(page.getByRole("heading", { level: 2, name: "O que é" })).toBeVisible();
  const paragraph = (text: string) => page.getByRole("paragraph").filter({ hasText: text });
  await expect.element(paragraph("O Recado envia.").getByText("Recado", { exact: true })).toBeVisible();
  const items = page.getByRole("listitem").elements();
  expect(items.map(({ textContent: text, parentElement: list }) => [list?.tagName, text])).toEqual([
    ["UL", "golpes;"],
    ["UL", "ofensas."],
    ["OL", "Aceite."],
  ]);
  await expect.element(paragraph("Nada <i>mais</i> vale.")).toBeVisible();
});

test("a browser without cookies is named as the reason at login, not an ended session", async () => {
  const server = visitor();
  server.on("POST /api/login", () => person());
  const reason = said.filter({ hasText: "Permita os cookies deste site e entre de novo." });
  await renderApp("/login");
  await logIn(EMAIL);
  await expect.element(reason).toBeVisible();
  await expect.element(page.getByText("Sua sessão terminou")).not.toBeInTheDocument();
  expect(location.pathname + location.search).toBe("/login");

  signsUp(server, false);
  await renderApp("/signup");
  await fillSignUp(EMAIL);
  await press("Criar conta");
  await expect.element(reason).toMatchTextContent("Sua conta foi criada.");
});

test("a language that cannot be kept is said, and the page stays as it is", async () => {
  const server = fakeServer();
  server.drop("PATCH /api/settings/profile");
  await renderApp("/");
  await press(/^Menu da conta/);
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await shows("O servidor não respondeu.");
  expect(server.requests("PUT /api/language")).toEqual([]);
});

/** Nothing follows the request for another language: the page would load again. */
const neverKept = (server: FakeServer) => server.hold("PUT /api/language");

test("a language that is chosen inside is the account's, and then the browser's", async () => {
  const server = fakeServer();
  const held = neverKept(server);
  await renderApp("/");
  await press(/^Menu da conta/);
  await page.getByRole("menuitemradio", { name: "English" }).click();
  expect((await held.asked).body).toEqual({ language: "en" });
  expect(server.world.me?.language).toBe("en");
});

test("what a visitor chose on the way in wins over what the account had", async () => {
  const server = visitor();
  const me = person({ language: "en" });
  letIn(server, me);
  const held = neverKept(server);
  await renderApp("/login");
  await button("English", page.getByRole("group", { name: "Idioma" })).click();
  expect((await held.asked).body).toEqual({ language: "en" });
  const chosen = Object.entries(sessionStorage).find(([, language]) => language === "en");
  sessionStorage.setItem(chosen?.[0] ?? "", "pt-BR");
  await renderApp("/login");
  await logIn(me.email);
  await shows("Painel de Controle");
  expect(server.requests("PATCH /api/settings/profile").map(({ body }) => body)).toEqual([
    { language: "pt-BR" },
  ]);
  expect(held.met).toHaveLength(1);
});

test("without a choice on the way in the page follows the account's language", async () => {
  const server = visitor();
  const me = person({ language: "en" });
  letIn(server, me);
  const held = neverKept(server);
  await renderApp("/login");
  await logIn(me.email);
  expect((await held.asked).body).toEqual({ language: "en" });
  expect(server.requests("PATCH /api/settings/profile")).toEqual([]);
});
