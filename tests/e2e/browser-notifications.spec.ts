import { type BrowserContext, expect, type Page } from "@playwright/test";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import { campaignRow } from "../support/campaign-rows.ts";
import { signUp } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

type Notice = { title: string; body: string };
type Watched = { notices: (Notice & { onclick: (() => void) | null })[] };

/** The npm Chromium has no screen and shows none. */
async function watch(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const watched: Watched = { notices: [] };
    Object.assign(window, { watched });
    class Noted {
      static readonly permission = "granted";
      readonly title: string;
      readonly body: string;
      onclick: (() => void) | null = null;
      constructor(title: string, { body = "" }: NotificationOptions = {}) {
        this.title = title;
        this.body = body;
        watched.notices.push(this);
      }
      close() {
        this.onclick = null;
      }
    }
    Object.assign(window, { Notification: Noted });
  });
}

const noticesOf = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as { watched: Watched }).watched.notices.map(({ title, body }) => ({ title, body })),
  );

const noticesIn = async (...pages: Page[]): Promise<Notice[]> =>
  (await Promise.all(pages.map(noticesOf))).flat();

const press = (page: Page) =>
  page.evaluate(() => (window as unknown as { watched: Watched }).watched.notices.at(-1)?.onclick?.());

const changed = (db: Db, account: string, id: number) =>
  sql`select pg_notify('recado_changes', ${JSON.stringify([{ a: account, t: "campaigns", i: id }])})`.execute(
    db,
  );

async function start(page: Page, context: BrowserContext): Promise<string> {
  await watch(context);
  return looking([page], () => signUp(page));
}

/** A document's own requests: a response may be the page's before. */
async function looking<T>(pages: Page[], act: () => Promise<T>): Promise<T> {
  const done = await act();
  const hasLooked = (page: Page) =>
    page.evaluate(() => {
      const asked = performance.getEntriesByType("resource").map(({ name }) => name);
      return ["scheduled", "sending", "paused"].every((status) =>
        asked.some((name) => name.includes(`/api/campaigns?status=${status}`)),
      );
    });
  await expect.poll(async () => (await Promise.all(pages.map(hasLooked))).includes(true)).toBe(true);
  return done;
}

async function openContacts(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.goto("/contacts");
}

test("a campaign that ends or stops notifies once for all tabs, and a press opens it", async ({
  page,
  context,
  db,
}) => {
  const account = await accountOf(db, await start(page, context));
  const connectionId = await heldConnection(db, account, "connected", "Matriz");
  const campaign = (name: string, status: string) =>
    campaignRow(db, account, {
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

  await sql`update campaign set status = 'paused', pause_reason = 'user' where id = ${second}`.execute(db);
  await changed(db, account, second);
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${first}`.execute(db);
  // The preference is not known at once, and waiting for visibility does not load it.
  const broken = { status: 503, json: { code: "unavailable", error: "" } };
  await context.route("**/api/settings/notifications", (route) => route.fulfill(broken), { times: 1 });
  for (let again = 0; again < 3; again++) await changed(db, account, first);
  const ended = { title: "Campanha concluída: Volta às aulas", body: "3 de 3 mensagens enviadas." };
  await expect.poll(() => noticesIn(page, other)).toEqual([ended]);

  await sql`update campaign set status = 'sending', pause_reason = null where id = ${second}`.execute(db);
  const asked = [page, other].map((tab) => tab.waitForResponse(new RegExp(`/api/campaigns/${second}$`)));
  await changed(db, account, second);
  await Promise.any(asked);
  await sql`update campaign set status = 'paused', pause_reason = 'no_default_connection' where id = ${second}`.execute(
    db,
  );
  await changed(db, account, second);
  await expect.poll(async () => (await noticesIn(page, other)).length).toBe(2);
  const notifier = (await noticesOf(page)).length > 0 ? page : other;
  expect((await noticesOf(notifier))[1]).toEqual({
    title: "Campanha pausada: Vitrine",
    body: "Nenhuma conexão padrão. Escolha uma conexão. Torne uma conexão padrão em Conexões e continue o envio.",
  });
  await press(notifier);
  await expect(notifier).toHaveURL(new RegExp(`/campaigns\\?detalhes=${second}$`));

  const heir = notifier === page ? other : page;
  await looking([heir], () => notifier.close());
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${second}`.execute(db);
  await changed(db, account, second);
  await expect
    .poll(() => noticesOf(heir))
    .toEqual([{ title: "Campanha concluída: Vitrine", body: ended.body }]);
});
