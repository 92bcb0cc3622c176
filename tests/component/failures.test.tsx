import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { colourOf } from "./support/colour.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contactList } from "./support/rows.ts";
import { button, main, pick, press, pressAfter, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";
const asked = page.getByRole("alertdialog");
const alertOf = (within: Pick<typeof page, "getByRole">) => within.getByRole("alert");

async function connect() {
  await renderApp("/baileys");
  await page.getByLabelText("Número do WhatsApp").fill("+55 31 90777-3055");
  await press("Conectar");
  await shows("Erro ao conectar WhatsApp");
  const heading = alertOf(main()).getByRole("heading", { name: "Erro ao conectar", exact: true });
  await expect.element(heading).toBeVisible();
}

test("connecting @spec 2.67,7.19,8.18", async () => {
  const server = fakeServer();
  server.refuse("POST /api/whatsapp/connect", "unavailable");
  await connect();
  await expect.element(alertOf(main())).toMatchTextContent(CAUSE);
  await expect.element(page.getByRole("status").getByText("Desconectado")).toBeVisible();
});

test("connecting without an answer @spec 8.18", async () => {
  const server = fakeServer();
  server.drop("POST /api/whatsapp/connect");
  await connect();
  await expect.element(alertOf(main())).toMatchTextContent("O servidor não respondeu.");
});

test("choosing a connection or a list for a campaign: an error stands in a red box and offers another try @spec 8.6,8.25 @decision 29", async () => {
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })] }));
  const broken = server.refuse("GET /api/connections", "unavailable");
  server.streams.lose();
  await renderApp("/campaigns/new");
  const error = alertOf(main()).filter({ hasText: "Erro ao buscar conexões" });
  expect(colourOf(await error.getByRole("heading").findElement())).toBe("red");
  await pressAfter(button("Tentar novamente", error), broken.stop);
  await expect
    .element(page.getByLabelText("Conexão WhatsApp").getByRole("option", { name: "Matriz" }).first())
    .toBeInTheDocument();
});

test("disconnecting and deleting a connection @spec 8.20,8.21,8.25 @decision 29", async () => {
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })] }));
  server.refuse("DELETE /api/whatsapp/session/{deviceId}", "unavailable");
  server.refuse("DELETE /api/whatsapp/devices/{deviceId}", "unavailable");
  await renderApp("/whatsapp/connections");
  for (const [verb, words] of [
    ["Desconectar", "Erro ao desconectar"],
    ["Excluir", "Erro ao excluir conexão"],
  ] as const) {
    await press("Ações de Matriz");
    await pick(verb);
    await button(verb, asked).click();
    await expect.element(alertOf(asked)).toMatchTextContent(words);
    await expect.element(alertOf(asked)).toMatchTextContent(CAUSE);
    await userEvent.keyboard("{Escape}");
    await expect.element(asked).not.toBeInTheDocument();
  }
  await expect
    .element(main().getByRole("listitem").filter({ hasText: "Matriz" }))
    .toMatchTextContent("Conectado");
});

test("importing, adding and deleting contacts; nothing typed is lost @spec 8.8,8.9", async () => {
  const server = fakeServer(world({ lists: [contactList({ name: "Clientes", count: 3 })] }));
  server.refuse("POST /api/contact-import-drafts", "unavailable");
  server.refuse("POST /api/contacts", "unavailable");
  server.refuse("DELETE /api/contact-lists/{id}", "unavailable");
  await renderApp("/contacts");

  const opened = page.getByRole("dialog");
  await press("Importar");
  await opened.getByRole("tab", { name: "Colar JSON" }).click();
  await opened.getByLabelText("Contatos em JSON").fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  await button("Continuar", opened).click();
  await expect.element(alertOf(opened)).toMatchTextContent("Erro ao importar lista.");
  await expect
    .element(opened.getByLabelText("Contatos em JSON"))
    .toHaveValue('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  await button("Cancelar", opened).click();

  await press("Novo Contato");
  await opened.getByLabelText("Nome").fill("Ana");
  await opened.getByLabelText("Telefone").fill("31 90234-1187");
  await button("Adicionar", opened).click();
  await expect.element(alertOf(opened)).toMatchTextContent("Erro ao adicionar contato.");
  await expect.element(opened.getByLabelText("Nome")).toHaveValue("Ana");
  await button("Cancelar", opened).click();

  await press("Excluir Lista: Clientes");
  await button("Excluir", asked).click();
  await expect.element(alertOf(asked)).toMatchTextContent("Erro ao excluir lista.");
});

test("creating a campaign @spec 8.4 @decision 17", async () => {
  const lists = [contactList({ name: "Clientes", count: 3 })];
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })], lists }));
  server.refuse("POST /api/campaigns", "unavailable");
  await renderApp("/campaigns/new");
  const text = page.getByRole("textbox", { name: "Texto", exact: true });
  await page.getByLabelText("Nome da campanha").fill("Natal");
  await text.fill("Oi, {nome}!");
  await page.getByLabelText("Lista de contatos").selectOptions("Clientes (3)");
  await press("Criar Campanha");
  await button("Criar Campanha", asked).click();
  await expect
    .element(alertOf(main()))
    .toMatchTextContent("Não foi possível criar a campanha. Tente novamente.");
  await expect.element(text).toHaveValue("Oi, {nome}!");
});

test("signing up", async () => {
  const server = fakeServer(world({ me: null }));
  server.refuse("POST /api/signup", "unavailable");
  await renderApp("/signup");
  await page.getByLabelText("Nome completo").fill("Marina");
  await page.getByLabelText("E-mail").fill("marina@exemplo.com.br");
  await page.getByLabelText("Senha", { exact: true }).fill("girassol no quintal");
  await page.getByLabelText("Confirmar senha").fill("girassol no quintal");
  await page.getByRole("checkbox").click();
  await press("Criar conta");
  await expect.element(alertOf(page)).toMatchTextContent("Não foi possível criar a conta.");
  await expect.element(alertOf(page)).toMatchTextContent(CAUSE);
});
