import { expect, onTestFinished, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Chat, ChatMessage } from "../../../src/contract/chats.ts";
import { type FakeServer, fakeServer } from "./fake-server.ts";
import { renderApp } from "./render-app.tsx";
import { attachment, chat, connection, message, minutesAgo, uploaded } from "./rows.ts";
import { button } from "./screen.ts";
import { world } from "./world.ts";

type Talker = {
  name: string;
  connectionId: number;
  texts: readonly string[];
  ended: number;
  apart?: number;
} & Partial<Chat>;

/** Each text came `apart` minutes after the one before, the last `ended` minutes ago. */
export function talk(server: FakeServer, { texts, ended, apart = 1, ...given }: Talker): Chat {
  const text = texts.at(-1) ?? "";
  const made = chat({
    last: { text, kind: "text", fromMe: false, source: null, at: minutesAgo(ended) },
    ...given,
  });
  server.world.chats.push(made);
  server.world.messages[made.id] = texts.map((each, at) =>
    message({ text: each, at: minutesAgo(ended + (texts.length - 1 - at) * apart) }),
  );
  return made;
}

const GROUP = "120363042198765432@g.us";

export function someTalks() {
  const matriz = connection({ name: "Matriz – Centro" });
  const away = connection({ name: "Unidade Savassi", state: "disconnected", cause: "network" });
  const server = fakeServer(world({ connections: [matriz, away] }));
  const here = { connectionId: matriz.id };
  const asked = ["Oi! Vale para óculos de sol?", "Passo aí às 17h"];
  const ana = talk(server, { ...here, name: "Ana Beatriz Rocha", texts: asked, ended: 2, unread: 2 });
  const bruno = talk(server, { ...here, name: "Bruno Carvalho", texts: ["QUERO"], ended: 30, unread: 1 });
  const group = talk(server, {
    ...here,
    kind: "group",
    name: GROUP,
    phone: null,
    remoteId: GROUP,
    texts: ["a vitrine ficou ótima"],
    ended: 50,
  });
  for (const said of server.world.messages[group.id] ?? []) said.participant = "Lucas";
  const rita = talk(server, { connectionId: away.id, name: "Rita Moura", texts: [], ended: 5 });
  answerTalks(server);
  return { server, matriz, away, ana, bruno, group, rita };
}

export function answerTalks(server: FakeServer): void {
  const byKey = new Map<string, ChatMessage>();
  const store = (id: number, given: Partial<ChatMessage>) => {
    const said = server.world.messages[id] ?? [];
    const outboxId = 1_000 + said.length;
    const at = minutesAgo(0);
    const stored = message({ at, ...given, fromMe: true, status: "pending", outboxId });
    server.world.messages[id] = [...said, stored];
    const talking = server.world.chats.find((each) => each.id === id);
    if (talking) talking.last = { text: stored.text, kind: "text", fromMe: true, source: "chat", at };
    void server.publish("chats", id);
    return stored;
  };
  server.on(
    "POST /api/chats/{id}/messages",
    ({ params, body: { idempotencyKey = "", attachmentId, text, sendAt } }) => {
      const carried = attachmentId === null ? null : attachment({ id: attachmentId });
      const said = { text, attachment: carried, ...(sendAt ? { at: sendAt, scheduled: true } : {}) };
      const stored = byKey.get(idempotencyKey) ?? store(params.id, said);
      byKey.set(idempotencyKey, stored);
      return stored;
    },
  );
  server.on("POST /api/chats/{id}/messages/{key}/forward", ({ params: { id, key }, body: { chatId } }) => {
    const { text = "", attachment: file = null } =
      server.world.messages[id]?.find((one) => one.key === key) ?? {};
    return store(chatId, { text, attachment: file });
  });
  server.on("POST /api/chats/{id}/messages/{outboxId}/retry", ({ params: { id, outboxId } }) => {
    const failed = server.world.messages[id]?.find((each) => each.outboxId === outboxId);
    return store(id, { text: failed?.text ?? "" });
  });
  server.on("POST /api/chats/{id}/read", ({ params, body }) => {
    const read = server.world.chats.find(({ id }) => id === params.id);
    if (!read) throw new Error(`there is no conversation ${params.id}`);
    const later = server.world.messages[params.id]?.slice(body.upTo) ?? [];
    read.unread = later.filter(({ fromMe }) => !fromMe).length;
    void server.publish("chats", read.id);
    return read;
  });
  server.on("POST /api/attachments", () => PICTURE);
}

export const PICTURE = uploaded();

export async function arrives(server: FakeServer, to: Chat, text: string): Promise<void> {
  appears(server, to, text);
  await server.publish("chats", to.id);
}

/** As `arrives`, and no page hears of it. */
export function appears({ world: { messages } }: FakeServer, to: Chat, text: string): void {
  const said = message({ text, at: minutesAgo(0) });
  messages[to.id] = [...(messages[to.id] ?? []), said];
  to.unread++;
  to.last = { text, kind: "text", fromMe: false, source: null, at: said.at };
}

export const written = (server: FakeServer) =>
  server
    .requests("POST /api/chats/{id}/messages")
    .map(({ params, body: { text, attachmentId } }) => ({ to: params.id, text, attachmentId }));

export const log = () => page.getByRole("log", { name: "Mensagens" });
export const field = () => page.getByRole("textbox", { name: "Mensagem", exact: true });
export const sendButton = () => button("Enviar");
export const said = (text: string) => log().getByRole("article").filter({ hasText: text });
export const threads = () => page.getByRole("navigation", { name: "Conversas" });
export const thread = (name: string | RegExp) => threads().getByRole("link", { name });
export const peer = (name: string | RegExp) => page.getByRole("heading", { level: 2, name });
export const more = () => page.getByRole("navigation", { name: "Mais" });

export const onTheirWay = () =>
  [...document.querySelectorAll("[role=log] article[aria-busy=true]")].map((each) => each.textContent);

export const shown = (text: string | RegExp) => expect.element(log()).toMatchTextContent(text);

export async function openChat(address = "/chat", text: string | RegExp = "Passo aí às 17h") {
  const app = await renderApp(address);
  await shown(text);
  return app;
}

export const goTo = (name: "Chat" | "Contatos") =>
  page
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(`^${name}\\b`) })
    .click();

export async function sends(text: string): Promise<void> {
  await field().fill(text);
  await userEvent.keyboard("{Enter}");
}

/** Pictures are chosen in the system's window, which the button opens. */
export async function attach(file = new File(["x"], "armação.png", { type: "image/png" })): Promise<void> {
  const input = document.querySelector<HTMLInputElement>("form input[type=file]");
  if (!input) throw new Error("the page has no file input");
  const opened = vi.fn((event: Event) => event.preventDefault());
  input.addEventListener("click", opened, { once: true });
  await button("Anexar arquivo").click();
  expect(opened).toHaveBeenCalled();
  await userEvent.upload(input, file);
}

export function hidePage(hidden: boolean): void {
  vi.spyOn(Document.prototype, "visibilityState", "get").mockReturnValue(hidden ? "hidden" : "visible");
  document.dispatchEvent(new Event("visibilitychange"));
}

/** A person's scroll is reported in its frame, a written one in the next, after what arrives in between. */
export function scrollTo(top: number): void {
  const box = log().element();
  box.scrollTop = top;
  box.dispatchEvent(new Event("scroll"));
}

export function betweenWritten(by: (store: () => Promise<Response>) => Promise<Response>) {
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const store = () => fetch(input, init);
    return init?.method === "POST" && String(input).endsWith("/messages") ? by(store) : store();
  };
  const stop = () => {
    globalThis.fetch = fetch;
  };
  return { stop };
}

export function lateScreen(
  { router }: Awaited<ReturnType<typeof renderApp>>,
  path: "/contacts",
): { asked: Promise<void>; arrive: () => void } {
  const { options } = router.routesByPath[path];
  const { loader } = options;
  const asked = Promise.withResolvers<void>();
  const here = Promise.withResolvers<void>();
  options.loader = (async () => {
    asked.resolve();
    await here.promise;
  }) as typeof loader;
  onTestFinished(() => {
    options.loader = loader;
  });
  return { asked: asked.promise, arrive: here.resolve };
}
