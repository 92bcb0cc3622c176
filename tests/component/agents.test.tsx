import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { agent, attachment, uploaded } from "./support/rows.ts";
import { button, main, press, pressAfter, shows } from "./support/screen.ts";
import { type World, world } from "./support/world.ts";

const OWN: World["mistral"] = {
  source: "account",
  operatorClosed: false,
  keyHint: "ey-1",
  baseUrl: "https://api.mistral.ai",
  defaultUrl: "https://api.mistral.ai",
};

function mistral(given: Partial<World> = {}): FakeServer {
  const server = fakeServer(world(given));
  server.on("PUT /api/mistral/settings", ({ body }) => {
    if (body.apiKey !== "mistral-key-1") throw refuse("mistral_wrong_key");
    server.world.mistral = OWN;
    return OWN;
  });
  server.on("POST /api/mistral/agents", ({ body: { idempotencyKey: _, ...fields } }) => {
    const { completion_args: args, ...rest } = fields;
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    const made = agent({ ...given, ...(args && { completion_args: args }) });
    server.world.agents = [...server.world.agents, made];
    return made;
  });
  return server;
}

async function giveKey(key: string) {
  await press(/Cadastrar chave|Trocar chave/);
  await keyField().fill(key);
  await press("Testar e guardar");
}

const keyField = () => page.getByRole("textbox", { name: "Chave de API" });
const question = () => page.getByRole("alertdialog", { name: "Sair sem salvar?" });
const field = (name: string) => page.getByLabelText(name);

test("without a key the screen says so; a refused key shows an error, a good one none @spec 2.13,2.74 @decision 3", async () => {
  const server = mistral();
  await renderApp("/chatbot");
  await expect.element(page.getByRole("heading", { name: "Meus Robôs (Agentes Mistral)" })).toBeVisible();
  await shows(/^Nenhuma chave cadastrada\./);
  await giveKey("chave-que-nao-existe");
  const opened = page.getByRole("dialog");
  await expect.element(opened.getByText(/O Mistral recusou a chave de API\./)).toBeVisible();
  const late = server.hold("GET /api/mistral/agents");
  await keyField().fill("mistral-key-1");
  await press("Testar e guardar");
  await expect.element(opened).not.toBeInTheDocument();
  await shows("Chave desta conta, final ey-1");
  await late.asked;
  late.release();
  await shows("Nenhum robô encontrado.");
  await press("Trocar chave");
  await shows("Vazio: https://api.mistral.ai");
  await expect.element(page.getByRole("textbox", { name: "Endereço da API" })).toHaveValue("");
});

test("when it is not known whether there is a key, the box that says so offers another try", async () => {
  const server = mistral();
  const lost = server.drop("GET /api/mistral/settings");
  // A stream that opens late would fetch again by itself.
  server.streams.lose();
  await renderApp("/chatbot");
  const error = page.getByRole("alert").filter({ hasText: "Erro ao buscar a chave." });
  await expect.element(error).toMatchTextContent("O servidor não respondeu.");
  await pressAfter(button("Tentar novamente", error), lost.stop);
  await shows(/^Nenhuma chave cadastrada\./);
});

test("a key is removed after what stops was said, and its agents are shown no more", async () => {
  const server = mistral({ mistral: OWN, agents: [agent()] });
  server.on("DELETE /api/mistral/settings", () => {
    server.world.agents = [];
    server.world.mistral = { ...OWN, source: "none", keyHint: null };
    return server.world.mistral;
  });
  await renderApp("/chatbot");
  await expect.element(page.getByRole("article", { name: "Atendente" })).toBeVisible();
  await press("Remover chave");
  const asked = page.getByRole("alertdialog", { name: "Remover a chave do Mistral?" });
  await expect.element(asked).toMatchTextContent("param de responder");
  await button("Remover", asked).click();
  await expect.element(asked).not.toBeInTheDocument();
  await shows(/^Nenhuma chave cadastrada\./);
  await expect.element(page.getByRole("article", { name: "Atendente" })).not.toBeInTheDocument();
});

test("the form of a new agent says that there is no key, and leads to where one is given", async () => {
  mistral();
  await renderApp("/criar-robo");
  await shows("Falta a chave do Mistral.");
  await main().getByRole("link", { name: "Cadastrar chave" }).click();
  await giveKey("mistral-key-1");
  await shows("Nenhum robô encontrado.");
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await expect.element(field("Nome")).toBeVisible();
  await expect.element(page.getByText("Falta a chave do Mistral.")).not.toBeInTheDocument();
});

test("when Mistral is down the list says so and the form keeps what was typed @spec 2.74,2.77,8.22,8.23", async () => {
  const server = mistral({ mistral: OWN });
  await renderApp("/chatbot");
  await shows("Nenhum robô encontrado.");
  server.refuse("GET /api/mistral/agents", "mistral_down");
  server.refuse("POST /api/mistral/agents", "mistral_down");
  await press("Atualizar");
  await expect.element(page.getByRole("heading", { name: "Erro ao buscar agentes." })).toBeVisible();
  await renderApp("/criar-robo");
  await field("Nome").fill("Atendente");
  await press("Criar Robô");
  await expect.element(page.getByRole("heading", { name: "Erro ao criar robô." })).toBeVisible();
  await expect.element(field("Nome")).toHaveValue("Atendente");
});

test("what was written of an agent is not lost by a stray click", async () => {
  mistral({ mistral: OWN });
  await renderApp("/chatbot");
  await page.getByRole("link", { name: "Criar robô" }).first().click();
  await field("Nome").fill("Atendente");
  await field("Instruções").fill("Seja breve e gentil.");
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  await button("Continuar aqui", question()).click();
  await expect.element(field("Instruções")).toHaveValue("Seja breve e gentil.");
  await press("Criar Robô");
  await shows("Robô criado com sucesso!");
  await page.getByRole("link", { name: "Ver meus robôs" }).click();
  await page.getByRole("link", { name: "Editar e testar: Atendente" }).click();
  await field("Instruções").fill("Seja breve.");
  history.back();
  await button("Continuar aqui", question()).click();
  await expect.element(question()).not.toBeInTheDocument();
  await expect.element(field("Instruções")).toHaveValue("Seja breve.");
  history.back();
  await button("Sair sem salvar", question()).click();
  await expect.element(page.getByRole("article", { name: "Atendente" })).toBeVisible();
});

test("what was written of an agent as the session ended is there once more for who logs in again", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  const { me } = server.world;
  server.on("POST /api/login", () => {
    if (!me) throw refuse("login_failed");
    server.world.me = me;
    return me;
  });
  await renderApp(`/chatbot/${shown.id}`);
  await field("Instruções").fill("Responda em uma frase.");
  const ended = server.refuse("PATCH /api/mistral/agents/{agentId}", "unauthenticated");
  server.world.me = null;
  await press("Salvar alterações");
  await shows("Sua sessão terminou.");
  ended.stop();
  await field("E-mail").fill("dona@otica.com.br");
  await page.getByLabelText("Senha", { exact: true }).fill("uma frase de senha longa");
  await press("Entrar");
  await expect.element(field("Instruções")).toHaveValue("Responda em uma frase.");
  await expect.element(field("Nome")).toHaveValue("Atendente");
});

test("an agent that another window deletes is said to be gone, beside what was being written of it", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  await renderApp(`/chatbot/${shown.id}`);
  await field("Instruções").fill("Responda em uma frase.");
  server.world.agents = [];
  await server.publish("agents");
  await expect.element(page.getByRole("alert")).toMatchTextContent("Erro ao buscar agentes.");
  await expect.element(field("Instruções")).toHaveValue("Responda em uma frase.");
});

const ALONE = { sends: [], refused: [] };

test("a trial shows a long answer, and goes on with the whole conversation", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  const long = `*Oi*\n*Tudo*: ${"bla ".repeat(1_000)}bla…`;
  server.on("POST /api/mistral/agents/{agentId}/test", ({ body: { messages } }) => ({
    ...ALONE,
    text: messages.length === 1 ? long : "Sim, é tudo.",
  }));
  await renderApp(`/chatbot/${shown.id}`);
  const log = page.getByRole("log");
  const ask = async (text: string) => {
    await field("Mensagem de teste").fill(text);
    await userEvent.keyboard("{Enter}");
  };
  await ask("Conte tudo");
  await expect.element(log).toMatchTextContent(/Oi Tudo: (?:bla )+bla…$/);
  expect([...log.element().querySelectorAll("strong")].map(({ textContent }) => textContent)).toEqual([
    "Oi",
    "Tudo",
  ]);
  await ask("É tudo?");
  await expect.element(log.getByText("Sim, é tudo.")).toBeVisible();
  expect(server.requests("POST /api/mistral/agents/{agentId}/test").at(-1)?.body.messages).toEqual([
    { role: "user", kind: "text", content: "Conte tudo" },
    { role: "assistant", kind: "text", content: long },
    { role: "user", kind: "text", content: "É tudo?" },
  ]);
});

test("a trial is sent by its button too, and one that starts over forgets what was said", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  const asked = () => server.requests("POST /api/mistral/agents/{agentId}/test");
  server.on("POST /api/mistral/agents/{agentId}/test", () => ({ ...ALONE, text: "Abrimos às 9h." }));
  await renderApp(`/chatbot/${shown.id}`);
  const log = page.getByRole("log");
  const ask = async (text: string) => {
    await field("Mensagem de teste").fill(text);
    await press("Enviar");
  };
  await ask("Que horas abre?");
  await expect.element(log.getByText("Abrimos às 9h.")).toBeVisible();
  await expect.element(field("Mensagem de teste")).toHaveValue("");
  await press("Recomeçar");
  await expect.element(log.getByText("Abrimos às 9h.")).not.toBeInTheDocument();
  await ask("E no sábado?");
  await expect.element(log.getByText("Abrimos às 9h.")).toBeVisible();
  expect(asked().at(-1)?.body.messages).toEqual([{ role: "user", kind: "text", content: "E no sábado?" }]);
});

test("in a trial a file gets no answer, and is read with the next text as its kind and caption", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  server.on("POST /api/mistral/agents/{agentId}/test", () => ({ ...ALONE, text: "Recebi." }));
  const files = [
    uploaded({ kind: "document", name: "receita.pdf" }),
    uploaded({ kind: "voice", seconds: 4 }),
  ];
  server.on("POST /api/attachments", () => files.shift() ?? uploaded());
  await renderApp(`/chatbot/${shown.id}`);
  const log = page.getByRole("log");
  const attach = async (name: string) => {
    await expect.element(button("Anexar arquivo")).toBeVisible();
    const input = document.querySelector<HTMLInputElement>("form input[type=file]");
    if (!input) throw new Error("the trial has no file input");
    await userEvent.upload(input, new File(["x"], name));
    await expect.element(button("Remover arquivo")).toBeVisible();
  };
  await attach("receita.pdf");
  await field("Mensagem de teste").fill("minha receita");
  await press("Enviar");
  await expect.element(log).toMatchTextContent(/receita\.pdf\s*minha receita/);
  await expect.element(log.getByText(/^Como no WhatsApp, o robô não responde a um arquivo/)).toBeVisible();
  expect(server.requests("POST /api/mistral/agents/{agentId}/test")).toEqual([]);
  await attach("voz.ogg");
  await field("Mensagem de teste").fill("Serve?");
  await press("Enviar");
  await expect.element(log.getByText("Recebi.")).toBeVisible();
  expect(server.requests("POST /api/mistral/agents/{agentId}/test").map(({ body }) => body.messages)).toEqual(
    [
      [
        { role: "user", kind: "document", content: "minha receita" },
        { role: "user", kind: "audio", content: "" },
        { role: "user", kind: "text", content: "Serve?" },
      ],
    ],
  );
});

test("a trial shows templates that the agent would send, and says which would not go", async () => {
  const shown = agent();
  const server = mistral({ mistral: OWN, agents: [shown] });
  const file = attachment({ kind: "document", name: "Preços.pdf" });
  server.on("POST /api/mistral/agents/{agentId}/test", () => ({
    text: "",
    sends: [{ name: "Tabela", kind: "document", text: "Oi, {nome}", attachment: file }],
    refused: ["Mapa"],
  }));
  await renderApp(`/chatbot/${shown.id}`);
  const log = page.getByRole("log");
  await field("Mensagem de teste").fill("Preços?");
  await press("Enviar");
  await expect.element(log).toMatchTextContent(/Modelo «Tabela»\s*Preços\.pdf\s*Oi, \{nome\}/);
  await expect.element(log.getByText(/^O robô quis enviar o modelo «Mapa»/)).toBeVisible();
  await field("Mensagem de teste").fill("Obrigado");
  await press("Enviar");
  await expect
    .poll(() => server.requests("POST /api/mistral/agents/{agentId}/test").at(-1)?.body.messages)
    .toMatchObject([{}, { role: "assistant", kind: "document", content: "Oi, {nome}" }, { role: "user" }]);
});

test("26.20 without a key nothing is asked that would be refused", async () => {
  const server = mistral();
  await renderApp("/chatbot");
  await expect
    .element(
      main()
        .getByText(/^Nenhuma chave cadastrada\./)
        .first(),
    )
    .toBeVisible();
  expect(server.requests("GET /api/mistral/settings").length).toBeGreaterThan(0);
  expect(server.requests("GET /api/mistral/agents")).toEqual([]);
  expect(server.requests("GET /api/mistral/models")).toEqual([]);
});
