import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { campaignRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUp } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

type Notice = { title: string; body: string };
type Watched = { notices: (Notice & { onclick: (() => void) | null })[] };

/** Records the browser's notifications: the npm Chromium has no screen and shows none. */
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

const changed = (account: string, topic: string, id: number) =>
  sql`select pg_notify('recado_changes', ${JSON.stringify([{ a: account, t: topic, i: id }])})`.execute(
    rows.db,
  );

async function start(page: Page, context: BrowserContext): Promise<string> {
  await watch(context);
  // Otherwise this request could be taken for the next screen's.
  return looking([page], () => signUp(page, product.url));
}

async function looking<T>(pages: Page[], act: () => Promise<T>): Promise<T> {
  const looked = Promise.any(pages.map((page) => page.waitForResponse(/\/api\/campaigns\?status=paused/)));
  const done = await act();
  await looked;
  return done;
}

async function openContacts(...pages: Page[]): Promise<void> {
  for (const page of pages) await page.goto(`${product.url}/contacts`);
}

test("a campaign that ends or stops notifies once for all tabs, and a press opens it", async ({
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

  await sql`update campaign set status = 'paused', pause_reason = 'user' where id = ${second}`.execute(
    rows.db,
  );
  await changed(account, "campaigns", second);
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${first}`.execute(rows.db);
  // The preference is not known at once, and waiting for visibility does not load it.
  const broken = { status: 503, json: { code: "unavailable", error: "" } };
  await context.route("**/api/settings/notifications", (route) => route.fulfill(broken), { times: 1 });
  for (let again = 0; again < 3; again++) await changed(account, "campaigns", first);
  const ended = { title: "Campanha concluída: Volta às aulas", body: "3 de 3 mensagens enviadas." };
  await expect.poll(() => noticesIn(page, other)).toEqual([ended]);

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
  await expect.poll(async () => (await noticesIn(page, other)).length).toBe(2);
  const notifier = (await noticesOf(page)).length > 0 ? page : other;
  expect((await noticesOf(notifier))[1]).toEqual({
    title: "Campanha pausada: Vitrine",
    body: "Nenhuma conexão padrão. Escolha uma conexão. Torne uma conexão padrão em Conexões e continue o envio.",
  });
  await press(notifier);
  await expect(notifier).toHaveURL(new RegExp(`/campaigns\\?detalhes=${second}$`));

  // The notifying tab is gone; the other continues with later events.
  const heir = notifier === page ? other : page;
  await looking([heir], () => notifier.close());
  await sql`update campaign set status = 'ended', ended_at = now() where id = ${second}`.execute(rows.db);
  await changed(account, "campaigns", second);
  await expect
    .poll(() => noticesOf(heir))
    .toEqual([{ title: "Campanha concluída: Vitrine", body: ended.body }]);
});
