import { expect } from "@playwright/test";
import { releaseRestoreLock } from "../../src/server/commands/restored-copy.ts";
import { writeRestoreLock } from "../../src/server/db/restore-lock.ts";
import { signUp } from "./support/person.ts";
import { productAs } from "./support/product.ts";

/** Its lock stops the whole installation. */
const test = productAs(() => ({}));

test("a restored copy says on every screen what it is and what must happen first, until its operator has released it", async ({
  page,
  db,
}) => {
  await signUp(page);
  const notice = page.getByRole("region", { name: "Instalação restaurada" });
  await writeRestoreLock(db, "2026-11-20T18:31:00.000Z");
  for (const place of ["/", "/campaigns", "/whatsapp/connections"]) {
    await page.goto(place);
    await expect(notice).toContainText("uma cópia feita em 20/11/2026 15:31");
    await expect(notice).toContainText("receberia de novo, e quem pediu para sair depois dela também");
    await expect(notice).toContainText("npm run restore -- --release");
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await page.goto("/baileys");
  await page.getByLabel("Número do WhatsApp").fill("31 98888-7777");
  await page.getByRole("button", { name: "Conectar", exact: true }).click();
  await expect(
    page.getByText(/nada é enviado nem conectado até o administrador liberar/).first(),
  ).toBeVisible();

  expect(await releaseRestoreLock(db)).toBe(true);
  // No live update arrives; the page polls.
  await expect(notice).toBeHidden();
});
