import { expect, test } from "@playwright/test";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { createInstance, newName, openScreen, register, WHERE } from "./support/evolution-screen.ts";

let gateway: Evolution;
let product: ProductServer;

test.beforeAll(async () => {
  gateway = await startEvolution();
  product = await startProduct({
    env: {
      RECADO_PRIVATE_HOSTS: new URL(gateway.url).hostname,
      RECADO_WEBHOOK_URL: "http://127.0.0.1:9",
      RECADO_TIME_SCALE: "0.1",
    },
  });
});
test.afterAll(async () => {
  await product.close();
  await gateway.close();
});

test("of a server that cannot reach us the screen says that confirmations come by polling; the person's address is set there itself @decision 21", async ({
  page,
}) => {
  const name = newName("longe");
  await openScreen(page, product);
  await register(page, gateway);
  const server = page.getByRole("region", { name: "Evolution escolhida" });
  await expect(server.getByText("Não chegam ao Recado")).toBeVisible();
  await expect(server).toContainText(
    "Este servidor não consegue chamar o Recado. As instâncias funcionam, e as confirmações são buscadas por consulta",
  );
  const card = await createInstance(page, name);
  await card.getByRole("button", { name: `Configurar webhook de ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: "Configurar webhook" });
  await expect(dialog).toContainText(
    "o endereço é configurado direto nele, e as confirmações chegam por consulta",
  );
  // The webhook address is checked by its resolved name; this one needs no name server.
  await dialog.getByLabel("URL do webhook").fill("http://127.0.0.1:9/mensagens");
  await dialog.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Webhook configurado com sucesso!")).toBeVisible();
  await expect(card).toContainText(
    "O servidor chama direto o seu webhook, porque não alcança o Recado. Mensagens e confirmações são buscadas por consulta.",
  );
  await expectAccessible(page);
});

test("27.8 the operator's server that cannot reach us takes no address of a person's: the screen says why", async ({
  page,
}) => {
  const provided = await startProduct({
    env: {
      RECADO_GATEWAYS: `${WHERE}=${gateway.url}|${gateway.apiKey}`,
      RECADO_WEBHOOK_URL: "http://127.0.0.1:9",
      RECADO_TIME_SCALE: "0.1",
    },
  });
  try {
    const name = newName("fornecida");
    await openScreen(page, provided);
    await page.getByRole("button", { name: "Testar" }).click();
    const server = page.getByRole("region", { name: "Evolution escolhida" });
    await expect(server.getByText("Não chegam ao Recado")).toBeVisible();
    const card = await createInstance(page, name);
    await card.getByRole("button", { name: `Configurar webhook de ${name}` }).click();
    const dialog = page.getByRole("dialog", { name: "Configurar webhook" });
    await expect(dialog).toContainText(
      "Este servidor não alcança o Recado, e nada é repassado até que alcance. Avise o administrador",
    );
    await dialog.getByLabel("URL do webhook").fill("https://crm.exemplo.com.br/mensagens");
    await dialog.getByRole("button", { name: "Salvar" }).click();
    await expect(dialog).toContainText("nada chegaria a este endereço. Avise o administrador");
    await expectAccessible(page);
  } finally {
    await provided.close();
  }
});

test("forgetting a server says what becomes of the one instance that is used, connected or not", async ({
  page,
}) => {
  const name = newName("solta");
  await openScreen(page, product);
  await register(page, gateway);
  await createInstance(page, name);
  await page.getByRole("button", { name: `Ações de ${WHERE}` }).click();
  await page.getByRole("menuitem", { name: "Excluir" }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText(
    "1 instância sai do Recado, com as conversas que estão aqui. No servidor nada é excluído: ela continua lá como está.",
  );
  await question.getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhuma evolution cadastrada.")).toBeVisible();
  expect(gateway.world.instances()).toContain(name);
});
