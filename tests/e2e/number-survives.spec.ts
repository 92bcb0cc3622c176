import { expect, type Page } from "@playwright/test";
import type { LocalSimulator } from "../../simulators/whatsapp/local.ts";
import { CANARY_PEOPLE } from "../../src/domain/breaker.ts";
import { type NumberPlan, PLAN_RISKS, rampOn, recommendedPlan } from "../../src/domain/number-plan.ts";
import type { Db } from "../../src/server/db/client.ts";
import { listRow } from "../support/campaign-rows.ts";
import { createCampaign, lastLook } from "./support/last-look.ts";
import { call, link } from "./support/linked.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";
import { accountOf } from "./support/product-rows.ts";
import { field, thread } from "./support/talks.ts";

const LIST = "Clientes da loja";
/** Of each test: what is found about a number stays so for the product's other accounts. */
const FIRST = { planned: 5_521_911_000_000, absent: 5_521_912_000_000 };

/** A new number that may send at any hour; `gapS` between two new conversations. */
async function newNumber(
  page: Page,
  whatsapp: LocalSimulator,
  phone: string,
  gapS: number,
): Promise<NumberPlan> {
  await link(page, whatsapp, phone);
  const connections = await call<{ connections: { id: number }[] }>(page, "GET", "/api/connections");
  const place = `/api/connections/${connections.connections[0]?.id}/plan`;
  const today = new Date().toISOString().slice(0, 10);
  const plan: NumberPlan = {
    ...recommendedPlan(today),
    hours: Array.from({ length: 7 }, () => ({ from: 0, to: 1440 })),
    coldGapS: { least: gapS, most: gapS },
    warmGapS: { least: 0, most: 0 },
    rest: null,
  };
  await call(page, "PUT", place, { plan, accepts: PLAN_RISKS });
  return plan;
}

async function fillForm(
  page: Page,
  db: Db,
  email: string,
  { people, first }: { people: number; first: number },
): Promise<void> {
  const listId = await listRow(db, await accountOf(db, email), people, LIST, first);
  await page.goto(`/campaigns/new?lista=${listId}`);
  await page.getByLabel("Nome da campanha").fill("Retorno anual");
  await page.getByRole("textbox", { name: "Texto", exact: true }).fill("Oi, {nome}! Vamos marcar?");
  await page.getByLabel("Intervalo entre mensagens").fill("0");
}

const card = (page: Page) => page.getByRole("article", { name: "Retorno anual" });
const reached = async (whatsapp: LocalSimulator, from: string) =>
  (await whatsapp.control.messages({ from })).messages.length;

test("a new number plans eleven days; a time-lock in the middle keeps new people waiting, and the customer who wrote is answered", async ({
  page,
  whatsapp,
  db,
}) => {
  const { control } = whatsapp;
  const phone = "5531907773061";
  const email = await signUpUnseen(page);
  const plan = await newNumber(page, whatsapp, phone, 1);
  const budgetOf = (nth: number) =>
    rampOn(plan, new Date(Date.parse(plan.inUseSince) + nth * 86_400_000).toISOString().slice(0, 10));
  const inTenDays = Array.from({ length: 10 }, (_, nth) => budgetOf(nth)).reduce((sum, each) => sum + each);
  await fillForm(page, db, email, { people: inTenDays + 5, first: FIRST.planned });
  await expect(page.getByText(/em 11 dias de envio/).first()).toBeVisible();
  await page.getByRole("button", { name: "Criar Campanha" }).click();
  await expect(lastLook(page)).toContainText(`nesse caso as ${inTenDays + 5} pessoas novas esperam`);
  await lastLook(page).getByRole("button", { name: "Voltar" }).click();
  await createCampaign(page);

  await expect.poll(() => reached(whatsapp, phone)).toBeGreaterThan(3);
  const until = Math.floor(Date.now() / 1_000) + 3_600;
  await control.timelock({ phone, until, notify: "also" });
  await expect(card(page)).toContainText("O WhatsApp bloqueou novas conversas");
  const before = await reached(whatsapp, phone);
  await control.write({ from: String(FIRST.planned), to: phone, text: "QUERO" });
  await page.goto("/chat");
  await thread(page, /Pessoa 0/).click();
  await field(page).fill("Sábado às 10h?");
  await field(page).press("Enter");
  await expect
    .poll(async () =>
      (await control.messages({ to: String(FIRST.planned) })).messages.map(({ text }) => text),
    )
    .toEqual(["Oi, Pessoa 0! Vamos marcar?", "Sábado às 10h?"]);
  expect(await reached(whatsapp, phone), "new people wait").toBe(before + 1);

  await control.timelock({ phone, until: null, notify: "also" });
  await expect.poll(() => reached(whatsapp, phone), "the day's new conversations").toBe(budgetOf(0) + 1);
});

test("a campaign to a list of many numbers without WhatsApp stops after the first twenty, and goes on only for a reason", async ({
  page,
  whatsapp,
  db,
}) => {
  const phone = "5531907773062";
  const email = await signUpUnseen(page);
  await newNumber(page, whatsapp, phone, 0);
  const absent = Array.from({ length: 10 }, (_, nth) => String(FIRST.absent + nth * 2));
  await whatsapp.control.people({ phones: absent, settings: { onWhatsApp: false } });
  await fillForm(page, db, email, { people: 130, first: FIRST.absent });
  await createCampaign(page);
  await expect(card(page)).toContainText("Muitos números não têm WhatsApp (10 de 20; o limite é 30%)");
  expect(await reached(whatsapp, phone)).toBe(CANARY_PEOPLE - absent.length);
  await card(page).getByRole("button", { name: "Continuar" }).click();
  const question = page.getByRole("dialog", { name: "Continuar o envio de Retorno anual?" });
  await question.getByRole("button", { name: "Continuar" }).click();
  await expect(question).toContainText("Escreva o motivo.");
  expect(await reached(whatsapp, phone)).toBe(CANARY_PEOPLE - absent.length);
});
