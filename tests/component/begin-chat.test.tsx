import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import {
  campaign,
  chat,
  connection,
  contact,
  contactList,
  delivery,
  message,
  phoneOf,
} from "./support/rows.ts";
import { button, dialog, pressKey } from "./support/screen.ts";
import { answerTalks, field, log, peer, sendButton, shown, talk, thread, written } from "./support/talks.ts";
import { world } from "./support/world.ts";

const begun = () => dialog("Nova conversa");
const phone = () => begun().getByLabelText("Telefone ou nome");
const at = () => location.pathname + location.search;

function someone() {
  const matriz = connection({ name: "Matriz" });
  const away = connection({ name: "Savassi", state: "disconnected" });
  const people = [1, 2, 3, 4, 5].map((seq) =>
    contact(seq - 1, { name: `Pessoa ${seq}`, phone: phoneOf(seq) }),
  );
  const list = contactList({
    name: "Clientes",
    count: 5,
    first: people.slice(0, 3).map(({ seq: _, ...each }) => each),
  });
  const server = fakeServer(
    world({ connections: [matriz, away], lists: [list], contacts: { [list.id]: people } }),
  );
  answerTalks(server);
  const empty = {
    last: { text: "", kind: "text", fromMe: false, source: null, at: new Date(0).toISOString() },
  } as const;
  server.on("POST /api/chats", ({ body }) => {
    const digits = body.phone.replaceAll(/\D/g, "");
    if (digits.length < 10) throw refuse("invalid_request", { fields: { phone: "Faltam dígitos." } });
    const number = digits.startsWith("55") ? digits : `55${digits}`;
    const known = people.find((each) => each.phone === number);
    const made = chat({
      connectionId: body.connectionId,
      phone: number,
      name: known?.name ?? number,
      pushName: null,
      savedName: known?.name ?? null,
      ...empty,
    });
    server.world.chats.push(made);
    return made;
  });
  const all = server.world.chats;
  server.on("GET /api/chats", ({ query }) => ({
    chats: all.filter((each) => each.connectionId === query.connectionId && each.last.text !== ""),
    next: null,
    unread: 0,
  }));
  return { server, matriz, away };
}

test("26.14 a conversation is begun by keyboard with a number that is checked, and nothing is sent before one writes", async () => {
  const { server, matriz } = someone();
  talk(server, { connectionId: matriz.id, name: "Ana", texts: ["Oi"], ended: 1 });
  await renderApp("/chat");
  await expect.element(thread(/Ana/)).toBeVisible();
  await pressKey(button("Nova conversa"), "Enter");
  await phone().fill("98765");
  await userEvent.keyboard("{Enter}");
  await expect.element(begun().getByText("Faltam dígitos")).toBeVisible();
  await phone().fill("31 98765-4321");
  await userEvent.keyboard("{Enter}");
  await expect.element(begun()).not.toBeInTheDocument();
  await expect.element(peer("+55 31 98765-4321")).toBeVisible();
  await shown("Nenhuma mensagem");
  await expect.element(thread(/98765/)).not.toBeInTheDocument();
  expect(written(server)).toEqual([]);
  await expect.element(field()).toHaveFocus();
  await userEvent.keyboard("Bom dia!");
  await sendButton().click();
  await expect.element(thread(/98765/)).toMatchTextContent("Bom dia!");
  const to = server.world.chats.at(-1);
  expect(written(server)).toEqual([{ to: to?.id, text: "Bom dia!", attachmentId: null }]);
  expect(server.requests("POST /api/chats").at(-1)?.body).toEqual({
    connectionId: matriz.id,
    phone: "31 98765-4321",
  });
});

test("26.14 a conversation is begun from a person of a list, over the connection that is chosen, on a telephone", async () => {
  const { away } = someone();
  await page.viewport(390, 844);
  await renderApp("/chat");
  await button("Nova conversa").click();
  await phone().fill("Pessoa 3");
  await begun()
    .getByRole("button", { name: /Pessoa 3/ })
    .click();
  await begun().getByLabelText("Conexão").selectOptions("Savassi · Desconectado");
  await button("Abrir conversa", begun()).click();
  await expect.element(peer("Pessoa 3")).toBeVisible();
  await expect.poll(at).toMatch(`conexao=${away.id}&conversa=`);

  await renderApp("/contacts");
  await page
    .getByRole("button", { name: /Ver todos os contatos/ })
    .first()
    .click();
  await page.getByRole("link", { name: /^Conversar com Pessoa 2/ }).click();
  await expect.element(phone()).toHaveValue(`+${phoneOf(2)}`);
  await button("Abrir conversa", begun()).click();
  await expect.element(peer("Pessoa 2")).toBeVisible();
});

test("26.14 a conversation is begun from a campaign's person over the campaign's connection, and shows what was sent", async () => {
  const { server, away } = someone();
  const sent = campaign({ connectionId: away.id, connectionName: "Savassi", states: { sent: 2 } });
  server.world.campaigns = [sent];
  server.world.deliveries = {
    [sent.id]: [1, 2].map((seq) => delivery(seq - 1, { phone: phoneOf(seq), status: "sent" })),
  };
  server.on("GET /api/chats/{id}/messages", () => ({
    messages: [message({ fromMe: true, source: "campaign", status: "sent", text: "Promoção de armações" })],
    older: null,
    upTo: 0,
  }));
  await renderApp(`/campaigns?detalhes=${sent.id}`);
  const talkTo = page.getByRole("link", { name: /^Conversar com/ }).first();
  await talkTo.click();
  await expect.element(begun().getByLabelText("Conexão")).toHaveValue(String(away.id));
  await userEvent.keyboard("{Escape}");
  await expect.poll(at).toBe(`/chat?conexao=${away.id}`);
  history.back();
  await talkTo.click();
  await button("Abrir conversa", begun()).click();
  await expect.element(log()).toMatchTextContent("Promoção de armações");
});
