import { expect, test, vi } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import type { Chat } from "../../src/contract/chats.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { agentAnswer, chat, connection, message, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, pressKey, shows, texts } from "./support/screen.ts";
import { type World, world } from "./support/world.ts";

const NAME = "Atendente da Ótica";

const toggle = () => page.getByRole("switch", { name: `${NAME} responde nesta conversa` });
const log = () => page.getByRole("log", { name: "Mensagens" });

const assistant = (state: Chat["assistant"]["state"], pausedUntil: string | null = null) => ({
  state,
  name: NAME,
  pausedUntil,
});

function talk(given: Partial<Chat> = {}, more: Partial<World> = {}) {
  const line = connection({ name: "Matriz" });
  const ana = chat({ connectionId: line.id, ...given });
  const messages = { [ana.id]: [message({ text: "Passo aí às 17h", participant: "Lucas" })] };
  const server = fakeServer(world({ connections: [line], chats: [ana], messages, ...more }));
  answering(server, ana);
  return { server, line, ana };
}

function answering(server: FakeServer, ana: Chat) {
  server.on("PATCH /api/chats/{id}", ({ body }) => {
    ana.assistant = assistant(body.assistant ? "on" : "off");
    return { ...ana };
  });
  server.on("POST /api/chats/{id}/messages", ({ body: { text } }) => {
    const sent = message({ fromMe: true, status: "sent", text, at: minutesAgo(0), outboxId: 1 });
    server.world.messages[ana.id]?.push(sent);
    ana.assistant = assistant("paused", new Date(Date.now() + 3_600_000).toISOString());
    void server.publish("chats", ana.id);
    return sent;
  });
}

test("the chat says who answers by itself, and a person switches it off, on, and takes over", async () => {
  const { server, ana } = talk();
  const { queries } = await renderApp("/chat");
  await expect.element(log()).toMatchTextContent("Passo aí às 17h");
  await expect.element(page.getByRole("switch")).not.toBeInTheDocument();
  ana.assistant = assistant("on");
  await server.publish("chats", ana.id);
  await shows("responde nesta conversa");
  await expect.element(toggle()).toBeChecked();
  await pressKey(toggle(), " ");
  await expect.element(toggle()).not.toBeChecked();
  await expect.element(toggle()).toHaveFocus();
  await shows("desligado nesta conversa");
  queries.clear();
  await renderApp("/chat");
  await expect.element(toggle()).not.toBeChecked();
  await toggle().click();
  await shows("responde nesta conversa");
  expect(server.requests("PATCH /api/chats/{id}").map(({ body }) => body)).toEqual([
    { assistant: false },
    { assistant: true },
  ]);

  const field = page.getByRole("textbox", { name: "Mensagem", exact: true });
  await field.fill("Deixa comigo");
  await pressKey(field, "Enter");
  await shows(/em pausa até .*: alguém respondeu aqui/);
  await button("Retomar agora").click();
  await shows("responde nesta conversa");
  await expect.element(toggle()).toHaveFocus();
});

test("what became of each question to the assistant is said", async () => {
  const { server, line, ana } = talk({ assistant: assistant("on") });
  const reason = { code: "mistral_down", text: "O Mistral não respondeu." };
  const human = { code: "human", text: "Alguém respondeu antes." };
  server.world.answers[line.id] = [
    agentAnswer({ chatId: ana.id, state: "skipped", question: "Passo aí às 17h", text: null, reason: human }),
    agentAnswer({ chatId: ana.id, state: "failed", question: "Abrem no sábado?", text: null, reason }),
    agentAnswer({ chatId: ana.id, question: "Vale para óculos de sol?", text: "Vale *sim*." }),
    agentAnswer({ chatId: ana.id + 1_000_000, question: "De outra conversa" }),
  ];
  await renderApp("/chat");
  await button("Respostas do assistente").click();
  const entries = dialog("Respostas do assistente").getByRole("listitem");
  await count(entries, 3);
  expect(texts(entries)).toEqual([
    expect.stringMatching(/^Não respondida.*Alguém respondeu antes\..*Passo aí às 17h/s),
    expect.stringMatching(/^Falhou.*O Mistral não respondeu\..*Abrem no sábado\?/s),
    expect.stringMatching(/^Respondida.*Vale para óculos de sol\?.*Vale sim\./s),
  ]);
  expect(entries.nth(2).element().querySelector("strong")?.textContent).toBe("sim");
  await userEvent.keyboard("{Escape}");
  await expect.element(button("Respostas do assistente")).toHaveFocus();
});

test("in forced colours the switch state stays visible", async () => {
  talk({ assistant: assistant("on"), unread: 2 });
  await commands.emulateMedia({ forcedColors: "active" });
  await renderApp("/chat");
  await expect.element(toggle()).toBeChecked();
  const drawn = () => page.screenshot({ element: toggle(), save: false });
  const on = await drawn();
  await toggle().click();
  await expect.element(toggle()).not.toBeChecked();
  expect(await drawn()).not.toBe(on);
});

test("in forced colours the mark of what is unread stays visible on the closed menu", async () => {
  talk({ unread: 2 });
  await commands.emulateMedia({ forcedColors: "active" });
  await page.viewport(390, 844);
  await renderApp("/contacts");
  const menu = button(/^Abrir menu, /);
  await expect.element(menu).toBeVisible();
  const mark = getComputedStyle(menu.element(), "::after").backgroundColor;
  expect(mark).not.toBe(getComputedStyle(document.body).backgroundColor);
});

test("groups have no assistant, and one that is switched off at its connection says so", async () => {
  const { server, line } = talk({ assistant: assistant("inactive") });
  const group = chat({
    connectionId: line.id,
    kind: "group",
    name: "Vitrine",
    phone: null,
    remoteId: "120363042198765432@g.us",
    assistant: assistant("on"),
    last: { text: "a vitrine ficou ótima", kind: "text", fromMe: false, source: null, at: minutesAgo(50) },
  });
  server.world.chats.push(group);
  server.world.messages[group.id] = [message({ text: "a vitrine ficou ótima", participant: "Lucas" })];
  await renderApp("/chat");
  await shows("desativado nesta conexão");
  await expect.element(page.getByRole("switch")).not.toBeInTheDocument();
  await page.getByRole("navigation", { name: "Conversas" }).getByRole("link", { name: "Vitrine" }).click();
  await expect.element(log()).toMatchTextContent("Lucas");
  await expect.element(log()).toMatchTextContent("a vitrine ficou ótima");
  await expect.element(page.getByText(NAME)).not.toBeInTheDocument();
});

test("the end of an assistant's pause is seen at its time, without any event", async () => {
  holdClock();
  const until = new Date(Date.now() + 3_000).toISOString();
  const { ana } = talk({ assistant: assistant("paused", until) });
  await renderApp(`/chat?conversa=${ana.id}`);
  const shown = (text: RegExp) => inTime(() => expect(page.getByText(text).query()).not.toBeNull());
  await shown(/em pausa até/);
  ana.assistant = assistant("inactive");
  await vi.advanceTimersByTimeAsync(6_000);
  await shown(/desativado nesta conexão/);
});
