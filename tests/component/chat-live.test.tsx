import { beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { button, shows } from "./support/screen.ts";
import {
  answerTalks,
  appears,
  arrives,
  field,
  goTo,
  hidePage,
  lateScreen,
  log,
  more,
  openChat,
  peer,
  shown,
  someTalks,
  talk,
  thread,
  threads,
} from "./support/talks.ts";
import { world } from "./support/world.ts";

beforeEach(() => page.viewport(1440, 700));

test("a message for another conversation moves it up and marks it, and a page in the background reads nothing", async () => {
  const { server, ana, bruno } = someTalks();
  await openChat();
  const first = threads().getByRole("link").first();
  await expect.element(first).toMatchTextContent("Ana Beatriz Rocha");
  await expect.poll(() => ana.unread).toBe(0);
  await arrives(server, bruno, "ainda quero");
  await expect.element(first).toMatchTextContent(/Bruno Carvalho.*ainda quero.*2 mensagens não lidas/s);
  await expect.element(peer("Ana Beatriz Rocha")).toBeVisible();

  hidePage(true);
  await arrives(server, ana, "tem alguém aí?");
  await shown("tem alguém aí?");
  await arrives(server, bruno, "e mais um");
  await expect.element(thread(/Bruno/)).toMatchTextContent("3 mensagens não lidas");
  await expect.element(thread(/Ana Beatriz/)).toMatchTextContent("1 mensagem não lida");
  expect(ana.unread).toBe(1);
  hidePage(false);
  await expect.element(thread(/Ana Beatriz/)).not.toMatchTextContent("não lida");
  expect(ana.unread).toBe(0);

  await goTo("Contatos");
  await expect.element(more().getByRole("link", { name: "Chat 3 mensagens não lidas" })).toBeVisible();
  await arrives(server, ana, "e agora?");
  await expect.element(more().getByRole("link", { name: "Chat 4 mensagens não lidas" })).toBeVisible();
  await page.viewport(390, 700);
  await button("Abrir menu, 4 mensagens não lidas").click();
  await more()
    .getByRole("link", { name: /^Chat\b/ })
    .click();
  await thread(/Ana Beatriz/).click();
  await expect.element(button("Abrir menu, 3 mensagens não lidas")).toBeVisible();
});

test("also far down the list a conversation that was read elsewhere loses its mark", async () => {
  const matriz = connection();
  const server = fakeServer(world({ connections: [matriz] }));
  const people = Array.from({ length: 60 }, (_, at) =>
    talk(server, {
      connectionId: matriz.id,
      name: `Pessoa ${at + 1}`,
      texts: ["oi"],
      ended: at + 1,
      unread: at < 58 ? 0 : 2,
    }),
  );
  answerTalks(server);
  await renderApp("/chat");
  await expect
    .poll(() => {
      threads().element().scrollTop = threads().element().scrollHeight;
      return thread(/Pessoa 60/).query();
    })
    .not.toBeNull();
  await expect.element(thread(/Pessoa 60/)).toMatchTextContent("2 mensagens não lidas");
  await expect.poll(() => document.title).toMatch(/^\(4\)/);
  const last = people[59];
  if (last) last.unread = 0;
  await server.publish("chats", last?.id);
  await expect.element(thread(/Pessoa 60/)).not.toMatchTextContent("não lida");
  await expect.poll(() => document.title).toMatch(/^\(2\)/);
  await expect.element(thread(/Pessoa 59/)).toMatchTextContent("2 mensagens não lidas");
});

test("on return the new-messages line stands above later messages, whatever is answered first", async () => {
  const { server, ana } = someTalks();
  await openChat(`/chat?conversa=${ana.id}`);
  await expect.element(log().getByText("2 mensagens não lidas")).toBeVisible();
  for (const [text, late] of [
    ["e de manhã?", "GET /api/chats/{id}"],
    ["ou à noite?", "GET /api/chats/{id}/messages"],
  ] as const) {
    await expect.element(thread(/Ana Beatriz/)).not.toMatchTextContent("não lida");
    await thread(/Bruno/).click();
    await shown("QUERO");
    await arrives(server, ana, text);
    await expect.element(thread(/Ana Beatriz/)).toMatchTextContent("1 mensagem não lida");
    const held = server.hold(late, ({ params }) => params.id === ana.id);
    await thread(/Ana Beatriz/).click();
    await held.asked;
    await shown("Passo aí às 17h");
    held.release();
    await expect.element(log().getByText("1 mensagem não lida")).toBeVisible();
    const below = document.querySelector("[data-ui~=unread-line] + [data-ui~=bubble]");
    expect(below?.textContent).toContain(text);
  }
});

test("who leaves a conversation has not read what arrives there afterwards, however late the server hears of what was", async () => {
  const { server, ana } = someTalks();
  const held = server.hold("POST /api/chats/{id}/read");
  await openChat(`/chat?conversa=${ana.id}`);
  await held.asked;
  await goTo("Contatos");
  await arrives(server, ana, "e agora?");
  await expect.element(more().getByRole("link", { name: "Chat 4 mensagens não lidas" })).toBeVisible();
  held.release();
  await expect.element(more().getByRole("link", { name: "Chat 2 mensagens não lidas" })).toBeVisible();
  expect(ana.unread).toBe(1);
  expect(held.met.map(({ body }) => body.upTo)).toEqual([2]);
});

test("a conversation that has gone is said to be, beside what was being written in it", async () => {
  const { server, ana, bruno } = someTalks();
  await openChat(`/chat?conversa=${ana.id}`);
  await field().fill("Até as 17h então");
  await expect.poll(() => ana.unread).toBe(0);
  server.world.chats = server.world.chats.filter(({ id }) => id !== ana.id);
  await arrives(server, bruno, "ainda dá tempo?");
  await expect.element(thread(/Ana Beatriz/)).not.toBeInTheDocument();
  await shows("Conversa não encontrada");
  await expect.element(field()).toHaveValue("Até as 17h então");
});

const drawn = (text: string | RegExp, within: () => string | null | undefined) =>
  inTime(() => expect(within()).toMatch(text));
const logText = () => log().query()?.textContent ?? "";

test("without the stream of changes the chat asks by itself", async () => {
  holdClock();
  const { server, ana } = someTalks();
  server.streams.lose();
  await renderApp("/chat");
  await drawn("Passo aí às 17h", logText);
  appears(server, ana, "sem aviso");
  await vi.advanceTimersByTimeAsync(6_000);
  await drawn("sem aviso", logText);
});

test("while another connection's conversations are fetched none of the former one's stands there", async () => {
  const { server, away } = someTalks();
  await renderApp("/chat");
  await expect.element(thread(/Ana Beatriz/)).toBeVisible();
  const late = server.hold("GET /api/chats", ({ query }) => query.connectionId === away.id);
  await page.getByLabelText("Conexão").selectOptions(String(away.id));
  await late.asked;
  await expect.element(page.getByRole("link", { name: /Ana Beatriz/ })).not.toBeInTheDocument();
  late.release();
  await expect.element(thread(/Rita Moura/)).toBeVisible();
});

const DAY = 24 * 3_600_000;

test("what was said today is said to be of yesterday once midnight has passed", async () => {
  holdClock(new Date("2026-11-10T15:00:00Z"));
  const { server, ana } = someTalks();
  let ahead = 0;
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    const answer = await fetch(...request);
    answer.headers.set("date", new Date(Date.now() + ahead).toUTCString());
    return answer;
  };
  await renderApp(`/chat?conversa=${ana.id}`);
  const day = () => [...document.querySelectorAll("[role=log] [data-ui~=chat-day]")].at(-1)?.textContent;
  await drawn("Hoje", day);
  ahead = DAY;
  await server.publish("chats", ana.id);
  await vi.advanceTimersByTimeAsync(12_000);
  await drawn("Ontem", day);
});

test("on a telephone the arrow back to the contacts is a step back, and leaves none to be taken twice", async () => {
  const { bruno, matriz } = someTalks();
  await page.viewport(390, 844);
  await renderApp("/contacts");
  await button(/^Abrir menu/).click();
  await more()
    .getByRole("link", { name: /^Chat\b/ })
    .click();
  const arrow = page.getByRole("link", { name: "Voltar aos contatos" });
  for (const name of [/Bruno/, /Ana Beatriz/]) {
    await thread(name).click();
    await expect.element(peer(name)).toBeVisible();
    await arrow.click();
    await expect.element(thread(name)).toHaveFocus();
  }
  history.back();
  await expect.poll(() => location.pathname).toBe("/contacts");
  history.forward();
  await thread(/Bruno/).click();
  await expect.poll(() => location.search).toMatch(/conversa=\d+/);
  await renderApp("/contacts");
  await renderApp(`/chat?conexao=${matriz.id}&conversa=${bruno.id}`);
  await arrow.click();
  await expect.element(thread(/Bruno/)).toBeVisible();
  await expect.poll(() => location.pathname + location.search).toBe(`/chat?conexao=${matriz.id}`);
});

test("on a telephone list and conversation are two steps", async () => {
  const { bruno } = someTalks();
  bruno.optedOut = true;
  await page.viewport(390, 844);
  await renderApp("/chat");
  await expect.element(thread(/Bruno/)).toBeVisible();
  await expect.element(field()).not.toBeInTheDocument();
  await thread(/Bruno/).click();
  await shown("QUERO");
  await expect.element(thread(/Bruno/)).not.toBeInTheDocument();
  await shows("Não quer receber campanhas");
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth);
  await page.getByRole("link", { name: "Voltar aos contatos" }).click();
  await expect.element(thread(/Bruno/)).toHaveFocus();
  await expect.element(field()).not.toBeInTheDocument();
  await thread(/Ana Beatriz/).click();
  await shown("Passo aí às 17h");
  history.back();
  await expect.element(thread(/Ana Beatriz/)).toBeVisible();
});

const WAITS = "fica como Pendente e sai sozinho quando a conexão puder enviar";

test("that a connected number sends nothing is said where one writes, and not where campaigns alone wait", async () => {
  const open = async (cause: string) => {
    const { matriz } = someTalks();
    matriz.cause = cause;
    await openChat();
    return page.getByText(WAITS);
  };
  for (const [cause, words] of [
    ["replies_refused", /: Restrito\. O WhatsApp recusa as mensagens deste número, até em conversas/],
    ["devices_refused", /: Envio recusado\. O WhatsApp recusa as mensagens deste número/],
    ["rate_limited", /: Conectado\. Este número recebeu um pedido de pausa/],
    ["not_sending", /: Conectado\. Nenhuma mensagem está saindo por este número/],
  ] as const)
    await expect.element(await open(cause)).toMatchTextContent(words);
  for (const cause of ["timelocked", "new_chats_refused"]) {
    const waits = await open(cause);
    await shows(/: Restrito\..* As conversas que já existem continuam/);
    await expect.element(waits, { message: "26.1 what is written here leaves" }).not.toBeInTheDocument();
  }
  await expect.element(await open("catching_up")).not.toBeInTheDocument();
});

test("a link that is pressed leads away, also if the list is answered before the other screen is there", async () => {
  const { server } = someTalks();
  const app = await renderApp("/settings");
  const list = server.hold("GET /api/chats");
  await more()
    .getByRole("link", { name: /^Chat\b/ })
    .click();
  await list.asked;
  await expect.poll(() => location.search).toMatch("conexao=");
  const screen = lateScreen(app, "/contacts");
  await page.getByRole("link", { name: "Contatos" }).click();
  await screen.asked;
  list.release();
  await expect.element(thread(/Bruno/)).toBeVisible();
  screen.arrive();
  await expect.element(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  await expect.poll(() => location.pathname + location.search).toBe("/contacts");
});
