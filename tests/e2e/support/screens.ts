import { expect, type Page } from "@playwright/test";

export type Screen = {
  name: string;
  path: string;
  /** Text or element that exists only on the loaded screen. */
  shows: (page: Page) => Promise<void>;
  open?: (page: Page) => Promise<void>;
};

const seen = (page: Page, words: string | RegExp) =>
  expect(page.getByText(words).filter({ visible: true }).first()).toBeVisible();

async function settled(page: Page): Promise<void> {
  await expect(page.locator("[data-ui~=sk]")).toHaveCount(0);
  await expect(page.getByText("Carregando...")).toHaveCount(0);
}

/** Loaded when these words show and nothing is pending, also in what is opened on it. */
const screen = (name: string, path: string, words: string | RegExp, open?: Screen["open"]): Screen => ({
  name,
  path,
  shows: async (page) => {
    await seen(page, words);
    await settled(page);
  },
  ...(open && {
    open: async (page) => {
      await open(page);
      await settled(page);
    },
  }),
});

const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole("button", { name, exact: typeof name === "string" })
    .filter({ visible: true })
    .first()
    .click();
const pick = (page: Page, name: string) => page.getByRole("menuitem", { name, exact: true }).click();
const window = (page: Page) => page.getByRole("dialog").or(page.getByRole("alertdialog")).last();
const submit = (page: Page, name: string) => window(page).getByRole("button", { name, exact: true }).click();

const pressing =
  (first: string | RegExp, ...further: string[]) =>
  async (page: Page) => {
    await press(page, first);
    await expect(window(page)).toBeVisible();
    for (const name of further) await submit(page, name);
    if (further.length) await expect(window(page).getByRole("alert").first()).toBeVisible();
  };

const choosing = (menu: string | RegExp, entry: string) => async (page: Page) => {
  await press(page, menu);
  await pick(page, entry);
  await expect(window(page)).toBeVisible();
};

const menu = (name: string | RegExp) => async (page: Page) => {
  await press(page, name);
  await expect(page.getByRole("menu")).toBeVisible();
};

export const PUBLIC: readonly Screen[] = [
  screen("login", "/login", "Entrar"),
  screen("login-ended", "/login?ended=true", "Entrar", (page) => press(page, "Entrar")),
  screen("signup", "/signup", "Criar conta"),
  screen("signup-errors", "/signup", "Criar conta", async (page) => {
    await press(page, "Criar conta");
    await seen(page, "Informe seu nome.");
  }),
  screen("terms", "/termos", /^1\. /),
  screen("forgot-no-mail", "/esqueci-a-senha", "Peça uma senha nova"),
  screen("new-password-over", "/nova-senha#nada", "Este link não vale mais"),
  screen("confirm-email-over", "/confirmar-email#nada", "Este link não vale mais"),
  screen("unsubscribe-gone", "/descadastrar/nada", "Este link não vale mais"),
  screen("not-found", "/nao-existe", "Página Não Encontrada"),
];

export const EMPTY: readonly Screen[] = [
  screen("dashboard-empty", "/", "Primeiros passos"),
  screen("campaigns-empty", "/campaigns", "Nenhuma campanha encontrada"),
  screen("new-campaign-empty", "/campaigns/new", "Pré-visualização"),
  screen("contacts-empty", "/contacts", "Nenhuma lista de contatos"),
  screen("opt-outs-empty", "/contacts", "Nenhuma lista de contatos", pressing("Descadastrados")),
  screen("connections-empty", "/whatsapp/connections", "Nenhuma conexão encontrada"),
  screen("connect", "/baileys", "Antes de conectar"),
  screen("connect-errors", "/baileys", "Antes de conectar", async (page) => {
    await press(page, "Conectar");
    await seen(page, "Por favor, insira um número de telefone");
  }),
  screen("chat-none", "/chat", "Nenhuma conexão encontrada"),
  screen("instances-none", "/instances", "Nenhuma evolution cadastrada."),
  screen(
    "gateway-errors",
    "/instances",
    "Nenhuma evolution cadastrada.",
    pressing("Cadastrar evolution", "Cadastrar"),
  ),
  screen("agents-no-key", "/chatbot", "Nenhuma chave cadastrada."),
  screen("agents-key", "/chatbot", "Nenhuma chave cadastrada.", pressing("Cadastrar chave")),
  screen("keys-empty", "/settings?aba=chaves", "Nenhuma chave de API"),
  screen("settings-connection-none", "/settings?aba=conexao", "Nenhuma conexão encontrada"),
  screen("drawer", "/contacts", "Nenhuma lista de contatos", async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await press(page, "Abrir menu");
    await expect(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  }),
];

export const campaigns = (campaign: number): readonly Screen[] => [
  screen("dashboard", "/", "Campanhas Recentes"),
  screen("dashboard-table", "/?dias=30&ver=tabela", "Campanhas Recentes"),
  screen("dashboard-one", `/?campanha=${campaign}`, "Campanhas Recentes"),
  screen("campaigns", "/campaigns", "Óculos prontos"),
  screen("campaigns-list", "/campaigns", "Óculos prontos", async (page) => {
    await press(page, "Lista");
    await expect(page.locator("[data-ui~=as-list]")).toBeVisible();
    await page.evaluate(() => localStorage.removeItem("campaigns-view"));
  }),
  screen("campaigns-filters", "/campaigns?resultado=erros&de=2020-01-01&ate=2030-12-31", "Óculos prontos"),
  screen("campaigns-nothing", "/campaigns?busca=nenhuma%20assim", /Nenhum nome ou texto/),
  screen("campaign-menu", "/campaigns", "Óculos prontos", menu(/^Mais ações de /)),
  screen("campaign-resend", "/campaigns", "Óculos prontos", pressing(/^Reenviar falhas/)),
  screen(
    "campaign-delete",
    "/campaigns",
    "Rascunho de Natal",
    choosing(/^Mais ações de Rascunho de Natal/, "Excluir rascunho"),
  ),
  screen("details", `/campaigns?detalhes=${campaign}`, "Pessoa 0"),
  screen(
    "details-resolve",
    `/campaigns?detalhes=${campaign}&status=uncertain`,
    /Pessoa \d+/,
    menu(/^Resolver o envio/),
  ),
  screen("details-empty", `/campaigns?detalhes=${campaign}`, "Pessoa 0", async (page) => {
    await window(page).getByPlaceholder("Buscar por nome ou telefone...").fill("ninguém assim");
    await seen(page, "Nenhum contato encontrado");
  }),
  screen("new-campaign", "/campaigns/new", "Pré-visualização", fillCampaign),
  screen("risk", "/campaigns/new", "Pré-visualização", async (page) => {
    await fillCampaign(page);
    await press(page, "Criar Campanha");
    await expect(page.getByRole("dialog", { name: "Antes da primeira campanha" })).toBeVisible();
  }),
  // After those that fill it in: the draft is kept.
  screen("new-campaign-errors", "/campaigns/new", "Pré-visualização", async (page) => {
    await page.getByText("Agendado", { exact: true }).click();
    await page.getByLabel("Intervalo entre mensagens").fill("0");
    await press(page, "Criar Campanha");
    await seen(page, "Preencha este campo.");
  }),
];

export const PEOPLE: readonly Screen[] = [
  screen("contacts", "/contacts", "Clientes Savassi"),
  screen("contacts-nothing", "/contacts?busca=ninguem%20assim", "Nenhum contato encontrado"),
  screen("import", "/contacts", "Clientes Savassi", pressing("Importar", "Importar")),
  screen("import-report", "/contacts", "Clientes Savassi", async (page) => {
    await press(page, "Importar");
    await window(page).getByLabel("Nome da lista").fill("Óticas de Belo Horizonte e região");
    await window(page).getByRole("tab", { name: "Colar JSON" }).click();
    const people = [
      { name: "Ana", phone: "31 90234-1187" },
      { name: "Sem número", phone: "" },
      { name: "Luís", phone: "31 8765-4321" },
    ];
    await window(page).getByLabel("Contatos em JSON").fill(JSON.stringify(people));
    await submit(page, "Importar");
    await seen(page, "Importação concluída");
  }),
  screen("export", "/contacts", "Clientes Savassi", pressing("Exportar", "Exportar")),
  screen("new-contact", "/contacts", "Clientes Savassi", async (page) => {
    await pressing("Novo Contato", "Adicionar")(page);
    await expect(
      window(page).getByRole("option", { name: "Clientes Savassi (480 contatos)" }),
    ).toBeAttached();
  }),
  screen("list", "/contacts", "Clientes Savassi", async (page) => {
    await press(page, /contatos: /);
    await expect(window(page).getByText("Pessoa 7", { exact: true })).toBeVisible();
  }),
  screen("delete-list", "/contacts", "Clientes Savassi", pressing(/^Excluir Lista/)),
  screen("opt-outs", "/contacts", "Clientes Savassi", async (page) => {
    await press(page, /^Descadastrados/);
    await expect(
      window(page)
        .getByText(/Respondeu/)
        .first(),
    ).toBeVisible();
  }),
  screen("connections", "/whatsapp/connections", "Unidade Savassi"),
  screen("connection-menu", "/whatsapp/connections", "Unidade Savassi", menu(/^Ações de Unidade/)),
  screen(
    "disconnect",
    "/whatsapp/connections",
    "Unidade Savassi",
    choosing(/^Ações de Matriz/, "Desconectar"),
  ),
  screen(
    "assistant-no-key",
    "/whatsapp/connections",
    "Unidade Savassi",
    choosing(/^Ações de Matriz/, "Assistente"),
  ),
];

export const REST: readonly Screen[] = [
  screen("chat", "/chat", "Oi! Vale para óculos de sol?"),
  screen("chat-group", "/chat", "Oi! Vale para óculos de sol?", async (page) => {
    await page.getByRole("link", { name: /@g\.us/ }).click();
    await expect(page.getByRole("log")).toContainText("Lucas");
  }),
  screen("settings", "/settings", "Seus dados"),
  screen("settings-errors", "/settings", "Seus dados", async (page) => {
    await press(page, "Trocar senha");
    await seen(page, "Informe a senha atual.");
  }),
  screen("settings-zones", "/settings", "Seus dados", async (page) => {
    await page.getByRole("combobox", { name: "Fuso horário" }).click();
    await expect(page.getByRole("listbox")).toBeVisible();
  }),
  screen("remove-account", "/settings", "Seus dados", pressing("Excluir conta", "Excluir conta para sempre")),
  screen("keys", "/settings?aba=chaves", "Sistema de pedidos"),
  screen(
    "new-key",
    "/settings?aba=chaves",
    "Sistema de pedidos",
    pressing("Gerar nova chave", "Gerar chave"),
  ),
  screen("revoke-key", "/settings?aba=chaves", "Sistema de pedidos", pressing(/^Revogar: /)),
  screen("settings-connection", "/settings?aba=conexao", "Unidade Savassi"),
  screen("settings-notifications", "/settings?aba=notificacoes", /navegador/i),
  screen("settings-activity", "/settings?aba=atividade", /^Chave de API «Painel»/),
  screen("settings-usage", "/settings?aba=uso", /mensagens/i),
  screen("palette", "/contacts", "Clientes Savassi", pressing("Busca rápida")),
  screen("palette-found", "/contacts", "Clientes Savassi", async (page) => {
    await press(page, "Busca rápida");
    await window(page).getByRole("combobox").fill("pessoa");
    await expect(page.getByRole("option", { name: /^Pessoa/ }).first()).toBeVisible();
  }),
  screen("account-menu", "/contacts", "Clientes Savassi", menu(/^Menu da conta/)),
];

async function fillCampaign(page: Page) {
  await page.getByLabel("Nome da campanha").fill("Semana do cliente com 20% de desconto");
  await page
    .getByRole("textbox", { name: "Texto" })
    .fill("Oi, {nome}! Até sábado, *20% de desconto* em toda a loja.");
  await page.getByLabel("Lista de contatos").selectOption({ label: "Clientes Savassi (480)" });
  await seen(page, "480 contatos receberão a mensagem");
}
