import { expect, type Page, test } from "@playwright/test";
import { sql } from "kysely";
import { listRow } from "../support/campaign-rows.ts";
import type { ProductServer } from "../support/server.ts";
import { confirmLook, createCampaign } from "./support/last-look.ts";
import { signUpUnseen } from "./support/person.ts";
import { testPicture } from "./support/pictures.ts";
import { accountOf, heldConnection, type ProductRows } from "./support/product-rows.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;
let rows: ProductRows;

startedFor((started) => {
  ({ product, rows } = started);
});

const text = (page: Page) => page.getByRole("textbox", { name: "Texto" });
const create = (page: Page) => page.getByRole("button", { name: "Criar Campanha" });
const sending = (page: Page) => page.getByText("Enviando imagem...");

async function withPictureOnItsWay(page: Page) {
  const account = await accountOf(rows.db, await signUpUnseen(page, product.url));
  await heldConnection(rows.db, account, "connected", "Matriz");
  await listRow(rows.db, account, 3, "Clientes VIP");
  await page.goto(`${product.url}/campaigns/new`);
  await page.getByLabel("Nome da campanha").fill("Com foto");
  await text(page).fill("Veja só");
  await page.getByLabel("Lista de contatos").selectOption("Clientes VIP (3)");
  const picture = await heldPicture(page, "foto.png");
  return { account, ...picture };
}

async function heldPicture(page: Page, name: string) {
  const decided = Promise.withResolvers<"arrive" | "fail">();
  await page.route(
    "**/api/images",
    async (route) => ((await decided.promise) === "arrive" ? route.continue() : route.abort()),
    { times: 1 },
  );
  const picker = page.locator("input[type=file]");
  const size = name === "foto.png" ? 64 : 96;
  await picker.setInputFiles({ name, mimeType: "image/png", buffer: await testPicture(size, size) });
  await expect(sending(page)).toBeVisible();
  return { arrive: () => decided.resolve("arrive"), fail: () => decided.resolve("fail") };
}

async function picturesSent(account: string): Promise<(number | null)[]> {
  const { rows: found } = await sql<{ width: number | null }>`select i.width from campaign c
    left join image i on i.id = c.image_id where c.account_id = ${account}::uuid`.execute(rows.db);
  return found.map(({ width }) => width);
}

test("a campaign created while its picture is on its way goes out with it", async ({ page }) => {
  const { account, arrive } = await withPictureOnItsWay(page);
  await create(page).click();
  await expect(page.getByRole("button", { name: "Criando..." })).toBeDisabled();
  expect(await picturesSent(account)).toEqual([]);
  arrive();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await picturesSent(account)).toEqual([64]);
});

test("a draft saved while its picture is on its way keeps it", async ({ page }) => {
  const { account, arrive } = await withPictureOnItsWay(page);
  await page.getByRole("button", { name: "Salvar Rascunho" }).click();
  await expect(page.getByRole("button", { name: "Salvando..." })).toBeDisabled();
  arrive();
  await expect(page.getByText("Rascunho salvo")).toBeVisible();
  expect(await picturesSent(account)).toEqual([64]);
});

test("nothing goes out when the picture it waits for is not taken, and nothing typed is lost", async ({
  page,
}) => {
  const { account, fail } = await withPictureOnItsWay(page);
  await create(page).click();
  await expect(page.getByRole("button", { name: "Criando..." })).toBeDisabled();
  fail();
  const picture = page.getByRole("group", { name: "Imagem" });
  await expect(picture.getByRole("alert")).toBeVisible();
  await expect(page.getByRole("button", { name: "Escolher imagem" })).toBeFocused();
  await expect(text(page)).toHaveValue("Veja só");
  expect(await picturesSent(account)).toEqual([]);
  // The late upload must not move the focus.
  const other = await heldPicture(page, "outra.png");
  await create(page).click();
  await expect(page.getByRole("button", { name: "Criando..." })).toBeDisabled();
  await text(page).focus();
  other.fail();
  await expect(picture.getByRole("alert")).toBeVisible();
  await expect(create(page)).toBeEnabled();
  await expect(text(page)).toBeFocused();
  const again = await heldPicture(page, "foto.png");
  again.arrive();
  await expect(sending(page)).toHaveCount(0);
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await picturesSent(account)).toEqual([64]);
});

test("a picture dropped over another is the one that goes out, also when it was still on its way", async ({
  page,
}) => {
  const { account, arrive } = await withPictureOnItsWay(page);
  arrive();
  await expect(page.getByText("foto.png")).toBeVisible();
  const second = await heldPicture(page, "outra.png");
  await create(page).click();
  await expect(page.getByRole("button", { name: "Criando..." })).toBeDisabled();
  second.arrive();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await picturesSent(account)).toEqual([96]);
});

test("a test asked for while the picture is on its way takes it along, and stays when it is not taken", async ({
  page,
}) => {
  const { arrive } = await withPictureOnItsWay(page);
  const asked: { imageId: number | null }[] = [];
  await page.route("**/api/campaigns/test", async (route) => {
    asked.push(route.request().postDataJSON());
    await route.abort();
  });
  await page.getByRole("button", { name: "Enviar teste" }).click();
  await expect(page.getByRole("heading", { name: "Enviar teste" })).toBeFocused();
  const form = page.getByRole("form", { name: "Enviar teste" });
  await form.getByRole("button", { name: "Enviar teste" }).click();
  await expect(form.getByRole("button", { name: "Enviando..." })).toBeDisabled();
  expect(asked).toEqual([]);
  arrive();
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]?.imageId).toEqual(expect.any(Number));

  const second = await heldPicture(page, "outra.png");
  await form.getByRole("button", { name: "Enviar teste" }).click();
  await expect(form.getByRole("button", { name: "Enviando..." })).toBeDisabled();
  second.fail();
  await expect(form.getByText("Corrija a mensagem antes de enviar o teste.")).toBeVisible();
  expect(asked).toHaveLength(1);
});

test("a picture that the server keeps no more is said to be gone, at its place, and nothing goes out without it", async ({
  page,
}) => {
  const { account, arrive } = await withPictureOnItsWay(page);
  arrive();
  await expect(page.getByText("foto.png")).toBeVisible();
  await sql`delete from image where account_id = ${account}::uuid`.execute(rows.db);
  await createCampaign(page);
  const picture = page.getByRole("group", { name: "Imagem" });
  await expect(picture.getByRole("alert")).toHaveText(
    "O servidor não guarda mais esta imagem. Escolha-a de novo.",
  );
  await expect(page.getByRole("button", { name: "Remover imagem" })).toBeFocused();
  expect(await picturesSent(account)).toEqual([]);
  await page.getByRole("button", { name: "Remover imagem" }).click();
  (await heldPicture(page, "foto.png")).arrive();
  await expect(sending(page)).toHaveCount(0);
  await createCampaign(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect(await picturesSent(account)).toEqual([64]);
});

test("created as another campaign than one saved before, it waits for its picture all the same", async ({
  page,
}) => {
  const { account, arrive } = await withPictureOnItsWay(page);
  await page.route("**/api/campaigns", async (route) => {
    await route.fetch();
    return route.abort();
  });
  arrive();
  await createCampaign(page);
  await expect(page.getByRole("alert")).toContainText("Não foi possível criar a campanha.");
  await page.unroute("**/api/campaigns");
  await text(page).fill("Veja só esta");
  await createCampaign(page);
  await expect(page.getByText("Esta campanha já foi salva na tentativa anterior.")).toBeVisible();
  const other = await heldPicture(page, "outra.png");
  await page.getByRole("button", { name: "Criar como outra campanha" }).click();
  await expect(page.getByRole("button", { name: "Criando..." })).toBeDisabled();
  other.arrive();
  await confirmLook(page);
  await expect(page.getByText("Campanha criada: o envio começa agora")).toBeVisible();
  expect((await picturesSent(account)).toSorted()).toEqual([64, 96]);
});
