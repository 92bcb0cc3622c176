import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Chat } from "../../../src/contract/chats.ts";
import type { ContactImportReport } from "../../../src/contract/contacts.ts";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import type { FakeServer } from "./fake-server.ts";
import {
  agent,
  agentAnswer,
  apiKey,
  chat,
  connection,
  gateway,
  instance,
  message,
  minutesAgo,
  optOut,
} from "./rows.ts";
import { button, pick, press, shows } from "./screen.ts";
import { FINISHED, workingWorld } from "./working-world.ts";
import { person, type World, world } from "./world.ts";

/** One entry of the matrix of looks: a screen, or what is opened on it. */
export type Screen = {
  name: string;
  path: string;
  world: () => World;
  /** Stands only on the loaded screen; null: it is not loaded on purpose. */
  words: string | RegExp | null;
  prepare?: (server: FakeServer) => void;
  opened?: () => Promise<void>;
  widths?: readonly number[];
};

const opened = () => page.getByRole("dialog").or(page.getByRole("alertdialog")).last();

/** Presses a button, then what is in the dialog that opens; the last press shows errors. */
const pressing =
  (first: string | RegExp, ...further: string[]) =>
  async () => {
    await press(first);
    await expect.element(opened()).toBeVisible();
    for (const name of further) await button(name, opened()).click();
    if (further.length > 0) await expect.element(opened().getByRole("alert").first()).toBeVisible();
  };

const choosing = (menu: string | RegExp, entry: string) => async () => {
  await press(menu);
  await pick(entry);
  await expect.element(opened()).toBeVisible();
};

const menu = (name: string | RegExp) => async () => {
  await press(name);
  await expect.element(page.getByRole("menu")).toBeVisible();
};

type Row = readonly [
  name: string,
  path: string,
  words: string | RegExp,
  opened?: () => Promise<void>,
  more?: Pick<Screen, "prepare" | "widths">,
];

const of =
  (make: () => World) =>
  ([name, path, words, opens, more]: Row): Screen => ({
    name,
    path,
    words,
    world: make,
    ...(opens && { opened: opens }),
    ...more,
  });

const visitor = () => world({ me: null, byMail: false });

type LinkKey =
  | "POST /api/password-reset/link"
  | "POST /api/email-confirmation/link"
  | "GET /api/unsubscribe/{token}";

const refusing = (key: LinkKey, code: ErrorCode) => (server: FakeServer) => {
  server.refuse(key, code);
};

const PUBLIC: Row[] = [
  ["login", "/login", "Entrar"],
  ["login-ended", "/login?ended=true", "Entrar", () => press("Entrar")],
  ["signup", "/signup", "Criar conta"],
  [
    "signup-errors",
    "/signup",
    "Criar conta",
    async () => {
      await press("Criar conta");
      await shows("Informe seu nome.");
    },
  ],
  ["terms", "/termos", /^O serviço envia/],
  ["forgot-no-mail", "/esqueci-a-senha", "Peça uma senha nova"],
  [
    "new-password-over",
    "/nova-senha#nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("POST /api/password-reset/link", "reset_link_over") },
  ],
  [
    "confirm-email-over",
    "/confirmar-email#nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("POST /api/email-confirmation/link", "confirmation_link_over") },
  ],
  [
    "unsubscribe-gone",
    "/descadastrar/nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("GET /api/unsubscribe/{token}", "not_found") },
  ],
  ["not-found", "/nao-existe", "Página Não Encontrada"],
];

const fresh = () => world({ me: person({ riskRead: false, stepsHidden: false }) });

function closeMistral({ world: state }: FakeServer) {
  state.mistral = { ...state.mistral, operatorClosed: true };
}

const EMPTY: Row[] = [
  ["dashboard-empty", "/", "Primeiros passos"],
  ["campaigns-empty", "/campaigns", "Nenhuma campanha encontrada"],
  ["new-campaign-empty", "/campaigns/new", "Pré-visualização"],
  ["test-send-none", "/campaigns/new?teste=true", "Conecte um número de WhatsApp para enviar um teste."],
  ["contacts-empty", "/contacts", "Nenhuma lista de contatos"],
  ["opt-outs-empty", "/contacts", "Nenhuma lista de contatos", pressing("Descadastrados")],
  ["connections-empty", "/whatsapp/connections", "Nenhuma conexão encontrada"],
  ["connect", "/baileys", "Antes de conectar"],
  [
    "connect-errors",
    "/baileys",
    "Antes de conectar",
    async () => {
      await press("Conectar");
      await shows(/Por favor, insira um número de telefone/);
    },
  ],
  ["chat-none", "/chat", "Nenhuma conexão encontrada"],
  ["instances-none", "/instances", "Nenhuma evolution cadastrada."],
  [
    "gateway-errors",
    "/instances",
    "Nenhuma evolution cadastrada.",
    pressing("Cadastrar evolution", "Cadastrar"),
  ],
  ["agents-no-key", "/chatbot", "Nenhuma chave cadastrada."],
  ["agents-key", "/chatbot", "Nenhuma chave cadastrada.", pressing("Cadastrar chave")],
  ["agents-closed", "/chatbot", /que quem a administra não abriu/, undefined, { prepare: closeMistral }],
  ["keys-empty", "/settings?aba=chaves", "Nenhuma chave de API"],
  ["settings-connection-none", "/settings?aba=conexao", "Nenhuma conexão encontrada"],
  [
    "drawer",
    "/contacts",
    "Nenhuma lista de contatos",
    async () => {
      await page.viewport(390, 844);
      await press("Abrir menu");
      await expect.element(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
    },
    { widths: [320, 390, 768] },
  ],
];

async function fillCampaign() {
  await page.getByLabelText("Nome da campanha").fill("Semana do cliente com 20% de desconto");
  await page
    .getByRole("textbox", { name: "Texto", exact: true })
    .fill("Oi, {nome}! Até sábado, *20% de desconto* em toda a loja.");
  await page.getByLabelText("Lista de contatos").selectOptions("Clientes Savassi (480)");
  await shows(/480 contatos receberão a mensagem/);
}

async function writePlaceholders() {
  await page
    .getByRole("textbox", { name: "Texto", exact: true })
    .fill("{Oi|Olá} {{firstName}}, [Nome]! {saudacao}\n\nAté *domingo*, 40% em toda a loja.");
  await shows("O Recado não conhece estes trechos");
}

function readRisk({ world: state }: FakeServer) {
  state.me = state.me && { ...state.me, riskRead: true };
}
const WAITING = {
  id: 1,
  phone: "5531907773055",
  connectionId: 1,
  status: "pending",
  error: null,
  at: minutesAgo(0),
} as const;

const CAMPAIGNS: Row[] = [
  ["dashboard", "/", "Campanhas Recentes"],
  ["dashboard-table", "/?dias=30&ver=tabela", "Campanhas Recentes"],
  [
    "dashboard-point",
    "/",
    "Campanhas Recentes",
    async () => {
      (await page.getByRole("slider").findElement()).focus();
      // The focus scrolled figures under the top bar, and axe takes the visible half for their size.
      window.scrollTo(0, 0);
    },
  ],
  ["dashboard-one", `/?campanha=${FINISHED}`, "Campanhas Recentes"],
  ["campaigns", "/campaigns", "Óculos prontos"],
  [
    "campaigns-list",
    "/campaigns",
    "Óculos prontos",
    async () => {
      await press("Lista");
      await expect.poll(() => document.querySelector("[data-ui~=as-list]")).not.toBeNull();
    },
  ],
  ["campaigns-filters", "/campaigns?resultado=erros&de=2020-01-01&ate=2030-12-31", "Óculos prontos"],
  ["campaigns-nothing", "/campaigns?busca=nenhuma%20assim", /Nenhum nome ou texto/],
  ["campaign-menu", "/campaigns", "Óculos prontos", menu(/^Mais ações de /)],
  ["campaign-resend", "/campaigns", "Óculos prontos", pressing(/^Reenviar falhas/)],
  [
    "campaign-delete",
    "/campaigns",
    "Rascunho de Natal",
    choosing(/^Mais ações de Rascunho de Natal/, "Excluir rascunho"),
  ],
  ["details", `/campaigns?detalhes=${FINISHED}`, "Pessoa 0"],
  [
    "details-resolve",
    `/campaigns?detalhes=${FINISHED}&status=uncertain`,
    /Pessoa \d+/,
    menu(/^Resolver o envio/),
  ],
  [
    "details-resend",
    `/campaigns?detalhes=${FINISHED}&status=uncertain`,
    /Pessoa \d+/,
    async () => {
      await menu(/^Resolver o envio/)();
      await pick("Reenviar mesmo assim");
      await expect.element(page.getByRole("alertdialog")).toBeVisible();
    },
  ],
  [
    "details-empty",
    `/campaigns?detalhes=${FINISHED}`,
    "Pessoa 0",
    async () => {
      await opened().getByPlaceholder("Buscar por nome ou telefone...").fill("ninguém assim");
      await shows("Nenhum contato encontrado");
    },
  ],
  ["new-campaign", "/campaigns/new", "Pré-visualização", fillCampaign],
  [
    "test-send-waiting",
    "/campaigns/new?teste=true",
    "Pré-visualização",
    async () => {
      await fillCampaign();
      await press("Enviar teste");
      await shows(/^Ainda na fila desta conexão\./);
    },
    { prepare: (server) => server.on("POST /api/campaigns/test", () => WAITING) },
  ],
  [
    "risk",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await fillCampaign();
      await press("Criar Campanha");
      await expect.element(page.getByRole("dialog", { name: "Antes da primeira campanha" })).toBeVisible();
    },
  ],
  [
    "placeholders",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await fillCampaign();
      await writePlaceholders();
    },
  ],
  [
    "last-look",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await fillCampaign();
      await writePlaceholders();
      await press("Criar Campanha");
      await button("Criar Campanha", opened()).click();
      await shows("Marque para enviar assim");
    },
    { prepare: readRisk },
  ],
  [
    "new-campaign-errors",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await page.getByText("Agendado", { exact: true }).click();
      await page.getByLabelText("Intervalo entre mensagens").fill("0");
      await press("Criar Campanha");
      await shows("Preencha este campo.");
    },
  ],
];

const report: ContactImportReport = {
  id: 7,
  listId: null,
  listName: "Óticas de Belo Horizonte e região",
  fileName: null,
  state: "done",
  fault: null,
  bytesTotal: 120,
  bytesRead: 120,
  rowsRead: 3,
  imported: 2,
  repeated: 0,
  refused: 1,
  ninthAdded: 1,
  leftOut: null,
  layout: null,
  warnings: [],
  createdAt: minutesAgo(1),
  finishedAt: minutesAgo(0),
  refusedRows: [
    { row: 2, name: "Sem número", value: "", reason: { code: "empty", text: "Sem número de telefone." } },
  ],
  ninthAddedRows: [{ row: 3, name: "Luís", value: "31 8765-4321" }],
};

function imports(server: FakeServer) {
  const { refusedRows: _, ninthAddedRows: __, ...begun } = report;
  server.on("POST /api/contact-imports/json", () => begun);
  server.on("GET /api/contact-imports/{id}", () => report);
}

async function importPasted() {
  await press("Importar");
  await opened().getByLabelText("Nome da lista").fill("Óticas de Belo Horizonte e região");
  await opened().getByRole("tab", { name: "Colar JSON" }).click();
  await opened().getByLabelText("Contatos em JSON").fill('[{"name":"Ana","phone":"31 90234-1187"}]');
  await button("Importar", opened()).click();
  await shows(/Importação concluída/);
}

function mayLeave({ world: state }: FakeServer) {
  const at = minutesAgo(2);
  const asked = { source: "asked", text: "Não quero mais receber mensagens", at } as const;
  state.undecided = [optOut(8, { ...asked, connectionName: "Matriz – Centro" }), optOut(9, asked)];
  for (const each of state.chats) each.asksToLeave = { text: asked.text, at };
}

const PEOPLE: Row[] = [
  ["leaving", "/contacts", "Clientes Savassi", pressing(/^Querem sair/), { prepare: mayLeave }],
  ["contacts", "/contacts", "Clientes Savassi"],
  ["contacts-nothing", "/contacts?busca=ninguem%20assim", "Nenhum contato encontrado"],
  ["import", "/contacts", "Clientes Savassi", pressing("Importar", "Importar")],
  ["import-report", "/contacts", "Clientes Savassi", importPasted, { prepare: imports }],
  ["export", "/contacts", "Clientes Savassi", pressing("Exportar", "Exportar")],
  [
    "new-contact",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await pressing("Novo Contato", "Adicionar")();
      await expect
        .element(opened().getByRole("option", { name: "Clientes Savassi (480 contatos)" }))
        .toBeInTheDocument();
    },
  ],
  [
    "list",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press(/contatos: /);
      await expect.element(opened().getByText("Pessoa 7", { exact: true })).toBeVisible();
    },
  ],
  ["delete-list", "/contacts", "Clientes Savassi", pressing(/^Excluir Lista/)],
  [
    "opt-outs",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press(/^Descadastrados/);
      await expect
        .element(
          opened()
            .getByText(/Respondeu/)
            .first(),
        )
        .toBeVisible();
    },
  ],
  ["connections", "/whatsapp/connections", "Unidade Savassi"],
  ["connection-menu", "/whatsapp/connections", "Unidade Savassi", menu(/^Ações de Unidade/)],
  ["disconnect", "/whatsapp/connections", "Unidade Savassi", choosing(/^Ações de Matriz/, "Desconectar")],
  [
    "assistant-no-key",
    "/whatsapp/connections",
    "Unidade Savassi",
    choosing(/^Ações de Matriz/, "Assistente"),
  ],
];

function revoked({ world: { keys } }: FakeServer) {
  keys.push(apiKey({ name: "Antiga", revokedAt: minutesAgo(10) }));
}

const REST: Row[] = [
  ["chat", "/chat", "Oi! Vale para óculos de sol?"],
  [
    "chat-leaving",
    "/chat",
    "Oi! Vale para óculos de sol?",
    () => expect.element(page.getByRole("region", { name: "Quer sair?" })).toBeVisible(),
    { prepare: mayLeave },
  ],
  [
    "chat-group",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("link", { name: /@g\.us/ }).click();
      await expect.element(page.getByRole("log")).toMatchTextContent("Lucas");
    },
  ],
  [
    "chat-left",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("link", { name: /^Bruno/ }).click();
      await shows("Não quer receber campanhas");
    },
  ],
  [
    "chat-error",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await press("Enviar");
      await shows("Escreva a mensagem.");
    },
  ],
  [
    "chat-nothing",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("searchbox").fill("ninguém assim");
      await shows(/Nada encontrado/);
    },
  ],
  [
    "chat-away",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByLabelText("Conexão").selectOptions("Unidade Savassi · Desconectado");
      await shows("Unidade Savassi: Desconectado.");
    },
  ],
  ["new-chat", "/chat", "Oi! Vale para óculos de sol?", pressing("Nova conversa")],
  ["settings", "/settings", "Seus dados"],
  [
    "settings-errors",
    "/settings",
    "Seus dados",
    async () => {
      await page.getByLabelText("E-mail").fill("");
      await press("Salvar alterações");
      await press("Trocar senha");
      await shows("Informe a senha atual.");
    },
  ],
  [
    "settings-zones",
    "/settings",
    "Seus dados",
    async () => {
      await page.getByRole("combobox", { name: "Fuso horário" }).click();
      await expect.element(page.getByRole("listbox")).toBeVisible();
    },
  ],
  ["remove-account", "/settings", "Seus dados", pressing("Excluir conta", "Excluir conta para sempre")],
  ["keys", "/settings?aba=chaves", "Sistema de pedidos"],
  [
    "key-made",
    "/settings?aba=chaves",
    "Sistema de pedidos",
    async () => {
      await press("Gerar nova chave");
      await opened().getByLabelText("Nome").fill("Planilha");
      await button("Gerar chave", opened()).click();
      await shows("Copie a chave agora.");
    },
    {
      prepare: (server) =>
        server.on("POST /api/settings/api-keys", () => ({ key: "rcd_umaChave", apiKey: apiKey() })),
    },
  ],
  [
    "keys-revoked",
    "/settings?aba=chaves",
    "Sistema de pedidos",
    () => shows("Revogada"),
    { prepare: revoked },
  ],
  ["new-key", "/settings?aba=chaves", "Sistema de pedidos", pressing("Gerar nova chave", "Gerar chave")],
  ["revoke-key", "/settings?aba=chaves", "Sistema de pedidos", pressing(/^Revogar: /)],
  ["settings-connection", "/settings?aba=conexao", "Unidade Savassi"],
  ["settings-notifications", "/settings?aba=notificacoes", /navegador/i],
  ["settings-activity", "/settings?aba=atividade", /^Chave de API «Painel»/],
  ["settings-usage", "/settings?aba=uso", /mensagens/i],
  ["palette", "/contacts", "Clientes Savassi", pressing("Busca rápida")],
  [
    "palette-found",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press("Busca rápida");
      await opened().getByRole("combobox").fill("pessoa");
      await expect.element(page.getByRole("option", { name: /^Pessoa/ }).first()).toBeVisible();
    },
  ],
  [
    "palette-nothing",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press("Busca rápida");
      await opened().getByRole("combobox").fill("nada disso");
      await expect.element(opened().getByText("Nada encontrado").first()).toBeVisible();
    },
  ],
  ["account-menu", "/contacts", "Clientes Savassi", menu(/^Menu da conta/)],
];

function gatewayWorld(): World {
  const server = gateway({ url: "https://evolution.oticahorizonte.com.br", instances: 1 });
  const line = connection({
    kind: "instance",
    deviceId: "vendas",
    name: "vendas",
    state: "pending",
    linked: false,
    qr: "2@abcdefghijklmnop",
    qrExpiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  const vendas = instance({
    gatewayId: server.id,
    status: "connecting",
    connectionId: line.id,
    profileName: null,
  });
  return world({ gateways: [server], connections: [line], instances: { [server.id]: [vendas] } });
}

const INSTANCES: Row[] = [
  ["instances", "/instances", "vendas"],
  ["new-instance", "/instances", "vendas", pressing("Nova Instância", "Criar instância")],
  ["instance-webhook", "/instances", "vendas", pressing(/^(Webhook|Configurar webhook)/)],
  [
    "instance-qr",
    "/instances",
    "vendas",
    async () => {
      await press(/QR Code/);
      await expect.element(page.getByRole("img", { name: "QR Code para conectar o WhatsApp" })).toBeVisible();
    },
  ],
  ["instance-delete", "/instances", "vendas", pressing(/^Excluir.* vendas/)],
  ["gateway-menu", "/instances", "vendas", menu(/^Ações de Servidor/)],
];

const AGENT = "ag:1";
const agentWorld = () =>
  world({
    agents: [agent({ id: AGENT })],
    mistral: {
      source: "account",
      operatorClosed: false,
      keyHint: "a1b2",
      baseUrl: "https://api.mistral.ai",
      defaultUrl: "https://api.mistral.ai",
    },
  });

const AGENTS: Row[] = [
  ["agents", "/chatbot", "Responde sobre horários"],
  [
    "new-agent",
    "/criar-robo",
    "Criar Novo Robô (Agente Mistral)",
    async () => {
      await press("Criar Robô");
      await shows("Informe o nome.");
    },
  ],
  ["agent", `/chatbot/${AGENT}`, "Seja breve."],
  [
    "agent-answers",
    `/chatbot/${AGENT}`,
    "Atendente",
    async () => {
      await page.getByLabelText("Mensagem de teste").fill("Que horas abre?");
      await userEvent.keyboard("{Enter}");
      await expect.element(page.getByRole("log").getByText("Abrimos às 9h.")).toBeVisible();
    },
    {
      prepare: (server) =>
        server.on("POST /api/mistral/agents/{agentId}/test", () => ({ text: "Abrimos às 9h." })),
    },
  ],
  ["remove-agent", "/chatbot", "Responde sobre horários", pressing(/^Excluir: /)],
];

/** An assistant answers in a conversation, in one of its states. */
function answeredWorld(state: Chat["assistant"]["state"]): World {
  const line = connection({ name: "Matriz" });
  const pausedUntil = state === "paused" ? minutesAgo(-60) : null;
  const assistant = { state, name: "Atendente da Ótica", pausedUntil };
  const talk = chat({ connectionId: line.id, assistant });
  const reason = { code: "mistral_down", text: "O Mistral não respondeu." };
  const answers = [
    agentAnswer({ chatId: talk.id, state: "skipped", text: null, reason }),
    agentAnswer({ chatId: talk.id, state: "failed", text: null, reason }),
    agentAnswer({ chatId: talk.id }),
  ];
  return world({
    connections: [line],
    chats: [talk],
    messages: { [talk.id]: [message({ text: "Que horas abre?" })] },
    answers: { [line.id]: answers },
  });
}

const ANSWERED: Screen[] = [
  ...(["on", "off", "paused"] as const).map((state) =>
    of(() => answeredWorld(state))([`chat-assistant-${state}`, "/chat", "Respostas do assistente"]),
  ),
  of(() => answeredWorld("on"))([
    "chat-answers",
    "/chat",
    "Respostas do assistente",
    pressing("Respostas do assistente"),
  ]),
];

const FETCHING = [
  ["dashboard", "/"],
  ["campaigns", "/campaigns"],
  ["contacts", "/contacts"],
  ["connections", "/whatsapp/connections"],
  ["chat", "/chat"],
  ["instances", "/instances"],
  ["agents", "/chatbot"],
  ["usage", "/settings?aba=uso"],
] as const;

const waiting: Screen[] = FETCHING.map(([name, path]) => ({
  name: `${name}-waiting`,
  path,
  world,
  words: null,
  prepare: (server) => server.holdAll(),
  opened: async () => {
    await expect.element(page.getByText("Carregando...").first()).toBeInTheDocument();
  },
}));

const failing: Screen[] = FETCHING.map(([name, path]) => ({
  name: `${name}-failing`,
  path,
  world,
  words: null,
  prepare: (server) => server.refuseAll("unavailable"),
  opened: async () => {
    await expect.element(page.getByRole("main").getByRole("alert").first()).toBeVisible();
  },
}));

/** Every screen and dialog, in parts that are looked at side by side. */
export const SCREENS = {
  first: [...PUBLIC.map(of(visitor)), ...EMPTY.map(of(fresh))],
  campaigns: CAMPAIGNS.map(of(workingWorld)),
  people: PEOPLE.map(of(workingWorld)),
  rest: REST.map(of(workingWorld)),
  servers: [...INSTANCES.map(of(gatewayWorld)), ...AGENTS.map(of(agentWorld)), ...ANSWERED],
  unanswered: [...waiting, ...failing],
} satisfies Record<string, Screen[]>;
