import { expect, type Page, test } from "@playwright/test";
import { formatPhone } from "../../src/domain/phone-written.ts";
import { longAudience, longOptOuts } from "../support/long-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { signUpUnseen } from "./support/person.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

async function holdBack(page: Page, asked: RegExp) {
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  await page.route(asked, async (route) => {
    held++;
    await gone;
    await route.continue();
  });
  return { letGo, held: () => held };
}

test("the empty message never shows before the answer", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  const connectionId = await heldConnection(rows.db, account, "connected", "Matriz");
  await longAudience(rows.db, { account, connectionId }, 40);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: /^\+37 contatos/ }).click();
  const dialog = page.getByRole("dialog", { name: "Clientes de todas as lojas" });
  const search = dialog.getByRole("searchbox");
  await search.fill("ninguém");
  await expect(dialog.getByText("Nada encontrado para «ninguém».")).toBeVisible();
  const late = await holdBack(page, /search=Pessoa/);
  await search.fill("Pessoa 3");
  await expect.poll(late.held).toBeGreaterThan(0);
  await expect(dialog.getByText("Carregando").first()).toBeAttached();
  await expect(dialog.getByText(/Nada encontrado/)).toHaveCount(0);
  late.letGo();
  await expect(dialog.getByText("Pessoa 3", { exact: true })).toBeVisible();
});

test("a person who moves to another page during a refetch is listed once", async ({ page }) => {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await longOptOuts(rows.db, account, 150);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Descadastrados (150)" }).click();
  const dialog = page.getByRole("dialog", { name: "Quem não quer receber campanhas" });
  const box = dialog.getByRole("region", { name: "Pessoas que não querem receber campanhas" });
  const number = (place: number) => dialog.getByText(formatPhone(String(5_511_900_000_000 + place)));
  await box.evaluate((element) => {
    element.scrollTop = 98 * 61;
  });
  await expect(number(99)).toBeInViewport();
  await expect(number(100)).toBeInViewport();
  // The first page comes late: until then its last row is also the first of the second page.
  const late = await holdBack(page, /opt-outs\?.*skip=0/);
  await page.request.post(`${product.url}/api/opt-outs`, { data: { phone: "31 98765-0001" } });
  await expect.poll(late.held).toBeGreaterThan(0);
  await expect(number(99)).toHaveCount(2);
  late.letGo();
  await expect(dialog.getByRole("listitem").first()).toHaveAttribute("aria-setsize", "151");
  await expect(number(99)).toHaveCount(1);
  await box.evaluate((element) => {
    element.scrollTop = 0;
  });
  await expect(number(0)).toBeInViewport();
  await expect(number(99)).toHaveCount(0);
});

test("what is typed while a search begins is not taken back by it", async ({ page }) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  const search = page.getByRole("searchbox");
  await search.evaluate((input: HTMLInputElement) => {
    const { replaceState } = history;
    history.replaceState = (...address) => {
      history.replaceState = replaceState;
      history.replaceState(...address);
      input.focus();
      document.execCommand("insertText", false, " maria");
    };
  });
  await search.fill("ana");
  await expect(page).toHaveURL(`${product.url}/contacts?busca=ana+maria`);
  await expect(search).toHaveValue("ana maria");
});
