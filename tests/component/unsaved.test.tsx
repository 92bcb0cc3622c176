import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, chat, connection, contactList, message } from "./support/rows.ts";
import { button, dialog, main, pick, press, shows } from "./support/screen.ts";
import { endSession, letIn, logIn, sessionEnded } from "./support/signing.ts";
import { person, world } from "./support/world.ts";

const profile = page.getByRole("form", { name: "Perfil" });
const inProfile = (label: string) => profile.getByLabelText(label);
const question = page.getByRole("alertdialog", { name: "Sair sem salvar?" });
const window_ = page.getByRole("dialog");
const aside = page.getByRole("navigation", { name: "Mais" });
const ANA = '[{ "name": "Ana", "phone": "31 90234-1187" }]';
const gone = (what: Locator) => expect.element(what).not.toBeInTheDocument();
const address = () => location.pathname + location.search;

function signedIn(given: Parameters<typeof world>[0] = {}) {
  const me = person();
  const server = fakeServer(world({ me, ...given }));
  letIn(server, me);
  return { server, email: me.email };
}

function drafts() {
  const [same, over] = ["Páscoa", "Sobra"].map((name) => campaign({ name, status: "draft" }));
  if (!same || !over) throw new Error("no drafts");
  return [same, over] as const;
}

test("signing out names a campaign that was begun, and none that was given up", async () => {
  const [same, over] = drafts();
  const { server } = signedIn({ campaigns: [same, over] });
  server.on("DELETE /api/campaigns/{id}", ({ params }) => {
    server.world.campaigns = server.world.campaigns.filter(({ id }) => id !== params.id);
    return { success: true };
  });
  const name = page.getByLabelText("Nome da campanha");
  await renderApp("/campaigns/new");
  await name.fill("Natal");
  await renderApp("/settings");
  await press("Sair");
  await expect
    .element(question)
    .toMatchTextContent("A campanha que você começou a escrever e não salvou se perde.");
  await expect.element(question).not.toMatchTextContent("nesta tela");
  await button("Continuar aqui", question).click();
  await renderApp("/campaigns/new");
  await press("Descartar e começar de novo");
  await renderApp(`/campaigns/new?reutilizar=${same.id}`);
  await expect.element(name).toHaveValue("Páscoa (cópia)");
  await name.fill("Natal");
  await name.fill("Páscoa (cópia)");
  await renderApp(`/campaigns/new?rascunho=${over.id}`);
  await expect.element(name).toHaveValue("Sobra");
  await name.fill("Sobra 2");
  await renderApp("/campaigns");
  await press("Mais ações de Sobra");
  await pick("Excluir rascunho");
  await button("Excluir", page.getByRole("alertdialog")).click();
  await gone(page.getByText("Sobra", { exact: true }));
  await renderApp("/settings");
  await inProfile("Nome completo").fill("Ótica Aurora");
  await press("Sair");
  await expect.element(question).toMatchTextContent("O que você mudou nesta tela e não salvou se perde.");
  await expect.element(question).not.toMatchTextContent("campanha");
});

test("signing out asks before unsaved input of a form or of the chat is lost", async () => {
  const line = connection();
  const ana = chat({ connectionId: line.id });
  const messages = { [ana.id]: [message({ text: "Passo aí às 17h" })] };
  signedIn({ connections: [line], chats: [ana], messages });
  await renderApp("/settings");
  await inProfile("Nome completo").fill("Ótica Aurora");
  await press("Sair");
  await expect.element(question).toMatchTextContent("O que você mudou nesta tela e não salvou se perde.");
  await expect.element(question).not.toMatchTextContent("campanha");
  await expect.element(question).not.toMatchTextContent("no chat");
  await button("Continuar aqui", question).click();
  await expect.element(inProfile("Nome completo")).toHaveValue("Ótica Aurora");
  await button("Cancelar", profile).click();

  await aside.getByRole("link", { name: /Chat/ }).click();
  await page.getByRole("navigation", { name: "Conversas" }).getByRole("link", { name: /Ana/ }).click();
  await expect.element(page.getByRole("log", { name: "Mensagens" })).toMatchTextContent("Passo aí às 17h");
  await page.getByRole("textbox", { name: "Mensagem", exact: true }).fill("um rascunho");
  await aside.getByRole("link", { name: "Configurações" }).click();
  await inProfile("Nome completo").fill("Ótica Aurora");
  await press("Sair");
  await expect.element(question).toMatchTextContent("O que você mudou nesta tela e não salvou se perde.");
  await expect
    .element(question)
    .toMatchTextContent("O que você escreveu no chat e ainda não enviou se perde.");
  await button("Sair sem salvar", question).click();
  await expect.poll(address).toBe("/login");
});

test("whose session ends while they write goes on from where they were, and one step back leads further", async () => {
  const { server, email } = signedIn();
  await renderApp("/contacts");
  await aside.getByRole("link", { name: "Configurações" }).click();
  await inProfile("Empresa").fill("Aurora Comércio Ltda.");
  await inProfile("E-mail").fill("outra@exemplo.com.br");
  await inProfile("Senha atual").fill("uma senha");
  await endSession(server, "PATCH /api/settings/profile", button("Salvar alterações", profile));
  await logIn(email);
  await expect.element(inProfile("Empresa")).toHaveValue("Aurora Comércio Ltda.");
  await expect.element(inProfile("E-mail")).toHaveValue("outra@exemplo.com.br");
  await expect.element(inProfile("Senha atual")).toHaveValue("");
  await expect.element(profile.getByText("Alterações não salvas")).toBeVisible();
  await button("Cancelar", profile).click();
  await expect.element(inProfile("Empresa")).toHaveValue("");
  history.back();
  await expect.poll(address).toBe("/contacts");
});

test("the fields of a new assistant are there again after the session ended, until they are given up", async () => {
  const { server, email } = signedIn();
  server.world.mistral = { ...server.world.mistral, source: "account" };
  await renderApp("/criar-robo");
  await page.getByLabelText("Nome").fill("Atendente");
  await page.getByLabelText("Instruções").fill("Seja breve e gentil.");
  await endSession(server, "POST /api/mistral/agents", button("Criar Robô"));
  await logIn(email);
  await expect.element(page.getByLabelText("Nome")).toHaveValue("Atendente");
  await expect.element(page.getByLabelText("Instruções")).toHaveValue("Seja breve e gentil.");
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  await button("Sair sem salvar", page.getByRole("alertdialog")).click();
  await main().getByRole("link", { name: "Criar robô" }).first().click();
  await expect.element(page.getByLabelText("Instruções")).toHaveValue("");
});

test("input written as the session ended is not shown to another account", async () => {
  const other = person({ email: "outra@otica.com.br" });
  const { server } = signedIn();
  letIn(server, other);
  await renderApp("/settings");
  await inProfile("Empresa").fill("Aurora Comércio Ltda.");
  await endSession(server, "PATCH /api/settings/profile", button("Salvar alterações", profile));
  await logIn(other.email);
  await expect.element(page.getByRole("banner")).toMatchTextContent(other.email);
  await expect.element(inProfile("Empresa")).toHaveValue("");
});

test("a dialog with input as the session ended, here or in another tab, reopens with it", async () => {
  const { server, email } = signedIn({ lists: [contactList({ name: "Clientes", count: 3 })] });
  const open = (name: string) => button(name).first().click();
  const within = (label: string) => window_.getByLabelText(label, { exact: true });
  await renderApp("/contacts");
  await open("Importar");
  await window_.getByRole("tab", { name: "Colar JSON" }).click();
  await window_.getByLabelText("Contatos em JSON").fill(ANA);
  await endSession(server, "POST /api/contact-import-drafts", button("Continuar", window_));
  await logIn(email);
  await expect.element(window_.getByLabelText("Contatos em JSON")).toHaveValue(ANA);
  await button("Cancelar", window_).click();
  await open("Importar");
  await window_.getByRole("tab", { name: "Colar JSON" }).click();
  await expect.element(window_.getByLabelText("Contatos em JSON")).toHaveValue("");
  await button("Cancelar", window_).click();

  await open("Novo Contato");
  await within("Nome").fill("Bruno");
  await window_.getByLabelText("Lista").selectOptions("Clientes (3 contatos)");
  server.world.me = null;
  new BroadcastChannel("recado-session").postMessage(null);
  await sessionEnded();
  await logIn(email);
  await expect.element(within("Nome")).toHaveValue("Bruno");
  await expect.element(window_.getByLabelText("Lista")).toHaveDisplayValue("Clientes (3 contatos)");

  await renderApp("/instances");
  await open("Cadastrar evolution");
  await within("URL").fill("https://evolution.exemplo.com.br");
  await within("API Key").fill("chave do servidor");
  await endSession(server, "POST /api/gateways", button("Cadastrar", window_));
  await logIn(email);
  await expect.element(within("URL")).toHaveValue("https://evolution.exemplo.com.br");
  await expect.element(within("API Key")).toHaveValue("");
});

const heard = () =>
  !document.querySelector("[role=dialog]") || document.querySelector("[role=alertdialog]") !== null;

/** A dialog that has just opened takes a press beside it for the second half of a double click. */
const beside = () =>
  expect
    .poll(async () => {
      const behind = document.querySelector("[data-ui~=overlay]");
      if (!heard() && behind) await page.elementLocator(behind).click({ position: { x: 8, y: 8 } });
      return heard();
    })
    .toBe(true);
const SLIPS = [beside, () => userEvent.keyboard("{Escape}"), async () => history.back()];

const drawn = () => page.getByText("Importar contatos", { exact: true }).last().screenshot({ save: false });

test("a slip beside a window loses nothing that was written in it", async () => {
  signedIn();
  await renderApp("/contacts");
  for (const slip of SLIPS) {
    await press("Importar");
    await window_.getByRole("tab", { name: "Colar JSON" }).click();
    await slip();
    await gone(window_);
  }
  await press("Importar");
  await window_.getByRole("tab", { name: "Colar JSON" }).click();
  const field = window_.getByLabelText("Contatos em JSON");
  await field.fill(ANA);
  const alone = await drawn();
  for (const slip of SLIPS) {
    await slip();
    await expect.element(question).toBeVisible();
    expect(await drawn()).not.toBe(alone);
    await button("Continuar aqui", question).click();
    await gone(question);
    await expect.element(field).toHaveValue(ANA);
  }
  const unload = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(unload);
  expect(unload.defaultPrevented).toBe(true);
  await button("Cancelar", window_).click();
  await gone(window_);
  const later = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(later);
  expect(later.defaultPrevented).toBe(false);
});

test("a window's own buttons ask nothing, and one left by Esc gives the focus back", async () => {
  signedIn();
  await renderApp("/contacts");
  await press("Novo Contato");
  await window_.getByLabelText("Nome").fill("Ana");
  await button("Fechar", window_).click();
  await gone(window_);
  await press("Descadastrados");
  await dialog("Quem não quer receber campanhas")
    .getByLabelText("Não enviar campanhas para")
    .fill("31 90234");
  await userEvent.keyboard("{Escape}");
  await button("Sair sem salvar", question).click();
  await gone(window_);
  await expect.element(button("Descadastrados")).toHaveFocus();
  await shows("Nenhuma lista de contatos");
});
