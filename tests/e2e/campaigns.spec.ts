import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { campaignRow, listRow } from "../support/campaign-rows.ts";
import { pdf } from "../support/media-files.ts";
import { createCampaign } from "./support/last-look.ts";
import { link } from "./support/linked.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf, heldConnection } from "./support/product-rows.ts";

const PHONE = "5531907773071";
const CLASS = { people: 500, first: 5_521_913_000_000 };
const PDF = "Boleto de dezembro.pdf";

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("a PDF goes to five hundred people, each once and by name, though it is paused on its way; another campaign is cancelled only after being asked @decision 10", async ({
  page,
  whatsapp,
  db,
}) => {
  const { control } = whatsapp;
  const account = await accountOf(db, await signUpUnseen(page));
  await link(page, whatsapp, PHONE);
  const listId = await listRow(db, account, CLASS.people, "Turmas de 2026", CLASS.first);
  const bytes = pdf("Boleto de dezembro da escola");
  await page.goto(`/campaigns/new?lista=${listId}`);
  await page.getByLabel("Nome da campanha").fill("Boletos");
  await page.getByRole("textbox", { name: "Texto", exact: true }).fill("{nome}, segue o boleto.");
  await page.getByLabel("Intervalo entre mensagens").fill("0");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Escolher arquivo" }).click();
  await (await chooser).setFiles({ name: PDF, mimeType: "application/pdf", buffer: bytes });
  await expect(page.getByRole("complementary", { name: "Pré-visualização" })).toContainText(PDF);
  await createCampaign(page);

  const sent = async () => (await control.messages({ from: PHONE })).total;
  await expect.poll(sent, { intervals: [20] }).toBeGreaterThanOrEqual(30);
  await card(page, "Boletos").getByRole("button", { name: "Pausar" }).click();
  await expect(card(page, "Boletos")).toContainText("Envio pausado");
  expect(await sent()).toBeLessThan(CLASS.people);
  await card(page, "Boletos").getByRole("button", { name: "Continuar" }).click();
  // Each step has its own limit: a slow machine takes minutes, and only a standstill may fail.
  for (let now = await sent(); now < CLASS.people; now = await sent())
    await expect.poll(sent, { intervals: [500] }).toBeGreaterThan(now);
  await expect(card(page, "Boletos")).toContainText("Concluída");
  await expect(card(page, "Boletos").getByRole("definition")).toHaveText(["500", "500", "0", "0"]);

  const { messages, total } = await control.messages({ from: PHONE });
  const people = Array.from({ length: CLASS.people }, (_, nth) => String(CLASS.first + nth));
  expect([total, messages.map(({ to }) => to).sort()]).toEqual([CLASS.people, people]);
  const file = { kind: "document", fileName: PDF, sha256: createHash("sha256").update(bytes).digest("hex") };
  for (const message of messages) expect(message).toMatchObject({ file, accepted: 1 });
  const named = messages.find(({ to }) => to === people[7]);
  expect(named?.text).toMatch(/^\S.*, segue o boleto\.$/);
  expect((await control.stats({})).problems).toEqual([]);

  await cancelAfterAsking(page, db, account);
});

async function cancelAfterAsking(page: Page, db: Parameters<typeof campaignRow>[0], account: string) {
  const up = await heldConnection(db, account, "connected", "Filial");
  const people = { sent: 612, pending: 638 };
  await campaignRow(db, account, { name: "Black Friday", status: "sending", connectionId: up, people });
  await page.goto("/campaigns");
  const black = card(page, "Black Friday");
  await black.getByRole("button", { name: "Mais ações de Black Friday" }).click();
  await page.getByRole("menuitem", { name: "Cancelar envio" }).click();
  const asked = page.getByRole("alertdialog", { name: "Cancelar o envio de Black Friday?" });
  await expect(asked).toContainText("638 pessoas não recebem a mensagem.");
  await expect(asked).toContainText("As 612 mensagens já enviadas continuam no histórico.");
  await expect(asked.getByRole("button", { name: "Voltar" })).toBeFocused();
  await asked.getByRole("button", { name: "Cancelar envio" }).click();
  await expect(asked).toBeHidden();
  await expect(black).toContainText("Cancelada");
  await expect(black.getByRole("link", { name: "Reutilizar" })).toBeVisible();
}
