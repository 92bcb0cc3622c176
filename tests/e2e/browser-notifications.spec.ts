import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import { messageRow } from "../support/chat-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUp, signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";
import { someTalks } from "./support/talks.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

type Told = { title: string; body: string };
type Watched = { told: (Told & { onclick: (() => void) | null })[]; hidden: boolean };

/**
 * Notes the browser's notifications, and lets a test say whether the page is in sight: the browser that comes from npm has no screen,
 * shows none and never hides a page.
 */
async function watch(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const watched: Watched = { told: [], hidden: false };
    Object.assign(window, { watched });
    Object.defineProperty(document, "visibilityState", {
      get: () => (watched.hidden ? "hidden" : "visible"),
    });
    class Noted {
      static readonly permission = "granted";
      readonly title: string;
      readonly body: string;
      onclick: (() => void) | null = null;
      constructor(title: string, { body = "" }: NotificationOptions = {}) {
        this.title = title;
        this.body = body;
        watched.told.push(this);
      }
      close() {
        this.onclick = null;
      }
    }
    Object.assign(window, { Notification: Noted });
  });
}

const told = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { watched: Watched }).watched.told.map(({ title, body }) => ({ title, body })),
  );

const toldIn = async (...pages: Page[]): Promise<Told[]> => (await Promise.all(pages.map(told))).flat();

const show = (page: Page, visible: boolean) =>
  page.evaluate((hidden) => {
    (window as unknown as { watched: Watched }).watched.hidden = hidden;
    document.dispatchEvent(new Event("visibilitychange"));
  }, !visible);

const press = (page: Page) =>
  page.evaluate(() => (window as unknown as { watched: Watched }).watched.told.at(-1)?.onclick?.());

/** What another part of the product would say of a row that this test has changed. */
const changed = (account: string, topic: string, id: number) =>
  sql`select pg_notify('recado_changes', ${JSON.stringify([{ a: account, t: topic, i: id }])})`.execute(
    rows.db,
  );

/** Signed in with the permission given, on the dashboard, with everything that listens in place. */
async function start(page: Page, context: BrowserContext): Promise<string> {
  await watch(context);
  // Else this look could be taken for that of the next screen.
  return looking([page], () => signUp(page, product.url));
}

/** Until one of these tabs has looked at what there is: only what happens from then on is told. */
async function looking<T>(pages: Page[], act: () => Promise<T>): Promise<T> {
  const looked = Promise.any(pages.map((page) => page.waitForResponse(/\/api\/campaigns\?status=paused/)));
  const done = await act();
  await looked;
  return done;
}

/** Opens a screen that shows neither campaigns nor chats, in both tabs. */
async function openContacts(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.goto(`${product.url}/contacts`);
}

test("a campaign that ends or is stopped is told once for all tabs, and a press opens it", async ({
  page,
  context,
}) => {
  const account = await accountOf(rows.db, await start(page, context));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const campaign = (name: string, status: string) =>
    campaignRow(rows.db, account, {
      name,
      status,
      connectionId,
      people: { read: 3, error: status === "ended" ? 1 : 0 },
    });
  await campaign("De ontem", "ended");
  const first = await campaign("Volta às aulas", "sending");
  const second = await campaign("Vitrine", "sending");
  const other = await context.newPage();
  await looking([page, other], () => openContacts(page, other));

  // Its owner knows it already.
  await sql`update campaign set status = 'paused', pause_reason = 'user' where id = ${second}`.execute(
    rows.db,
  );
  await changed(account, "campaigns", second);
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${first}`.execute(rows.db);
  // What the person wants to be told is not known at once, nor is it by waiting for the page to be looked at.
  const broken = { status: 503, json: { code: "unavailable", error: "" } };
  await context.route("**/api/settings/notifications", (route) => route.fulfill(broken), { times: 1 });
  for (let again = 0; again < 3; again++) await changed(account, "campaigns", first);
  const ended = { title: "Campanha concluída: Volta às aulas", body: "3 de 3 mensagens enviadas." };
  await expect.poll(() => toldIn(page, other)).toEqual([ended]);

  await sql`update campaign set status = 'sending', pause_reason = null where id = ${second}`.execute(
    rows.db,
  );
  const asked = [page, other].map((tab) => tab.waitForResponse(new RegExp(`/api/campaigns/${second}$`)));
  await changed(account, "campaigns", second);
  await Promise.any(asked);
  await sql`update campaign set status = 'paused', pause_reason = 'no_default_connection' where id = ${second}`.execute(
    rows.db,
  );
  await changed(account, "campaigns", second);
  await expect.poll(async () => (await toldIn(page, other)).length).toBe(2);
  const teller = (await told(page)).length > 0 ? page : other;
  expect((await told(teller))[1]).toEqual({
    title: "Campanha pausada: Vitrine",
    body: "Nenhuma conexão padrão. Escolha uma conexão. Torne uma conexão padrão em Conexões e continue o envio.",
  });
  await press(teller);
  await expect(teller).toHaveURL(new RegExp(`/campaigns\\?detalhes=${second}$`));

  // The one that told is gone: the other goes on, with what happens from then on.
  const heir = teller === page ? other : page;
  await looking([heir], () => teller.close());
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${second}`.execute(rows.db);
  await changed(account, "campaigns", second);
  await expect.poll(() => told(heir)).toEqual([{ title: "Campanha concluída: Vitrine", body: ended.body }]);
});

test("a message that arrives is told only while no tab is in sight, and a press opens its chat", async ({
  page,
  context,
}) => {
  const email = await start(page, context);
  const { account, ana, bruno, group } = await someTalks(rows.db, email);
  const arrives = async (chat: number, text: string) => {
    await messageRow(rows.db, chat, { text });
    await sql`update chat set unread = unread + 1, last_at = now(), last_text = ${text}, last_from_me = false where id = ${chat}`.execute(
      rows.db,
    );
    await changed(account, "chats", chat);
  };
  const other = await context.newPage();
  await looking([page, other], () => openContacts(page, other));

  // Both say that they are in sight: one that is still loading does not yet.
  const inSight = () =>
    page.evaluate(
      async () =>
        (await navigator.locks.query()).held?.filter(({ name }) => name === "recado-visible").length,
    );
  await expect.poll(inSight).toBe(2);
  await show(page, false);
  const asked = Promise.any([page, other].map((tab) => tab.waitForResponse(`**/api/chats/${ana}`)));
  await arrives(ana, "ninguém avisa disto: a outra aba está à vista");
  await asked;
  // Whichever of them tells has looked who is in sight before it answers these.
  for (const tab of [page, other])
    await tab.evaluate(() => fetch("/api/health").then(() => navigator.locks.query()));
  await show(other, false);
  await arrives(group, "nem disto, num grupo");
  await arrives(bruno, "Quero   dois óculos");
  await expect
    .poll(() => toldIn(page, other))
    .toEqual([{ title: "Bruno Carvalho", body: "Quero dois óculos" }]);
  const teller = (await told(page)).length > 0 ? page : other;
  await press(teller);
  await expect(teller).toHaveURL(new RegExp(`conversa=${bruno}$`));
});

test("what is not wanted is not told", async ({ page, context }) => {
  const account = await accountOf(rows.db, await start(page, context));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  const make = (name: string) =>
    campaignRow(rows.db, account, { name, status: "sending", connectionId, people: { read: 1 } });
  const unwanted = await make("Calada");
  const wanted = await make("Falada");
  await looking([page], () => page.goto(`${product.url}/settings?aba=notificacoes`));
  const box = page.getByRole("checkbox", { name: "Mudanças no status das campanhas" });
  const end = async (id: number) => {
    await sql`update campaign set status = 'ended', ended_at = now() where id = ${id}`.execute(rows.db);
    await changed(account, "campaigns", id);
  };
  await box.click();
  await expect(page.getByText("Salvo", { exact: true })).toBeVisible();
  const asked = page.waitForResponse(new RegExp(`/api/campaigns/${unwanted}$`));
  await end(unwanted);
  await asked;
  // Whether it is wanted has been decided before this is answered.
  await page.evaluate(() => fetch("/api/health").then((answer) => answer.text()));
  await box.click();
  await expect(box).toBeChecked();
  await expect(page.getByText("Salvo", { exact: true })).toBeVisible();
  await end(wanted);
  await expect
    .poll(async () => (await told(page)).map(({ title }) => title))
    .toEqual(["Campanha concluída: Falada"]);
});

test("the browser is asked only by a press, and each of its answers is shown", async ({ page, context }) => {
  await context.addInitScript(() => {
    let permission: NotificationPermission = "default";
    Object.defineProperty(Notification, "permission", { get: () => permission });
    Notification.requestPermission = async () => {
      permission = "denied";
      return permission;
    };
  });
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/settings?aba=notificacoes`);
  await expect(page.getByText("Este navegador ainda não pode mostrar notificações.")).toBeVisible();
  await page.getByRole("button", { name: "Permitir notificações neste navegador" }).click();
  await expect(page.getByText("As notificações estão bloqueadas neste navegador.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Permitir notificações neste navegador" })).toBeHidden();
});
