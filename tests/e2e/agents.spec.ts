import { expect, type Page, type Route, test } from "@playwright/test";
import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { expectAccessible } from "./support/axe.ts";
import { heldAnswer } from "./support/held-answer.ts";
import { endSession, logIn, signUpUnseen } from "./support/person.ts";

let mistral: MistralStandIn;
let product: ProductServer;
let email: string;

test.beforeAll(async () => {
  mistral = await startMistral();
  product = await startProduct({
    env: { RECADO_MISTRAL_URL: mistral.url, RECADO_PRIVATE_HOSTS: mistral.host },
  });
});
test.afterAll(async () => {
  await product.close();
  await mistral.stop();
});
test.beforeEach(async ({ page }) => {
  mistral.reset();
  email = await signUpUnseen(page, product.url);
});

const open = (page: Page, path: string) => page.goto(`${product.url}${path}`);

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: /Cadastrar chave|Trocar chave/ }).click();
  await page.getByRole("textbox", { name: "Chave de API" }).fill(key);
  await page.getByRole("button", { name: "Testar e guardar" }).click();
}

test("without a key the screen says so; a refused key shows an error, a good one none @spec 2.13,2.74 @decision 3", async ({
  page,
}) => {
  await open(page, "/chatbot");
  await expect(page.getByRole("heading", { name: "Meus Robôs (Agentes Mistral)" })).toBeVisible();
  await expect(page.getByText("Nenhuma chave cadastrada.")).toBeVisible();
  await giveKey(page, "chave-que-nao-existe");
  await expect(page.getByRole("dialog").getByText("O Mistral recusou a chave de API.")).toBeVisible();
  const late = await heldAnswer(page, /\/api\/mistral\/agents$/);
  await page.getByRole("textbox", { name: "Chave de API" }).fill("mistral-key-1");
  await page.getByRole("button", { name: "Testar e guardar" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByText("Chave desta conta, final ey-1")).toBeVisible();
  late.answer();
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Trocar chave" }).click();
  await expect(page.getByText(`Vazio: ${mistral.url}`)).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Endereço da API" })).toHaveValue("");
});

test("when it is not known whether there is a key, the box that says so offers another try", async ({
  page,
}) => {
  // When the live-update stream opens late, the page refetches and the error may vanish before the press.
  await page.route("**/api/events*", (route) => route.abort());
  await page.route("**/api/mistral/settings", (route) => route.abort());
  await open(page, "/chatbot");
  const error = page.getByRole("alert").filter({ hasText: "Erro ao buscar a chave." });
  await expect(error).toContainText("O servidor não respondeu.");
  await page.unroute("**/api/mistral/settings");
  await error.getByRole("button", { name: "Tentar novamente" }).click();
  await expect(page.getByText("Nenhuma chave cadastrada.")).toBeVisible();
});

test("the form of a new agent says that there is no key, and leads to where one is given", async ({
  page,
}) => {
  await open(page, "/criar-robo");
  await expect(page.getByText("Falta a chave do Mistral.")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Cadastrar chave" }).click();
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await expect(page.getByLabel("Nome")).toBeVisible();
  await expect(page.getByText("Falta a chave do Mistral.")).toBeHidden();
});

test("an agent is made, found in the list, tried, changed and deleted @spec 0.1,1.6,2.14,2.74,2.75,2.76,2.77,5.15,7.24 @decision 3", async ({
  page,
}) => {
  await open(page, "/chatbot");
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
  await expectAccessible(page);
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
  await page.goto(`${product.url}/chatbot`);
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
  await expectAccessible(page);

  await page.getByLabel("Nome").fill("Recepção");
  const beside = { data: { instructions: "Seja gentil." } };
  await page.request.patch(`${product.url}/api/mistral/agents/${made?.id}`, beside);
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

test("when Mistral is down the list says so and the form keeps what was typed @spec 2.74,2.77,8.22,8.23", async ({
  page,
}) => {
  await open(page, "/chatbot");
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  mistral.fail({ kind: "server_error" });
  await page.getByRole("button", { name: "Atualizar" }).click();
  await expect(page.getByRole("heading", { name: "Erro ao buscar agentes." })).toBeVisible();
  await open(page, "/criar-robo");
  await page.getByLabel("Nome").fill("Atendente");
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByRole("heading", { name: "Erro ao criar robô." })).toBeVisible();
  await expect(page.getByLabel("Nome")).toHaveValue("Atendente");
});

test("what was written of an agent is not lost by a stray click", async ({ page }) => {
  await open(page, "/chatbot");
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await page.getByLabel("Nome").fill("Atendente");
  await page.getByLabel("Instruções").fill("Seja breve e gentil.");
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  const question = page.getByRole("alertdialog", { name: "Sair sem salvar?" });
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja breve e gentil.");
  await page.getByRole("button", { name: "Criar Robô" }).click();
  await expect(page.getByText("Robô criado com sucesso!")).toBeVisible();
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  await page.getByRole("link", { name: "Editar e testar: Atendente" }).click();
  await page.getByLabel("Instruções").fill("Seja breve.");
  await page.goBack();
  await question.getByRole("button", { name: "Continuar aqui" }).click();
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja breve.");
  await page.goBack();
  await question.getByRole("button", { name: "Sair sem salvar" }).click();
  await expect(page.getByRole("article", { name: "Atendente" })).toBeVisible();
});

test("what was written of an agent as the session ended is there once more for who logs in again", async ({
  page,
}) => {
  await open(page, "/chatbot");
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  const made = await page.request.post(`${product.url}/api/mistral/agents`, { data: { name: "Atendente" } });
  await open(page, `/chatbot/${(await made.json()).id}`);
  await page.getByLabel("Instruções").fill("Seja breve.");
  await endSession(page.getByRole("button", { name: "Salvar alterações" }));
  await expect(page.getByText("Sua sessão terminou.")).toBeVisible();
  await logIn(page, email);
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja breve.");
  await expect(page.getByLabel("Nome")).toHaveValue("Atendente");
});

test("an agent that another window deletes is said to be gone, beside what was being written of it", async ({
  page,
}) => {
  await open(page, "/chatbot");
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  const made = await page.request.post(`${product.url}/api/mistral/agents`, { data: { name: "Atendente" } });
  const { id } = (await made.json()) as { id: string };
  await open(page, `/chatbot/${id}`);
  await page.getByLabel("Instruções").fill("Seja breve.");
  await page.request.delete(`${product.url}/api/mistral/agents/${id}`);
  await expect(page.getByRole("alert")).toContainText("Erro ao buscar agentes.");
  await expect(page.getByLabel("Instruções")).toHaveValue("Seja breve.");
});

test("a trial shows a long answer in Markdown as a customer gets it, and goes on", async ({ page }) => {
  await open(page, "/chatbot");
  await giveKey(page, "mistral-key-1");
  await expect(page.getByText("Nenhum robô encontrado.")).toBeVisible();
  const made = await page.request.post(`${product.url}/api/mistral/agents`, { data: { name: "Atendente" } });
  const { id } = (await made.json()) as { id: string };
  await open(page, `/chatbot/${id}`);
  const ask = async (text: string) => {
    await page.getByLabel("Mensagem de teste").fill(text);
    await page.keyboard.press("Enter");
  };
  mistral.answers(() => `## Oi\n**Tudo**: ${"bla ".repeat(1_200)}e muito mais.`);
  await ask("Conte tudo");
  const shown = page.getByRole("log").getByText("*Oi*");
  await expect(shown).toContainText(/\*Tudo\*: (?:bla )+bla…$/);
  await expect(shown).not.toContainText("e muito mais");
  mistral.answers(() => "Sim, é tudo.");
  await ask("É tudo?");
  await expect(page.getByRole("log").getByText("Sim, é tudo.")).toBeVisible();
});

test("26.20 without a key nothing is asked that would be refused", async ({ page }) => {
  const refused: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() === 422) refused.push(answer.url());
  });
  await open(page, "/chatbot");
  await expect(page.getByRole("main").getByText("Nenhuma chave cadastrada.").first()).toBeVisible();
  expect(refused).toEqual([]);
});
