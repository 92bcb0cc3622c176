import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { reloadApp, renderApp } from "./support/render-app.tsx";
import { contact, contactList } from "./support/rows.ts";
import { button, dialog, press, shows } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const opened = page.getByRole("dialog");
const question = page.getByRole("alertdialog");
const at = (path: string) => expect.poll(() => location.pathname + location.search).toBe(path);
const heading = (name: string) => page.getByRole("heading", { level: 1, name });
const go = (name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();
const back = () => history.back();
const entered = () => new Promise((resolve) => window.addEventListener("popstate", resolve, { once: true }));
const gone = (what: typeof opened) => expect.element(what).not.toBeInTheDocument();
const giveUp = () => button("Sair sem salvar", question).click();
const ctrlK = () => userEvent.keyboard("{Control>}k{/Control}");

async function begin(path: string) {
  await renderApp("/");
  await expect.element(heading("Painel de Controle")).toBeVisible();
  await renderApp(path);
}

async function fillImport() {
  await press("Importar contatos");
  await paste();
}

async function paste() {
  await opened.getByRole("tab", { name: "Colar células" }).click();
  await opened.getByRole("textbox").first().fill("Clientes da loja");
}

async function closedByBack() {
  await press("Importar contatos");
  await expect.element(opened).toBeVisible();
  back();
  await gone(opened);
}

test("Back closes a window and stays on its page; the next one leaves", async () => {
  await renderApp("/");
  await go("Contatos");
  await at("/contacts");
  for (const key of [null, "{Escape}", null]) {
    await fillImport();
    if (key) await userEvent.keyboard(key);
    else back();
    await giveUp();
    await gone(opened);
    await at("/contacts");
  }
  back();
  await at("/");
  history.forward();
  await at("/contacts");
});

test("a page that was opened by its address stays as well, and one more Back leaves it", async () => {
  await begin("/contacts");
  await page.viewport(390, 320);
  await shows("Nenhuma lista de contatos");
  const element = await button("Importar contatos").first().findElement();
  element.scrollIntoView({ block: "center" });
  await new Promise(requestAnimationFrame);
  const before = window.scrollY;
  expect(before).toBeGreaterThan(10);
  for (const _ of ["first", "again"]) {
    await fillImport();
    expect(window.scrollY).toBe(before);
    back();
    await giveUp();
    await gone(opened);
    await at("/contacts");
  }
  back();
  await at("/");
});

test("a window that is busy stays", async () => {
  const server = fakeServer();
  const held = server.hold("POST /api/settings/api-keys");
  await renderApp("/");
  await go("Configurações");
  await page.getByRole("link", { name: "Chaves de API" }).click();
  await press("Gerar nova chave");
  await opened.getByRole("textbox").first().fill("Loja");
  await button("Gerar chave", opened).click();
  await held.asked;
  await expect.element(button("Cancelar", opened)).toBeDisabled();
  const undone = entered().then(entered);
  back();
  await undone;
  await at("/settings?aba=chaves");
  await expect.element(opened).toBeVisible();
  server.drop("POST /api/settings/api-keys");
  held.release();
  await expect.element(opened.getByRole("alert")).toBeVisible();
  back();
  await giveUp();
  await gone(opened);
  await at("/settings?aba=chaves");
});

test("the question about what was not saved is still asked, and Back answers it with staying", async () => {
  await renderApp("/");
  await go("Configurações");
  const company = page.getByLabelText("Empresa");
  await company.fill("Ótica Nova");
  for (const _ of ["first", "again"]) {
    back();
    await expect.element(question).toBeVisible();
    back();
    await gone(question);
    await expect.element(company).toHaveValue("Ótica Nova");
    await at("/settings");
  }
  back();
  await giveUp();
  await at("/");
});

test("Back that is pressed again as soon as the question is there is an answer to it", async () => {
  await renderApp("/");
  await go("Configurações");
  await page.getByLabelText("Empresa").fill("Ótica Nova");
  // History steps back in a separate task, so the question appears only after the current one.
  await new Promise<void>((resolve) => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector("[role=alertdialog]")) return;
      watch.disconnect();
      back();
      resolve();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    back();
  });
  await gone(question);
  await expect.element(page.getByLabelText("Empresa")).toHaveValue("Ótica Nova");
  await at("/settings");
  back();
  await giveUp();
  await at("/");
});

test("Back closes the menu of a telephone and the line of commands", async () => {
  await page.viewport(390, 844);
  await renderApp("/");
  await press("Abrir menu");
  await go("Contatos");
  await at("/contacts");
  await press("Abrir menu");
  await expect.element(dialog("Menu")).toBeVisible();
  back();
  await gone(opened);
  await ctrlK();
  await opened.getByRole("combobox").fill("camp");
  back();
  await gone(opened);
  await at("/contacts");
  await press("Abrir menu");
  await go("Campanhas");
  await at("/campaigns");
  back();
  await at("/contacts");
});

test("a page opened by its address and reloaded is left by one Back", async () => {
  await begin("/contacts");
  await closedByBack();
  await reloadApp();
  await expect.element(button("Importar contatos").first()).toBeVisible();
  back();
  await at("/");
  for (const _ of ["the page", "its copy"]) {
    const there = entered();
    history.forward();
    await there;
  }
  await at("/contacts");
  for (const _ of ["first", "again"]) {
    await closedByBack();
    await at("/contacts");
  }
  back();
  await at("/");
});

test("what was not saved is left by one answer, also where the page was opened by its address", async () => {
  await begin("/settings");
  await page.getByLabelText("Empresa").fill("Ótica Nova");
  await ctrlK();
  await expect.element(opened).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await gone(opened);
  back();
  await giveUp();
  await at("/");
});

test("a window that its address opened and Back closes leaves the page before as it was", async () => {
  await renderApp("/");
  await expect.element(heading("Painel de Controle")).toBeVisible();
  await ctrlK();
  await opened.getByRole("combobox").fill("Importar contatos");
  await userEvent.keyboard("{Enter}");
  await at("/contacts?abrir=importar");
  await paste();
  back();
  await giveUp();
  await gone(opened);
  await at("/contacts");
  back();
  await at("/");
  await expect.element(heading("Painel de Controle")).toBeVisible();
});

test("unsaved input is asked about each time after a reload", async () => {
  await renderApp("/");
  await go("Configurações");
  await expect.element(page.getByLabelText("Empresa")).toBeVisible();
  await reloadApp();
  await page.getByLabelText("Empresa").fill("Ótica Nova");
  for (const _ of ["first", "again"]) {
    back();
    await button("Continuar aqui", question).click();
    await gone(question);
    await at("/settings");
  }
  back();
  await giveUp();
  await at("/");
  await expect.element(heading("Painel de Controle")).toBeVisible();
});

test("the way forward asks about unsaved input as well, and leads on once it is given up", async () => {
  await renderApp("/");
  await go("Configurações");
  await go("Contatos");
  await at("/contacts");
  back();
  const company = page.getByLabelText("Empresa");
  await company.fill("Ótica Nova");
  history.forward();
  await button("Continuar aqui", question).click();
  await gone(question);
  await expect.element(company).toHaveValue("Ótica Nova");
  await at("/settings");
  history.forward();
  await giveUp();
  await at("/contacts");
});

test("a signed-in person is not led back to the login page, by login or by sign-up", async () => {
  const server = fakeServer(world({ me: null }));
  const me = person();
  const signedIn = () => {
    server.world.me = me;
    return me;
  };
  server.on("POST /api/signup", signedIn);
  server.on("POST /api/login", signedIn);
  const typePassword = async (label: string) =>
    page.getByLabelText(label, { exact: true }).fill("uma frase de senha longa");
  await renderApp("/termos");
  await expect.element(heading("Termos de uso")).toBeVisible();
  await renderApp("/signup");
  await page.getByLabelText("Nome completo").fill("Ótica Horizonte");
  await page.getByLabelText("E-mail").fill("dona@otica.com.br");
  await typePassword("Senha");
  await typePassword("Confirmar senha");
  await page.getByRole("checkbox").click();
  await press("Criar conta");
  await expect.element(heading("Painel de Controle")).toBeVisible();
  back();
  await at("/termos");

  server.world.me = null;
  await renderApp("/contacts");
  await at("/login?redirect=%2Fcontacts");
  await page.getByLabelText("E-mail").fill("dona@otica.com.br");
  await typePassword("Senha");
  await press("Entrar");
  await at("/contacts");
  back();
  await at("/termos");
});

test("words searched after a dialog, on a page opened by its address, cost no further Back", async () => {
  await begin("/contacts");
  await closedByBack();
  await page.getByRole("searchbox").fill("ana");
  await at("/contacts?busca=ana");
  back();
  await at("/");
});

test("a list's people have an address: they stand again after a reload, and Back closes them", async () => {
  const people = Array.from({ length: 9 }, (_, seq) => contact(seq));
  const first = people.slice(0, 3).map(({ seq: _, ...each }) => each);
  const list = contactList({ name: "Clientes", count: 9, first });
  fakeServer(world({ lists: [list], contacts: { [list.id]: people } }));
  await renderApp("/contacts");
  await button(/Ver todos os contatos de Clientes/)
    .first()
    .click();
  await at(`/contacts?pessoas=${list.id}`);
  await reloadApp();
  await expect.element(opened.getByRole("heading", { name: "Clientes" })).toBeVisible();
  back();
  await gone(opened);
  await at("/contacts");
});
