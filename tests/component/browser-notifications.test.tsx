import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import type { DisplayStatus } from "../../src/domain/campaign.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, chat, connection } from "./support/rows.ts";
import { press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

/* The page's visibility is set: a page of a test is never hidden. */

type Notice = { title: string; body: string; onclick: (() => void) | null };

let notices: Notice[] = [];
let visibility: DocumentVisibilityState = "visible";

beforeEach(() => {
  notices = [];
  visibility = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
});
afterEach(() => void vi.unstubAllGlobals());

function record() {
  class Noted {
    static readonly permission = "granted";
    readonly title: string;
    readonly body: string;
    onclick: (() => void) | null = null;
    constructor(title: string, { body = "" }: NotificationOptions = {}) {
      this.title = title;
      this.body = body;
      notices.push(this);
    }
    close() {
      this.onclick = null;
    }
  }
  vi.stubGlobal("Notification", Noted);
}

const shown = () => notices.map(({ title, body }) => ({ title, body }));
const at = (path: string) => expect.poll(() => location.pathname + location.search).toBe(path);

function show(state: DocumentVisibilityState) {
  visibility = state;
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Campaigns are looked at before their changes are news. */
async function open(server: FakeServer, path: string) {
  record();
  await renderApp(path);
  await expect
    .poll(() => server.requests("GET /api/campaigns").filter(({ query }) => query.status === "paused").length)
    .toBeGreaterThan(0);
}

function become(server: FakeServer, id: number, status: DisplayStatus) {
  const { campaigns } = server.world;
  const now = campaigns.find((each) => each.id === id);
  if (!now) throw new Error("no such campaign");
  campaigns[campaigns.indexOf(now)] = campaign({ id, name: now.name, status, states: { read: 3 } });
  return server.publish("campaigns", id);
}

test("a campaign that ends notifies once although the preference is known only later, and a press opens it", async () => {
  const running = campaign({ name: "Volta às aulas", status: "sending", states: { read: 2, pending: 1 } });
  const stopped = campaign({ name: "Vitrine", status: "sending", states: { read: 2, pending: 1 } });
  const server = fakeServer(world({ campaigns: [campaign({ name: "De ontem" }), running, stopped] }));
  Object.assign(server.world.notifications, { browserCampaignStatus: true });
  await open(server, "/contacts");
  await become(server, stopped.id, "paused");
  const broken = server.refuse("GET /api/settings/notifications", "unavailable");
  await become(server, running.id, "completed");
  await expect.poll(() => broken.met.length).toBeGreaterThan(0);
  broken.stop();
  for (let again = 0; again < 2; again++) await server.publish("campaigns", running.id);
  const ended = { title: "Campanha concluída: Volta às aulas", body: "3 de 3 mensagens enviadas." };
  await expect.poll(shown).toEqual([ended]);
  notices.at(-1)?.onclick?.();
  await at(`/campaigns?detalhes=${running.id}`);
  expect(shown()).toEqual([ended]);
});

test("a message notifies only while no tab is in sight, and a press opens its chat", async () => {
  const line = connection({ name: "Matriz" });
  const of = (name: string, kind: "person" | "group" = "person") =>
    chat({ connectionId: line.id, name, kind, phone: kind === "group" ? null : "5531900000001" });
  const [ana, bruno, group] = [
    of("Ana Beatriz Rocha"),
    of("Bruno Carvalho"),
    of("Vitrine", "group"),
  ] as const;
  const server = fakeServer(world({ connections: [line], chats: [ana, bruno, group] }));
  Object.assign(server.world.notifications, { browserNewMessage: true });
  const arrives = async (talk: typeof ana, text: string) => {
    const asked = () => server.requests("GET /api/chats/{id}").filter(({ params }) => params.id === talk.id);
    const before = asked().length;
    talk.unread++;
    talk.last = { text, kind: "text", fromMe: false, source: null, at: new Date().toISOString() };
    await server.publish("chats", talk.id);
    await expect.poll(() => asked().length).toBeGreaterThan(before);
  };
  const locks = async () =>
    (await navigator.locks.query()).held?.filter(({ name }) => name === "recado-visible");
  await open(server, "/contacts");
  await expect.poll(async () => (await locks())?.length).toBe(1);
  const closed = Promise.withResolvers<void>();
  void navigator.locks.request("recado-visible", { mode: "shared" }, () => closed.promise);
  await expect.poll(async () => (await locks())?.length).toBe(2);
  show("hidden");
  await expect.poll(async () => (await locks())?.length).toBe(1);
  await arrives(ana, "ninguém avisa disto: a outra aba está à vista");
  await navigator.locks.query();
  closed.resolve();
  await expect.poll(async () => (await locks())?.length).toBe(0);
  await arrives(group, "nem disto, num grupo");
  await arrives(bruno, "Quero   dois óculos");
  await expect.poll(shown).toEqual([{ title: "Bruno Carvalho", body: "Quero dois óculos" }]);
  notices.at(-1)?.onclick?.();
  await at(`/chat?conexao=${line.id}&conversa=${bruno.id}`);
});

test("an unwanted notification is not shown", async () => {
  const [unwanted, wanted] = ["Calada", "Falada"].map((name) =>
    campaign({ name, status: "sending", states: { read: 1, pending: 2 } }),
  ) as [ReturnType<typeof campaign>, ReturnType<typeof campaign>];
  const server = fakeServer(world({ campaigns: [unwanted, wanted] }));
  Object.assign(server.world.notifications, { browserCampaignStatus: true });
  server.on("PATCH /api/settings/notifications", ({ body }) =>
    Object.assign(server.world.notifications, body),
  );
  await open(server, "/settings?aba=notificacoes");
  const box = page.getByRole("checkbox", { name: "Mudanças no status das campanhas" });
  const asked = () => server.requests("GET /api/campaigns/{id}").length;
  await box.click();
  await expect.element(page.getByText("Salvo", { exact: true })).toBeVisible();
  await become(server, unwanted.id, "completed");
  await expect.poll(asked).toBe(1);
  await box.click();
  await expect.element(box).toBeChecked();
  await expect.poll(() => server.world.notifications.browserCampaignStatus).toBe(true);
  await expect.element(page.getByText("Salvo", { exact: true })).toBeVisible();
  await become(server, wanted.id, "completed");
  await expect.poll(() => notices.map(({ title }) => title)).toEqual(["Campanha concluída: Falada"]);
});

test("the browser is asked only by a press, and each of its answers is shown", async () => {
  let permission: NotificationPermission = "default";
  vi.spyOn(Notification, "permission", "get").mockImplementation(() => permission);
  const request = vi.spyOn(Notification, "requestPermission").mockImplementation(async () => {
    permission = "denied";
    return permission;
  });
  await renderApp("/settings?aba=notificacoes");
  await shows("Este navegador ainda não pode mostrar notificações.");
  expect(request).not.toHaveBeenCalled();
  await press("Permitir notificações neste navegador");
  await shows("As notificações estão bloqueadas neste navegador.");
  await expect
    .element(page.getByRole("button", { name: "Permitir notificações neste navegador" }))
    .not.toBeInTheDocument();
});
