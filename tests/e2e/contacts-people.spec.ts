import { expect, type Page, test } from "@playwright/test";
import type { ProductServer } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { signUpUnseen } from "./support/person.ts";
import { startedFor } from "./support/started.ts";

let product: ProductServer;

startedFor((started) => {
  ({ product } = started);
});

const card = (page: Page, name: string) => page.getByRole("article", { name });

async function imported(page: Page, name: string, text: string, query = ""): Promise<void> {
  const answer = await page.request.post(
    `${product.url}/api/contact-imports?name=${encodeURIComponent(name)}${query}`,
    { headers: { origin: product.url, "content-type": "text/csv" }, data: Buffer.from(text) },
  );
  expect(answer.status()).toBe(202);
  const { id } = await answer.json();
  await expect
    .poll(
      async () => (await (await page.request.get(`${product.url}/api/contact-imports/${id}`)).json()).state,
    )
    .toBe("done");
}

const THREE = "Nome;Telefone\nAna Lima;31902341187\nBruno Reis;31908714420\nCarla Dias;31905620093\n";

test("26.19 a card opens its people, also three, starts a campaign and exports; deleting comes last", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await imported(page, "Clientes", THREE);
  await imported(page, "Parentes", THREE);
  await page.goto(`${product.url}/contacts`);
  await expect(
    page.getByText("2 listas, 6 contatos (quem está em duas listas conta em cada uma)"),
  ).toBeVisible();
  const clients = card(page, "Clientes");
  await expect(clients.locator("footer").locator("a, button")).toHaveText([
    "Ver pessoas",
    "Enviar campanha",
    "Exportar",
    "Excluir Lista",
  ]);
  await clients.getByRole("button", { name: "Ver pessoas" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Clientes" });
  await expect(dialog.getByText("Carla Dias")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(clients.getByRole("button", { name: "Ver pessoas" })).toBeFocused();

  const download = page.waitForEvent("download");
  await clients.getByRole("link", { name: "Exportar" }).click();
  expect((await download).suggestedFilename()).toMatch(/_contatos\.csv$/);

  await clients.getByRole("link", { name: "Enviar campanha" }).click();
  const list = page.getByLabel("Lista de Contatos");
  await expect(list.locator("option:checked")).toContainText("Clientes");
  await page.getByLabel("Nome da Campanha").fill("Para os clientes");
  await page.goto(`${product.url}/campaigns/new`);
  await expect(page.getByLabel("Nome da Campanha")).toHaveValue("");
  await expect(page.getByLabel("Lista de Contatos")).toHaveValue("");
});

test("26.19 a person who was searched for is offered, not the deletion of the list around them", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await imported(page, "Clientes", THREE);
  await page.goto(`${product.url}/contacts?busca=carla`);
  const clients = card(page, "Clientes");
  await expect(clients.getByRole("button", { name: "Carla Dias" })).toBeVisible();
  await expect(clients.getByRole("button", { name: /Excluir Lista/ })).toHaveCount(0);
  await clients.getByRole("button", { name: "Carla Dias" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Carla Dias" });
  await expect(dialog).toContainText("+55 31 90562-0093");
  await expect(dialog).toContainText("Está na lista «Clientes».");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Não enviar campanhas" }).click();
  await expect(dialog).toBeHidden();
  await expect(clients).toContainText("Não quer campanhas");
  await clients.getByRole("button", { name: "Carla Dias" }).click();
  await dialog.getByRole("button", { name: "Permitir de novo" }).click();
  await expect(clients.getByText("Não quer campanhas")).toHaveCount(0);

  await page.goto(`${product.url}/contacts?busca=clientes`);
  await expect(clients.getByRole("button", { name: /Excluir Lista/ })).toBeVisible();
});

test("26.18 the report names refused and skipped rows; closed with Esc it stays closed on other screens", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Importar", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.locator("input[type=file]").setInputFiles({
    name: "clientes.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      "Id;Nome;E-mail;Celular;Telefone fixo\n1;Ana;a@b.c;31902341187;3133334444\n;;;;\n2;Jo\ufffdo;;31908714420;\n3;Bia;;123;\n",
    ),
  });
  await dialog.getByRole("button", { name: "Importar", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("ilegíveis: 1. Por exemplo: «Jo\ufffdo».");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Importar mesmo assim" }).click();
  await expect(dialog.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await expect(
    dialog.getByRole("region", { name: "Linhas recusadas" }).getByRole("row").nth(1),
  ).toContainText("5Bia123");
  await expect(dialog.getByText("2 colunas não usadas: Id, E-mail.")).toBeVisible();
  await expect(
    dialog.getByText("1 outro telefone na mesma linha: cada contato entra com um só."),
  ).toBeVisible();
  await expect(dialog.getByText("1 linha vazia.")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  const band = page.getByRole("button", { name: "Ver o que houve" });
  await expect(band).toHaveCount(0);
  await expect(card(page, "clientes")).toContainText("Ana");
});

test("26.18 a band whose report was read does not come back from an answer that is older than the reading", async ({
  page,
}) => {
  await signUpUnseen(page, product.url);
  await imported(page, "Clientes", THREE);
  const { items } = await (await page.request.get(`${product.url}/api/contact-imports`)).json();
  let under = true;
  await page.route("**/api/contact-imports", async (route) => {
    const items_ = items.map((one: object) => ({ ...one, state: under ? "running" : "done" }));
    await route.fulfill({ json: { items: items_ } });
  });
  await page.goto(`${product.url}/contacts`);
  await page.getByRole("button", { name: "Acompanhar" }).click();
  await expect(page.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(page.getByText("Importando «Clientes»")).toBeVisible();
  under = false;
  await expect(page.getByText("Importando «Clientes»")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Ver o que houve" })).toHaveCount(0);
});
