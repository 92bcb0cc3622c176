import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { apiKey, minutesAgo } from "../support/rows.ts";
import { button, press, shows } from "../support/screen.ts";
import { opened, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { PASSWORD } from "../support/signing.ts";
import { workingWorld } from "../support/working-world.ts";

function revoked({ world: { keys } }: FakeServer) {
  keys.push(apiKey({ name: "Antiga", revokedAt: minutesAgo(10) }));
}

const waiting = (change: boolean) => (server: FakeServer) => {
  const { me } = server.world;
  server.world.me = me && { ...me, confirmation: { email: "nova@otica.com.br", change, by: "link" } };
};

function passwordNeeded({ world: state }: FakeServer) {
  state.passwordNeeded = true;
}

function mailRefused({ world: state }: FakeServer) {
  const last = {
    subject: "Mensagem de teste do Recado",
    at: minutesAgo(0),
    error: "O servidor recusou. (550)",
  };
  state.notifications = { ...state.notifications, mail: { ...state.notifications.mail, last } };
}

async function changePassword() {
  const form = page.getByRole("form", { name: "Senha" });
  await form.getByLabelText("Senha atual").fill(PASSWORD);
  await form.getByLabelText("Nova senha", { exact: true }).fill("outra frase bem comprida");
  await form.getByLabelText("Confirmar nova senha").fill("outra frase bem comprida");
  await button("Trocar senha", form).click();
  await shows("Chave de API «Loja antiga»");
}

const ended = { kind: "key" as const, name: "Loja antiga", prefix: "rcd_abc" };

const ROWS: Row[] = [
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
  [
    "settings-email-waiting",
    "/settings",
    "O seu novo e-mail espera pela confirmação.",
    undefined,
    { prepare: waiting(true) },
  ],
  [
    "settings-password-changed",
    "/settings",
    "Seus dados",
    changePassword,
    {
      prepare: (server) =>
        server.on("POST /api/settings/password", () => ({ endedSessions: 0, ended: [ended], living: [] })),
    },
  ],
  [
    "settings-notifications-waiting",
    "/settings?aba=notificacoes",
    "O seu e-mail ainda não foi confirmado.",
    undefined,
    { prepare: waiting(false) },
  ],
  [
    "settings-mail-refused",
    "/settings?aba=notificacoes",
    /O servidor recusou\. \(550\)/,
    undefined,
    { prepare: mailRefused },
  ],
  [
    "settings-notifications-unsaved",
    "/settings?aba=notificacoes",
    /navegador/i,
    async () => {
      await page.getByRole("checkbox", { name: "Problemas de entrega" }).click();
      await shows(/^Não foi salvo:/);
    },
    { prepare: (server) => void server.drop("PATCH /api/settings/notifications") },
  ],
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
  [
    "new-key",
    "/settings?aba=chaves",
    "Sistema de pedidos",
    pressing("Gerar nova chave", "Gerar chave"),
    { prepare: passwordNeeded },
  ],
  ["revoke-key", "/settings?aba=chaves", "Sistema de pedidos", pressing(/^Revogar: /)],
  ["settings-connection", "/settings?aba=conexao", "Unidade Savassi"],
  ["settings-notifications", "/settings?aba=notificacoes", /navegador/i],
  ["settings-activity", "/settings?aba=atividade", /^Chave de API «Painel»/],
  ["settings-usage", "/settings?aba=uso", /mensagens/i],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
