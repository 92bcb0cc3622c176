import { expect, type Page, type Route } from "@playwright/test";
import { heldAnswer } from "./support/held-answer.ts";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: /Cadastrar chave|Trocar chave/ }).click();
  await page.getByRole("textbox", { name: "Chave de API" }).fill(key);
  await page.getByRole("button", { name: "Testar e guardar" }).click();
}

test("an agent is made, found in the list, tried, changed and deleted @spec 0.1,1.6,2.14,2.74,2.75,2.76,2.77,5.15,7.24 @decision 3", async ({
  page,
  mistral,
}) => {
  await signUpUnseen(page);
  await page.goto("/chatbot");
  await giveKey(page, "mistral-key-2");
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await expect(page.getByRole("heading", { name: "Criar Novo Robô (Agente Mistral)" })).toBeVisible();
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByText("Informe o nome.")).toBeVisible();
  await page.getByLabel("Nome").fill("Atendente");
  await page.getByLabel("Descrição").fill("Responde sobre horários");
  await page.getByLabel("Instruções").fill("Seja breve.");
  await page.getByLabel("Temperatura").fill("9");
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByText("Use um número de 0 a 1,5.")).toBeVisible();
  await page.getByLabel("Temperatura").fill("0,5");
  const place = "**/api/mistral/agents";
  const once = { times: 1 };
  const saving = async (route: Route) => {
    await expect(page.getByRole("button", { name: "Salvando..." })).toBeDisabled();
    await route.continue();
  };
  await page.route(place, saving, once);
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByText("Robô criado com sucesso!")).toBeVisible();
  await expect(page.getByLabel("Nome")).toHaveValue("");
  expect(mistral.agents("mistral-key-2")).toMatchObject([{ name: "Atendente", instructions: "Seja breve." }]);

  for (const field of ["Descrição", "Instruções"]) await expect(page.getByLabel(field)).toHaveValue("");
  const loading = async (route: Route) => {
    await expect(page.getByRole("main").getByText("Carregando...").first()).toBeVisible();
    await route.continue();
  };
  await page.route(place, loading, once);
  await page.goto("/chatbot");
  const card = page.getByRole("article", { name: "Atendente" });
  await expect(card.getByText("Responde sobre horários")).toBeVisible();
  const [made] = mistral.agents("mistral-key-2");
  const when = /^\d\d\/\d\d\/\d{4} \d\d:\d\d$/;
  await expect(card.getByRole("term")).toHaveText(["ID", "Modelo", "Criado em", "Atualizado em"]);
  await expect(card.getByRole("definition")).toHaveText([made?.id ?? "", "mistral-small-latest", when, when]);
  await card.getByRole("link", { name: "Editar e testar" }).click();

  mistral.answers(() => "Abrimos às 9h.");
  // A screen's own rule wins over an equal one of the shared field, whichever screen was opened first.
  await expect(page.getByLabel("Mensagem de teste")).toHaveCSS("min-height", "72px");
  await page.getByLabel("Mensagem de teste").fill("Que horas abre?");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("log").getByText("Abrimos às 9h.")).toBeVisible();
  expect(mistral.completions()).toMatchObject([
    { temperature: 0.5, messages: [{ content: "Que horas abre?" }] },
  ]);
  mistral.fail({ kind: "rate_limited" });
  await page.getByLabel("Mensagem de teste").fill("E fecha?");
  await page.keyboard.press("Enter");
  await expect(page.getByText("O robô não respondeu.")).toBeVisible();
  mistral.heal();
  await page.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByRole("log").getByText("Abrimos às 9h.")).toHaveCount(2);

  await page.getByLabel("Nome").fill("Recepção");
  const beside = { data: { instructions: "Seja gentil." } };
  await page.request.patch(`/api/mistral/agents/${made?.id}`, beside);
  await page.getByRole("button", { name: "Salvar alterações" }).click();
  await expect(page.getByRole("heading", { name: "Recepção", level: 1 })).toBeVisible();
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja gentil.");
  expect(mistral.agents("mistral-key-2")).toMatchObject([{ name: "Recepção", instructions: "Seja gentil." }]);
  await page.getByRole("link", { name: "Meus robôs", exact: true }).click();
  await page.getByRole("button", { name: "Excluir: Recepção" }).click();
  const late = await heldAnswer(page, /\/api\/mistral\/agents$/);
  await page.getByRole("alertdialog").getByRole("button", { name: "Excluir" }).click();
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  late.answer();
});
