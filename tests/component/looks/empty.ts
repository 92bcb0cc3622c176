import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { press, shows } from "../support/screen.ts";
import { pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { person, world } from "../support/world.ts";

const fresh = () => world({ me: person({ riskRead: false, stepsHidden: false }) });

function closeMistral({ world: state }: FakeServer) {
  state.mistral = { ...state.mistral, operatorClosed: true };
}

const ROWS: Row[] = [
  ["dashboard-empty", "/", "Primeiros passos"],
  ["campaigns-empty", "/campaigns", "Nenhuma campanha encontrada"],
  ["calendar-empty", "/campaigns/calendar?mes=2026-11", "Nenhum conflito à vista."],
  ["new-campaign-empty", "/campaigns/new", "Pré-visualização"],
  ["test-send-none", "/campaigns/new?teste=true", "Conecte um número de WhatsApp para enviar um teste."],
  ["contacts-empty", "/contacts", "Nenhuma lista de contatos"],
  ["opt-outs-empty", "/contacts", "Nenhuma lista de contatos", pressing("Descadastrados")],
  ["people-empty", "/contacts/pessoas", "Nenhuma pessoa ainda"],
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

export const SCREENS: Screen[] = ROWS.map(screenOf(fresh));
