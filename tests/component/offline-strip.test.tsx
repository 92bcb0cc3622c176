import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { api } from "../../src/web/api/call.ts";
import { RouteError } from "../../src/web/shell/route-error.tsx";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderAlone, renderApp } from "./support/render-app.tsx";
import { chat, connection, contactList, message } from "./support/rows.ts";
import { button } from "./support/screen.ts";
import { world } from "./support/world.ts";

const AWAY = "Sem contato com o servidor. O que está na tela pode estar desatualizado.";
const strip = page.getByRole("status").filter({ hasText: "pode estar desatualizado" });
const list = (name: string) => page.getByRole("article", { name });

async function pass(milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += 250) await vi.advanceTimersByTimeAsync(250);
}

async function until(holds: () => boolean) {
  for (let passed = 0; passed < 60_000; passed += 250) {
    if (holds()) return;
    await vi.advanceTimersByTimeAsync(250);
  }
  throw new Error("it did not come within a minute of the page's clock");
}

/** Files load by the real clock. */
const loaded = (holds: () => boolean) => inTime(() => expect(holds()).toBe(true));
const stripGoes = () => until(() => strip.query() === null);
const stripComes = () => until(() => strip.query() !== null);

async function listening(): Promise<FakeServer> {
  holdClock();
  const server = fakeServer(world({ lists: [contactList({ name: "Ana", count: 1 })] }));
  await renderApp("/contacts");
  await loaded(() => list("Ana").query() !== null);
  await server.publish("account");
  expect(strip.query()).toBeNull();
  return server;
}

function noteFlash() {
  let flashed = false;
  new MutationObserver(() => {
    flashed ||= document.querySelector("[data-ui~=offline]") !== null;
  }).observe(document.body, { childList: true, subtree: true });
  return () => flashed;
}

function loseAnswers(server: FakeServer) {
  const lost = [server.drop("GET /api/campaign-summary"), server.drop("GET /api/contact-lists")];
  return () => lost.forEach(({ stop }) => void stop());
}

const addList = ({ world: { lists } }: FakeServer) => lists.push(contactList({ name: "Clientes", count: 3 }));

test("an open screen says when the server is gone, and refetches when it is back", async () => {
  const server = await listening();
  server.streams.lose();
  const heal = loseAnswers(server);
  await stripComes();
  await expect.element(strip).toHaveTextContent(AWAY);
  await expect.element(list("Ana")).toBeVisible();
  addList(server);
  heal();
  server.streams.restore();
  await stripGoes();
  await until(() => list("Clientes").query() !== null);
});

test("a screen that could not be loaded while the server is gone says so, and reloads only once it answers", async () => {
  const server = fakeServer();
  const lost = server.drop("GET /api/health/live");
  const error = await api("GET /api/health/live").catch((silence: Error) => silence);
  await renderAlone(<RouteError error={error as Error} reset={() => undefined} />);
  const alert = page.getByRole("alert");
  await expect.element(alert).toMatchTextContent("Não foi possível abrir esta tela");
  await expect.element(alert).toMatchTextContent("O servidor não respondeu.");
  await button("Recarregar", alert).click();
  await expect.poll(() => lost.met.length).toBe(2);
  await expect.element(button("Recarregar", alert)).toBeEnabled();
  await expect.element(alert).toMatchTextContent("O servidor não respondeu.");
});

test("what changed while the server was away is fetched when it is back, also where the stream is not", async () => {
  const server = await listening();
  server.streams.lose();
  const heal = loseAnswers(server);
  await stripComes();
  const asked = () => server.requests("GET /api/contact-lists").length;
  addList(server);
  const before = asked();
  heal();
  await stripGoes();
  await until(() => list("Clientes").query() !== null);
  expect(asked()).toBeGreaterThan(before);
});

test("a server that is back within five seconds is not worth a word", async () => {
  const server = await listening();
  const flashed = noteFlash();
  server.streams.lose();
  const heal = loseAnswers(server);
  await pass(4_000);
  heal();
  server.streams.restore();
  await pass(20_000);
  expect(server.requests("GET /api/campaign-summary").length).toBeGreaterThan(0);
  expect(flashed()).toBe(false);
});

test("a session ended elsewhere leads to the login page, not to the offline strip", async () => {
  const server = await listening();
  const flashed = noteFlash();
  server.world.me = null;
  const asked = server.requests("GET /api/campaign-summary").length;
  server.refuseAll("unauthenticated");
  server.streams.lose();
  await until(() => server.requests("GET /api/campaign-summary").length > asked);
  await loaded(() => page.getByText("Sua sessão terminou.").query() !== null);
  expect(location.pathname).toBe("/login");
  expect(flashed()).toBe(false);
});

test("a line that went dead without a word is noticed by its silence, and what changed is fetched when it is healed", async () => {
  const server = await listening();
  const before = server.streams.begun;
  server.streams.mute();
  const heal = loseAnswers(server);
  addList(server);
  await pass(30_000);
  expect(server.streams.begun).toBe(before);
  expect(strip.query()).toBeNull();
  await stripComes();
  expect(server.streams.begun).toBe(before + 1);
  heal();
  server.streams.restore();
  await stripGoes();
  await until(() => list("Clientes").query() !== null);
});

test("a stream in whose place something else was answered is opened again, and what changed is fetched", async () => {
  const server = await listening();
  const before = server.streams.begun;
  server.streams.refuse();
  const heal = loseAnswers(server);
  addList(server);
  await pass(14_000);
  expect(server.streams.begun).toBe(before);
  await stripComes();
  heal();
  await until(() => server.streams.begun === before + 1);
  await stripGoes();
  await until(() => list("Clientes").query() !== null);
});

test("a stream with heartbeats only is not reopened", async () => {
  const server = await listening();
  const before = server.streams.begun;
  for (let beats = 0; beats < 5; beats++) {
    await pass(15_000);
    server.streams.beat();
  }
  expect(server.streams.begun).toBe(before);
});

test.for([390, 1440])(
  "the chat gives its height to the strip: one goes on writing where one was, %i px",
  async (width) => {
    const line = connection({ name: "Matriz – Centro" });
    const ana = chat({ connectionId: line.id });
    const messages = {
      [ana.id]: [message({ text: "Vale para óculos?" }), message({ text: "Passo aí às 17h" })],
    };
    const server = fakeServer(world({ connections: [line], chats: [ana], messages }));
    const last = page.getByRole("log", { name: "Mensagens" }).getByText("Passo aí às 17h");
    const online = vi.spyOn(navigator, "onLine", "get");
    await page.viewport(width, 844);
    await renderApp("/chat");
    if (width < 768) await page.getByRole("link", { name: /Ana Beatriz/ }).click();
    await expect.element(last).toBeVisible();
    holdClock();
    online.mockReturnValue(false);
    window.dispatchEvent(new Event("offline"));
    const lost = server.drop("GET /api/campaign-summary");
    await stripComes();
    await expect.element(strip).toBeVisible();
    await expect
      .element(page.getByRole("textbox", { name: "Mensagem", exact: true }))
      .toBeInViewport({ ratio: 1 });
    await expect.element(last).toBeInViewport();
    expect(document.documentElement.scrollHeight).toBeLessThanOrEqual(window.innerHeight);
    lost.stop();
    online.mockReturnValue(true);
    window.dispatchEvent(new Event("online"));
    await stripGoes();
  },
);
