import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { apiKey, auditEvent } from "./support/rows.ts";
import { button, count, press, shows } from "./support/screen.ts";
import { fillSignUp, letIn, logIn, PASSWORD } from "./support/signing.ts";
import { person, world } from "./support/world.ts";

const NEW = "o sabiá canta cedo";
const address = () => location.pathname + location.search;
const email = page.getByLabelText("E-mail");
const newPassword = page.getByLabelText("Nova senha", { exact: true });
const heading = (name: string) => page.getByRole("heading", { name });
const gone = (text: string) => expect.element(page.getByText(text)).not.toBeInTheDocument();
const key = (name: string) => ({ kind: "key" as const, name, prefix: "rcd_abc" });

function visitor() {
  const me = person();
  const server = fakeServer(world({ me: null }));
  letIn(server, me);
  server.on("POST /api/password-reset", () => undefined);
  server.on("POST /api/password-reset/link", () => ({ email: me.email }));
  server.on("POST /api/password-reset/password", () => ({ endedSessions: 1, ended: [], living: [] }));
  return { server, me };
}

async function setPassword() {
  await newPassword.fill(NEW);
  await page.getByLabelText("Confirmar nova senha").fill(NEW);
  await press("Definir senha");
}

test("the e-mail that was typed and the screen that was wanted come along to where the new password lets in", async () => {
  const { server, me } = visitor();
  await renderApp("/contacts");
  await expect.element(button("Entrar")).toBeVisible();
  expect(address()).toBe("/login?redirect=%2Fcontacts");
  await email.fill(me.email);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect.poll(address).toBe("/esqueci-a-senha?redirect=%2Fcontacts");
  await expect.element(email).toHaveValue(me.email);
  await page.getByRole("link", { name: "Voltar para entrar" }).click();
  await expect.poll(address).toBe("/login?redirect=%2Fcontacts");
  await expect.element(email).toHaveValue(me.email);
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await press("Enviar link");
  await expect.element(heading("Confira o seu e-mail")).toHaveFocus();
  expect(server.requests("POST /api/password-reset").map(({ body }) => body)).toEqual([{ email: me.email }]);

  await renderApp("/nova-senha#segredo");
  await expect.element(newPassword).toHaveAttribute("autocomplete", "new-password");
  await expect
    .element(page.getByLabelText("Confirmar nova senha"))
    .toHaveAttribute("autocomplete", "new-password");
  expect(location.pathname + location.hash).toBe("/nova-senha");
  // Password managers need the e-mail that this password is for.
  expect(document.querySelector<HTMLInputElement>("form input[autocomplete=username]")?.value).toBe(me.email);
  await setPassword();
  await expect.element(page.getByText("Senha definida. Entre com ela.")).toBeVisible();
  await expect.element(email).toHaveValue(me.email);
  expect(location.href).not.toContain("@");
  await logIn(me.email);
  await expect.poll(address).toBe("/contacts");
  await expect.element(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
});

test("what was said of a sent link does not tell whether an account has the e-mail, and another one can be typed", async () => {
  visitor();
  await renderApp("/esqueci-a-senha");
  await email.fill("quem@exemplo.com.br");
  await press("Enviar link");
  await expect.element(heading("Confira o seu e-mail")).toHaveFocus();
  await shows("Se houver uma conta com este e-mail, enviamos um link.");
  await press("Informar outro e-mail");
  await expect.element(heading("Esqueci minha senha")).toHaveFocus();
  await press("Enviar link");
  await shows("Informe o e-mail.");
});

test("a server without mail says who can set a password, and how", async () => {
  fakeServer(world({ me: null, byMail: false }));
  await renderApp("/login");
  await page.getByRole("link", { name: "Esqueci minha senha" }).click();
  await expect.element(heading("Peça uma senha nova")).toBeVisible();
  await shows("npm run account -- reset-password --email");
});

test("of two links that are opened one after the other the second one's answer holds", async () => {
  const { server, me } = visitor();
  let refused = 0;
  server.on("POST /api/password-reset/link", ({ body }) => {
    if (body.token === "segundo") return { email: me.email };
    refused++;
    throw refuse("reset_link_over");
  });
  const late = server.hold("POST /api/password-reset/link", ({ body }) => body.token === "primeiro");
  await renderApp("/nova-senha#primeiro");
  await expect.element(heading("Definir nova senha")).toBeVisible();
  await late.asked;
  location.hash = "segundo";
  await expect.element(newPassword).toBeVisible();
  late.release();
  await expect.poll(() => refused).toBe(late.met.length);
  await newPassword.fill(NEW);
  await expect.element(heading("Definir nova senha")).toBeVisible();
});

test("a new e-mail waits for its own address, and may be given up", async () => {
  const me = person();
  const to = "nova@otica.com.br";
  const server = fakeServer(world({ me }));
  server.on("PATCH /api/settings/profile", ({ body }) => {
    const change = body.email !== undefined && body.email !== me.email;
    const confirmation = change ? { email: body.email ?? "", change, by: "link" as const } : null;
    server.world.me = { ...me, confirmation };
    return server.world.me;
  });
  const profile = page.getByRole("form", { name: "Perfil" });
  const change = async () => {
    await profile.getByLabelText("E-mail").fill(to);
    await profile.getByLabelText("Senha atual").fill(PASSWORD);
    await button("Salvar alterações", profile).click();
    await expect.element(page.getByText("O seu novo e-mail espera pela confirmação.")).toBeVisible();
  };
  await renderApp("/settings");
  await change();
  await expect.element(profile.getByLabelText("E-mail")).toHaveValue(me.email);
  await press("Desistir da troca");
  await shows("A troca de e-mail foi desfeita.");
  await gone("O seu novo e-mail espera pela confirmação.");
  await change();
  server.on("POST /api/email-confirmation/link", () => ({ email: to, change: true }));
  server.on("POST /api/email-confirmation/confirm", () => {
    server.world.me = { ...me, email: to };
    return { email: to, change: true };
  });
  await renderApp("/confirmar-email#segredo");
  await press("Confirmar");
  await expect.element(heading("E-mail confirmado")).toHaveFocus();
  await shows(`Agora você entra com ${to}, e os avisos vão para lá.`);
  await page.getByRole("link", { name: "Abrir o Recado" }).click();
  await expect.element(page.getByRole("banner").getByText(to)).toBeVisible();
});

test("F6 what a new password has ended is said where it was changed", async () => {
  const server = fakeServer();
  server.on("POST /api/settings/password", () => ({
    endedSessions: 0,
    ended: [key("Loja antiga")],
    living: [],
  }));
  await renderApp("/settings");
  const form = page.getByRole("form", { name: "Senha" });
  await expect.element(form.getByRole("checkbox", { name: /^Revogar também/ })).toBeChecked();
  await form.getByLabelText("Senha atual").fill(PASSWORD);
  await form.getByLabelText("Nova senha", { exact: true }).fill("outra frase bem comprida");
  await form.getByLabelText("Confirmar nova senha").fill("outra frase bem comprida");
  await button("Trocar senha", form).click();
  await shows("Chave de API «Loja antiga»");
  expect(server.requests("POST /api/settings/password").map(({ body }) => body.endAccess)).toEqual([true]);
});

test("F6 what a new password by a link has ended is said on the page after it", async () => {
  const { server, me } = visitor();
  const changed = { endedSessions: 1, ended: [key("Loja nova")], living: [] };
  server.on("POST /api/password-reset/password", () => changed);
  await renderApp("/nova-senha#segredo");
  await setPassword();
  await expect.element(heading("Senha definida")).toHaveFocus();
  await shows("Chave de API «Loja nova»");
  await page.getByRole("link", { name: "Entrar" }).click();
  await expect.element(email).toHaveValue(me.email);
});

test("a dialog that makes a key asks for the password, and reports a wrong one at its field", async () => {
  const server = fakeServer();
  server.on("POST /api/settings/api-keys", ({ body }) => {
    if (body.password !== PASSWORD)
      throw refuse("invalid_fields", { fields: { password: "Senha incorreta." } });
    server.world.keys = [apiKey({ name: body.name })];
    return { key: "rcd_segredo", apiKey: apiKey({ name: body.name }) };
  });
  await renderApp("/settings?aba=chaves");
  const dialog = page.getByRole("dialog");
  const password = dialog.getByLabelText("Senha da sua conta");
  await press("Gerar nova chave");
  await expect.element(dialog.getByLabelText("Nome")).toBeVisible();
  await expect.poll(() => server.requests("GET /api/settings/password-proof").length).toBeGreaterThan(0);
  await expect.element(password).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
  server.world.passwordNeeded = true;
  await press("Gerar nova chave");
  await dialog.getByLabelText("Nome").fill("Loja");
  await password.fill("errada 123");
  await button("Gerar chave", dialog).click();
  await expect.element(dialog.getByText("Senha incorreta.")).toBeVisible();
  await expect.element(password).toHaveFocus();
  await password.fill(PASSWORD);
  await button("Gerar chave", dialog).click();
  await expect.element(heading("Chave «Loja» gerada")).toBeVisible();
});

test("27.F4 an invitation used by another person is reported as over, in place of the form", async () => {
  const { server } = visitor();
  server.world.signupOpen = false;
  server.on("POST /api/signup/invitation", () => ({ email: null }));
  await renderApp("/signup#convite");
  await fillSignUp("rui@exemplo.com.br");
  server.refuse("POST /api/signup/invitation", "invitation_over");
  server.refuse("POST /api/signup", "invitation_over");
  await press("Criar conta");
  await shows("Este convite não vale mais.");
  await expect.element(page.getByRole("heading", { level: 1, name: "Criar conta" })).toHaveFocus();
  await expect.element(page.getByLabelText("Nome completo")).not.toBeInTheDocument();
  expect(server.requests("POST /api/signup").map(({ body }) => body.invitation)).toEqual(["convite"]);
});

test("27.F4 a suspended person is out with what the page hears next, reads why at login, and is back in after the resume", async () => {
  const { server, me } = visitor();
  server.world.me = me;
  server.world.audit = [auditEvent({ kind: "account_suspended" }), auditEvent({ kind: "account_resumed" })];
  await renderApp("/");
  await shows("Painel de Controle");
  server.world.me = null;
  const outside = server.refuse("GET /api/campaign-summary", "unauthenticated");
  await server.publish("campaigns");
  await expect.poll(() => location.pathname).toBe("/login");
  outside.stop();
  const suspended = server.refuse("POST /api/login", "account_suspended");
  await logIn(me.email);
  await expect
    .element(page.getByRole("alert"))
    .toMatchTextContent("Esta conta está suspensa, e nada é enviado por ela.");
  suspended.stop();
  await logIn(me.email);
  await shows("Painel de Controle");
  await renderApp("/settings?aba=atividade");
  const activity = page.getByRole("listitem");
  await count(activity.filter({ hasText: "Conta suspensa: ninguém entra e nada é enviado" }), 1);
  await count(activity.filter({ hasText: "Suspensão da conta encerrada" }), 1);
});
