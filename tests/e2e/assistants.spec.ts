import { expect, test } from "@playwright/test";
import { type Evolution, startEvolution } from "../../simulators/evolution/evolution.ts";
import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { createInstance, newName, openScreen, register } from "./support/evolution-screen.ts";
import { heldAnswer } from "./support/held-answer.ts";

let gateway: Evolution;
let mistral: MistralStandIn;
let product: ProductServer;

test.beforeAll(async () => {
  [gateway, mistral] = await Promise.all([startEvolution(), startMistral()]);
  product = await startProduct({
    env: { RECADO_PRIVATE_HOSTS: `${new URL(gateway.url).host},${mistral.host}` },
  });
});
test.afterAll(async () => {
  await product.close();
  await Promise.all([gateway.close(), mistral.stop()]);
});

test("an assistant is linked, deactivated, activated, paused, and removed @spec 0.1,1.4,2.62,2.64,3.10,4.10,4.18,7.31 @decision 22", async ({
  page,
}) => {
  const name = newName("robo");
  await openScreen(page, product);
  await register(page, gateway);
  const card = await createInstance(page, name);
  const open = () => card.getByRole("button", { name: `Vincular assistente a ${name}` }).click();
  await open();
  const dialog = page.getByRole("dialog", { name: "Assistente" });
  await expect(dialog.getByText("Falta a chave do Mistral.")).toBeVisible();
  await expect(dialog.getByRole("link", { name: "Abrir Meus Robôs" })).toHaveAttribute("href", "/chatbot");
  await expectAccessible(page);
  await page.keyboard.press("Escape");

  const key = { apiKey: mistral.keys[0], baseUrl: mistral.url };
  expect((await page.request.put(`${product.url}/api/mistral/settings`, { data: key })).ok()).toBe(true);
  const ids: string[] = [];
  for (const agent of ["Clara", "Davi"]) {
    const data = { name: agent, instructions: `Você é ${agent} e responde sobre óculos.` };
    const made = await page.request.post(`${product.url}/api/mistral/agents`, { data });
    expect(made.status()).toBe(201);
    ids.push(((await made.json()) as { id: string }).id);
  }
  await open();
  await expect(dialog.getByText("Você é Clara e responde sobre óculos.")).toBeVisible();
  await expect(dialog.getByText("Modelo mistral-small-latest").first()).toBeVisible();
  await dialog.getByRole("button", { name: "Vincular Clara" }).click();
  const linked = dialog.getByRole("region", { name: "Clara" });
  await expect(linked.getByText("Ativo", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await linked.getByRole("button", { name: "Desativar" }).click();
  await expect(linked.getByText("Inativo", { exact: true })).toBeVisible();
  await linked.getByRole("button", { name: "Ativar" }).click();
  await expect(linked.getByText("Ativo", { exact: true })).toBeVisible();
  await linked.getByLabel("Pausa do assistente").fill("1,5");
  await linked.getByRole("button", { name: "Salvar" }).click();
  await expect(linked.getByText(/^Use um número inteiro de 0 a 10\.080/)).toBeVisible();
  await linked.getByLabel("Pausa do assistente").fill("45");
  await linked.getByRole("button", { name: "Salvar" }).click();
  await expect(page.getByText("Pausa salva")).toBeVisible();
  const pause = linked.getByLabel("Pausa do assistente");
  const [{ connectionId }] = (
    (await (await page.request.get(`${product.url}/api/assistants`)).json()) as {
      links: [{ connectionId: number }];
    }
  ).links;
  const elsewhere = `${product.url}/api/connections/${connectionId}/assistant`;
  const rests = async (minutes: number) => {
    expect((await page.request.patch(elsewhere, { data: { pauseMinutes: minutes } })).ok()).toBe(true);
    await expect(pause).toHaveValue(String(minutes));
  };
  await rests(20);
  // The page also refetches the agents; what Mistral no longer lists was valid a moment ago.
  const agents = /\/api\/mistral\/agents$/;
  await page.route(agents, (route) =>
    route.fulfill({ status: 503, json: { code: "unavailable", error: "" } }),
  );
  await rests(21);
  const old = dialog.getByRole("alert").filter({ hasText: "Erro ao carregar assistentes." });
  await expect(old).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Vincular Davi" })).toBeVisible();
  await page.unroute(agents);
  await rests(22);
  await expect(old).toBeHidden();
  await pause.fill("90");
  await dialog.getByRole("tab", { name: "Respostas" }).click();
  await expect(dialog.getByText("Nenhuma resposta ainda")).toBeVisible();
  await expect(linked).toBeHidden();
  await page.keyboard.press("Escape");
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await expect(question).toBeHidden();
  await dialog.getByRole("tab", { name: "Assistente" }).click();
  await expect(pause).toHaveValue("90");
  const slow = await heldAnswer(page, /\/api\/gateways\/\d+\/instances$/);
  await dialog.getByRole("button", { name: "Vincular Davi" }).click();
  await expect(dialog.getByRole("region", { name: "Davi" })).toBeVisible();
  await expect(page.getByText("Davi responde a partir de agora")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  slow.answer();
  await expect(card.getByText("Davi responde")).toBeVisible();

  await page.goto(`${product.url}/whatsapp/connections`);
  await page.getByRole("button", { name: `Ações de ${name}` }).click();
  await page.getByRole("menuitem", { name: "Assistente" }).click();
  // Another one replaces it while the request is pending and must keep answering.
  await page.route(
    "**/assistant",
    async (route) => {
      const clara = { data: { agentId: ids[0] } };
      expect((await page.request.put(route.request().url(), clara)).ok()).toBe(true);
      await route.continue();
    },
    { times: 1 },
  );
  await dialog.getByRole("region", { name: "Davi" }).getByRole("button", { name: "Desativar" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "Outro robô foi vinculado a esta conexão depois que você a abriu.",
  );
  await expect(linked.getByText("Ativo", { exact: true })).toBeVisible();
  await linked.getByRole("button", { name: "Remover" }).click();
  await expect(page.getByText("Assistente removido")).toBeVisible();
  await expect(linked).toBeHidden();
});

test("errors of assistants are said in the product's words @spec 8.17", async ({ page }) => {
  const name = newName("falhas");
  await openScreen(page, product);
  const key = { apiKey: mistral.keys[1], baseUrl: mistral.url };
  expect((await page.request.put(`${product.url}/api/mistral/settings`, { data: key })).ok()).toBe(true);
  const data = { name: "Clara", instructions: "" };
  expect((await page.request.post(`${product.url}/api/mistral/agents`, { data })).status()).toBe(201);
  await register(page, gateway);
  const card = await createInstance(page, name);

  await page.route("**/api/mistral/agents", (route) => route.abort());
  await card.getByRole("button", { name: `Vincular assistente a ${name}` }).click();
  const dialog = page.getByRole("dialog", { name: "Assistente" });
  await expect(dialog.getByRole("alert")).toContainText(
    "Erro ao carregar assistentes. Por favor, tente novamente.",
  );
  await page.unroute("**/api/mistral/agents");
  await dialog.getByRole("button", { name: "Tentar novamente" }).click();
  await page.route("**/assistant", (route) => route.abort());
  await dialog.getByRole("button", { name: "Vincular Clara" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "Erro ao vincular assistente. Por favor, tente novamente.",
  );
  await page.unroute("**/assistant");
  await dialog.getByRole("button", { name: "Vincular Clara" }).click();
  await expect(dialog.getByRole("alert")).toBeHidden();
  await expect(dialog.getByRole("button", { name: "Desativar" })).toBeEnabled();
  await page.route("**/assistant", (route) => route.abort());
  await dialog.getByRole("button", { name: "Desativar" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "Erro ao atualizar status do assistente. Por favor, tente novamente.",
  );
});
