import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contactList, session } from "./support/rows.ts";
import { button, count, dialog, press, pressKey, shows, texts } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const PASSWORD = "uma frase de senha longa";
const LINUX = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0";

const form = (name: string) => page.getByRole("form", { name });
const sections = () => page.getByRole("navigation", { name: "Seções das configurações" });
const question = () => page.getByRole("alertdialog", { name: "Sair sem salvar?" });
const place = () => location.pathname + location.search;
const company = () => form("Perfil").getByLabelText("Empresa");
const zone = () => form("Perfil").getByRole("combobox", { name: "Fuso horário" });
const zones = () => page.getByRole("listbox").getByRole("option");

test("the parts are places of their own, with a way back @spec 2.7,2.54", async () => {
  await renderApp("/");
  await page.getByRole("navigation", { name: "Mais" }).getByRole("link", { name: "Configurações" }).click();
  const links = sections().getByRole("link");
  await expect
    .poll(() => texts(links))
    .toEqual(["Geral", "Chaves de API", "Conexão do WhatsApp", "Notificações", "Uso", "Atividade"]);
  await expect.element(links.nth(0)).toHaveAttribute("aria-current", "page");
  await links.nth(4).click();
  await expect.poll(place).toBe("/settings?aba=uso");
  await shows("Esta conta não tem limite de mensagens.");
  history.back();
  await expect.element(page.getByRole("heading", { name: "Perfil" })).toBeVisible();
  await renderApp("/settings?aba=nada");
  await expect.element(page.getByRole("heading", { name: "Perfil" })).toBeVisible();
});

test("what is unsaved of the profile is not lost by a stray click @spec 2.55 @decision 28", async () => {
  await renderApp("/settings?aba=geral");
  const profile = form("Perfil");
  const name = profile.getByLabelText("Nome completo");
  await name.fill("");
  await button("Salvar alterações", profile).click();
  await expect.element(profile.getByText("Informe seu nome.")).toBeVisible();
  await name.fill("Ótica Aurora");
  await expect.element(profile.getByText("Alterações não salvas")).toBeVisible();
  await sections().getByRole("link", { name: "Uso" }).click();
  await button("Continuar aqui", question()).click();
  await expect.poll(place).toBe("/settings?aba=geral");
  await expect.element(name).toHaveValue("Ótica Aurora");
  await button("Cancelar", profile).click();
  await expect.element(name).toHaveValue("Ótica Horizonte");

  await company().fill("Outra");
  await sections().getByRole("link", { name: "Uso" }).click();
  await button("Sair sem salvar", question()).click();
  await expect.poll(place).toBe("/settings?aba=uso");
});

test("name, company and time zone are saved; what is typed meantime stays @spec 2.55 @decision 16", async () => {
  const server = fakeServer();
  await renderApp("/settings?aba=geral");
  const profile = form("Perfil");
  await profile.getByLabelText("Nome completo").fill("Ótica Aurora");
  await company().fill("Aurora Comércio Ltda.");
  await expect.element(zone()).toHaveValue("Horário de Brasília · São Paulo");
  await zone().click();
  await expect.element(zones().first()).toMatchTextContent("São Paulo, Rio de Janeiro");
  await userEvent.keyboard("rio branco");
  await count(zones(), 1);
  await userEvent.keyboard("{Enter}");
  await expect.element(zone()).toHaveValue("Horário do Acre · Rio Branco");
  const late = server.hold("PATCH /api/settings/profile");
  await button("Salvar alterações", profile).click();
  expect((await late.asked).body).toEqual({
    name: "Ótica Aurora",
    company: "Aurora Comércio Ltda.",
    timeZone: "America/Rio_Branco",
  });
  await pressKey(company(), "End");
  await userEvent.keyboard(" Filial");
  late.release();
  await shows("Alterações salvas");
  await expect.element(page.getByRole("banner").getByText("Ótica Aurora")).toBeVisible();
  await expect.element(company()).toHaveValue("Aurora Comércio Ltda. Filial");
  await expect.element(company()).toHaveFocus();
  await button("Cancelar", profile).click();
  await expect.element(company()).toHaveValue("Aurora Comércio Ltda.");
  await expect.element(button("Cancelar", profile)).not.toBeInTheDocument();
  await renderApp("/settings?aba=geral");
  await expect.element(profile.getByLabelText("Nome completo")).toHaveValue("Ótica Aurora");
  await expect.element(zone()).toHaveValue("Horário do Acre · Rio Branco");
});

test("the language is chosen at once, for the account and every browser of it", async () => {
  const server = fakeServer();
  // The page would be loaded again after the answer.
  const chosen = server.hold("PUT /api/language");
  await renderApp("/settings?aba=geral");
  await page.getByRole("combobox", { name: "Idioma das telas" }).selectOptions("English");
  expect((await chosen.asked).body).toEqual({ language: "en" });
  expect(server.requests("PATCH /api/settings/profile").map(({ body }) => body)).toEqual([
    { language: "en" },
  ]);
  expect(place()).toBe("/settings?aba=geral");
  await renderApp("/settings?aba=geral");
  await expect.poll(() => chosen.met.map(({ body }) => body.language)).toEqual(["en", "en"]);
});

test("the zone is found by its name and chosen by keyboard alone; Esc leaves it as it was", async () => {
  await renderApp("/settings?aba=geral");
  await pressKey(zone(), "ArrowDown");
  await expect.element(page.getByRole("listbox")).toBeVisible();
  await userEvent.keyboard("japao");
  await count(zones(), 1);
  await expect.element(zones()).toMatchTextContent("Horário do Japão");
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("listbox")).not.toBeInTheDocument();
  await expect.element(zone()).toHaveValue("Horário de Brasília · São Paulo");
  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  await expect.element(zone()).toHaveValue("Horário do Amazonas · Manaus");
  await userEvent.keyboard("{ArrowDown}marte");
  await shows(/Nenhum fuso encontrado\./);
});

test("another e-mail asks for the password @spec 2.55", async () => {
  const server = fakeServer();
  server.on("PATCH /api/settings/profile", ({ body: { password, email } }) => {
    if (password !== PASSWORD) throw refuse("invalid_fields", { fields: { password: "Senha incorreta." } });
    server.world.me = person({ ...server.world.me, email: email ?? "" });
    return server.world.me;
  });
  await renderApp("/settings?aba=geral");
  const profile = form("Perfil");
  await profile.getByLabelText("E-mail").fill("nova@otica.com.br");
  await button("Salvar alterações", profile).click();
  await expect.element(profile.getByText("Informe a senha para trocar o e-mail.")).toBeVisible();
  await profile.getByLabelText("Senha atual").fill("não é esta senha");
  await button("Salvar alterações", profile).click();
  await expect.element(profile.getByRole("alert")).toMatchTextContent("Senha incorreta.");
  await profile.getByLabelText("Senha atual").fill(PASSWORD);
  server.world.me = person({ ...server.world.me, company: "Aurora" });
  await button("Salvar alterações", profile).click();
  await shows("Alterações salvas");
  expect(server.requests("PATCH /api/settings/profile").at(-1)?.body).toEqual({
    email: "nova@otica.com.br",
    password: PASSWORD,
  });
  await expect.element(page.getByRole("banner").getByText("nova@otica.com.br")).toBeVisible();
  await expect.element(company()).toHaveValue("Aurora");
});

test("a session elsewhere is seen and ended @spec 2.55 @decision 16", async () => {
  const mine = session({ current: true, userAgent: LINUX });
  const other = session({ userAgent: LINUX });
  const server = fakeServer(world({ sessions: [mine, other] }));
  server.on("DELETE /api/settings/sessions/{sessionId}", ({ params: { sessionId } }) => {
    const { sessions } = server.world;
    if (!sessions.some(({ id }) => id === sessionId)) throw refuse("not_found");
    server.world.sessions = [mine];
    return { success: true };
  });
  const { queries } = await renderApp("/settings?aba=geral");
  const list = page.getByRole("list", { name: "Sessões" });
  const rows = list.getByRole("listitem");
  await count(rows, 2);
  await count(list.getByText("Este navegador"), 1);
  await count(list.getByText("Chrome no Linux"), 2);
  await pressKey(button("Encerrar: Chrome no Linux", list), "Enter");
  await shows("Sessão encerrada");
  await count(rows, 1);
  await expect.element(list).toHaveFocus();
  expect(server.requests("DELETE /api/settings/sessions/{sessionId}")[0]?.params.sessionId).toBe(other.id);

  server.world.sessions = [mine, session({ userAgent: LINUX })];
  void queries.invalidateQueries();
  await count(rows, 2);
  server.world.sessions = [mine];
  await press("Encerrar: Chrome no Linux");
  await count(rows, 1);
  await expect.element(page.getByText("A sessão não foi encerrada.")).not.toBeInTheDocument();
});

test("a new password ends all other sessions; a late answer does not move the focus @spec 2.55 @decision 16", async () => {
  const mine = session({ current: true });
  const server = fakeServer(world({ sessions: [mine, session()] }));
  server.on("POST /api/settings/password", ({ body: { password } }) => {
    if (password !== PASSWORD) throw refuse("invalid_fields", { fields: { password: "Senha incorreta." } });
    server.world.sessions = [mine];
    return { endedSessions: 1, ended: [], living: [] };
  });
  await renderApp("/settings?aba=geral");
  const password = form("Senha");
  const now = password.getByLabelText("Senha atual");
  await now.fill("não é esta senha");
  await password.getByLabelText("Nova senha", { exact: true }).fill("outra frase bem comprida");
  await password.getByLabelText("Confirmar nova senha").fill("outra frase");
  await button("Trocar senha", password).click();
  await expect.element(password.getByText("As senhas não coincidem.")).toBeVisible();
  await password.getByLabelText("Confirmar nova senha").fill("outra frase bem comprida");
  await button("Trocar senha", password).click();
  await expect.element(now).toHaveAttribute("aria-invalid", "true");
  await expect.element(now).toHaveFocus();
  const submit = async () => {
    const late = server.hold("POST /api/settings/password");
    await button("Trocar senha", password).click();
    await late.asked;
    (await company().findElement()).focus();
    late.release();
  };
  await now.fill("nem esta");
  await expect.element(now).not.toHaveAttribute("aria-invalid");
  await submit();
  await expect.element(now).toHaveAttribute("aria-invalid", "true");
  await expect.element(button("Trocar senha", password)).toBeEnabled();
  await expect.element(company()).toHaveFocus();
  await now.fill(PASSWORD);
  await submit();
  await shows("Senha trocada. 1 outra sessão encerrada.");
  await expect.element(now).toHaveValue("");
  await expect.element(company()).toHaveFocus();
  await count(page.getByRole("list", { name: "Sessões" }).getByRole("listitem"), 1);
});

test("everything of the account comes as one file", async () => {
  await renderApp("/settings?aba=geral");
  const link = page.getByRole("link", { name: "Exportar dados" });
  await expect.element(link).toHaveAttribute("href", "/api/settings/export");
  await expect.element(link).toHaveAttribute("download");
});

test("an account is deleted only after its losses were shown, a word typed and the password given", async () => {
  const sending = campaign({ status: "sending", states: { pending: 2 } });
  const campaigns = [sending, campaign({ states: { read: 3 } })];
  const lists = [contactList({ count: 1250 })];
  const server = fakeServer(world({ campaigns, lists, connections: [connection()] }));
  server.on("POST /api/settings/account/delete", ({ body }) => {
    if (body.password !== PASSWORD)
      throw refuse("invalid_fields", { fields: { password: "Senha incorreta." } });
    server.world.me = null;
  });
  await renderApp("/settings?aba=geral");
  await press("Excluir conta");
  const opened = dialog("Tem certeza que deseja excluir sua conta?");
  await expect
    .poll(() => texts(opened.getByRole("listitem")))
    .toEqual([
      "2 campanhas com seus históricos de envios",
      "1.250 contatos das suas listas",
      "1 conexão do WhatsApp com suas conversas",
      "chaves de API, robôs vinculados e configurações",
    ]);
  await expect.element(opened.getByText("1 campanha em andamento para de enviar na hora.")).toBeVisible();
  const verb = button("Excluir conta para sempre", opened);
  await verb.click();
  await expect.element(opened.getByText("Escreva EXCLUIR para confirmar.")).toBeVisible();
  await opened.getByLabelText("Para confirmar, escreva EXCLUIR").fill("excluir");
  await opened.getByLabelText("Senha", { exact: true }).fill("não é esta senha");
  expect(server.requests("POST /api/settings/account/delete")).toEqual([]);
  await verb.click();
  await expect.element(opened.getByRole("alert")).toMatchTextContent("Senha incorreta.");
  await opened.getByLabelText("Senha", { exact: true }).fill(PASSWORD);
  await verb.click();
  await expect.poll(() => location.pathname).toBe("/login");
  await shows("Sua conta foi excluída, com tudo o que era dela.");
});
