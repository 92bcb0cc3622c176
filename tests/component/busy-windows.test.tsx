import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import type { EndpointKey } from "../../src/web/api/call.ts";
import { chooseFile, fill } from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { apiKey, assistantLink, connection, contactList, optOut } from "./support/rows.ts";
import { button, dialog, pick, press, pressKey } from "./support/screen.ts";
import { person, world } from "./support/world.ts";

const CAUSE = "O serviço está indisponível no momento. Tente novamente em instantes.";

function hold<K extends EndpointKey>(server: FakeServer, key: K) {
  const held = server.hold(key);
  const failing = () => {
    server.on(key, () => {
      throw refuse("unavailable");
    });
    held.release();
  };
  return { asked: held.asked, go: held.release, fail: failing };
}

const opened = () => page.getByRole("dialog");
const cross = (within: Locator) => button("Fechar", within).first();
const gone = (locator: Locator) => expect.element(locator).not.toBeInTheDocument();
const held = (within: Locator) => expect.element(cross(within)).toHaveAttribute("aria-disabled", "true");
const free = (within: Locator) => expect.element(cross(within)).not.toHaveAttribute("aria-disabled");

async function pressCross(within: Locator) {
  await held(within);
  const element = cross(within).element() as HTMLElement;
  element.click();
  element.focus();
  await userEvent.keyboard("{Enter} {Escape}");
  await userEvent.click(document.body, { position: { x: 5, y: 5 }, force: true });
  await expect.element(within).toBeVisible();
  element.focus();
  await expect.element(cross(within)).toHaveFocus();
}

test("the cross of a window that makes a key is held until the key is shown, and closes it then", async () => {
  const server = fakeServer(world());
  server.on("POST /api/settings/api-keys", ({ body: { name } }) => ({
    key: "rcd_1234",
    apiKey: apiKey({ name }),
  }));
  await renderApp("/settings?aba=chaves");
  const making = hold(server, "POST /api/settings/api-keys");
  await press("Gerar nova chave");
  await free(opened());
  await opened().getByRole("textbox").first().fill("Loja");
  await pressKey(opened().getByRole("textbox").first(), "Enter");
  await expect.element(button("Gerando...", opened())).toBeVisible();
  await pressCross(opened());
  making.go();
  await expect.element(opened().getByRole("heading", { name: "Chave «Loja» gerada" })).toBeVisible();
  await expect.element(opened().getByRole("textbox")).toHaveValue("rcd_1234");
  await cross(opened()).click();
  await gone(opened());
});

test("the cross of a window that sends a file is held, and what it fails with is said", async () => {
  const server = fakeServer(world());
  await renderApp("/contacts");
  const sending = hold(server, "POST /api/contact-import-drafts");
  await press("Importar contatos");
  await expect.element(opened()).toBeVisible();
  await chooseFile(new File(["nome,telefone\nAna,31907773055\n"], "Clientes.csv", { type: "text/csv" }));
  await button("Continuar", opened()).click();
  await expect.element(opened().getByText("Enviando o arquivo...")).toBeVisible();
  await pressCross(opened());
  sending.fail();
  await expect.element(opened().getByRole("alert")).toMatchTextContent(CAUSE);
  await expect.element(cross(opened())).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await gone(opened());
});

test("the cross of the notice before the first campaign is held while it is accepted", async () => {
  const lists = [contactList({ name: "Clientes", count: 3 })];
  const connections = [connection({ name: "Matriz" })];
  const server = fakeServer(world({ me: person({ riskRead: false }), connections, lists }));
  await renderApp("/campaigns/new");
  await fill("Natal", "Clientes (3)");
  await press("Criar Campanha");
  const notice = dialog("Antes da primeira campanha");
  const accepting = hold(server, "PATCH /api/settings/profile");
  await pressKey(button("Entendi, criar campanha", notice), "Enter");
  // The disabled button must not lose the focus from the dialog.
  await expect.element(notice).toHaveFocus();
  await pressCross(notice);
  accepting.fail();
  await expect.element(notice.getByRole("alert")).toMatchTextContent(CAUSE);
  await cross(notice).click();
  await gone(notice);
});

test("the opt-out dialog stays open while one is added or removed, and both outcomes are shown", async () => {
  const server = fakeServer(world());
  server.on("POST /api/opt-outs", () => {
    const left = optOut(0, { phone: "5531987654321" });
    server.world.optOuts = [left];
    void server.publish("contacts");
    return { ...left, reversible: true };
  });
  await renderApp("/contacts");
  await press("Descadastrados");
  const adding = hold(server, "POST /api/opt-outs");
  const field = opened().getByLabelText("Não enviar campanhas para");
  await field.fill("31 98765-4321");
  await button("Adicionar", opened()).click();
  await pressCross(opened());
  await field.fill("31 9");
  adding.go();
  const words = document.createRange();
  words.selectNodeContents(await button("Desfazer").findElement());
  expect(words.getClientRects()).toHaveLength(1);
  const allow = button(/^Permitir de novo/, opened());
  await expect.element(allow).toBeVisible();
  await expect.element(field).toHaveValue("31 9");
  await free(opened());
  const allowing = hold(server, "DELETE /api/opt-outs/{phone}");
  await allow.click();
  await pressCross(opened());
  allowing.fail();
  await expect.element(opened().getByRole("alert")).toMatchTextContent(CAUSE);
  await cross(opened()).click();
  await gone(opened());
});

test("the assistant dialog stays open while its pause is saved; its other parts show the error too", async () => {
  const line = connection({ name: "Matriz" });
  const links = [assistantLink({ connectionId: line.id, agentName: "Clara" })];
  const server = fakeServer(world({ connections: [line], links }));
  await renderApp("/whatsapp/connections");
  await press("Ações de Matriz");
  await pick("Assistente");
  const assistant = dialog("Assistente");
  const saving = hold(server, "PATCH /api/connections/{id}/assistant");
  const pause = assistant.getByLabelText("Pausa do assistente");
  await pause.fill("45");
  await button("Salvar", assistant).click();
  await pressCross(assistant);
  await expect.element(button("Fechar", assistant).last()).toBeDisabled();
  await assistant.getByRole("tab", { name: "Respostas" }).click();
  saving.fail();
  await free(assistant);
  await assistant.getByRole("tab", { name: "Assistente" }).click();
  await expect.element(assistant.getByRole("alert")).toMatchTextContent(CAUSE);
  await expect.element(pause).toHaveValue("45");
  await cross(assistant).click();
  await gone(assistant);
});
