import { expect, test } from "@playwright/test";
import { freePort } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, productRows } from "./support/product-rows.ts";

/* A web process alone: the worker has died or was never started. */

let web: ProductServer;
const part = (name: string, port: number) => ({
  RECADO_PROCESS: name,
  RECADO_URL: `http://127.0.0.1:${port}`,
  RECADO_SIGNUP: "open",
});

test.beforeAll(async () => {
  const port = await freePort();
  web = await startProduct({ port, env: part("web", port) });
});
test.afterAll(() => web.close());

test("while no process sends every screen says that its states are the last known ones, and not once one does", async ({
  page,
}) => {
  const email = await signUpUnseen(page, web.url);
  const rows = await productRows(web);
  await heldConnection(rows.db, await accountOf(rows.db, email), "connected", "Matriz");
  await rows.close();
  const notice = page.getByRole("region", { name: "Envio parado" });
  for (const place of ["/", "/campaigns", "/whatsapp/connections"]) {
    await page.goto(web.url + place);
    await expect(notice).toContainText("Nada é enviado agora");
    await expect(notice).toContainText("é o que se sabia por último");
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  const worker = await startProduct({
    databaseUrl: web.place.DATABASE_URL ?? "",
    dataFolder: web.dataFolder,
    env: part("worker", Number(new URL(web.url).port)),
  });
  // No live update arrives; the page polls.
  await expect(notice).toBeHidden({ timeout: 60_000 });
  await worker.close();
});
