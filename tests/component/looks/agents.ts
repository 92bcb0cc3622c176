import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { agent, attachment } from "../support/rows.ts";
import { press, shows } from "../support/screen.ts";
import { pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { world } from "../support/world.ts";

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

function withoutAgents({ world: state }: FakeServer) {
  state.agents = [];
}

const ROWS: Row[] = [
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
        server.on("POST /api/mistral/agents/{agentId}/test", () => ({
          text: "Abrimos às 9h.",
          sends: [
            {
              name: "Tabela",
              kind: "document",
              text: "Os preços de dezembro",
              attachment: attachment({ kind: "document", name: "Preços de dezembro.pdf" }),
            },
          ],
          refused: ["Mapa da loja"],
        })),
    },
  ],
  ["agents-none", "/chatbot", "Nenhum robô encontrado.", undefined, { prepare: withoutAgents }],
  ["agents-key-remove", "/chatbot", "Responde sobre horários", pressing("Remover chave")],
  ["remove-agent", "/chatbot", "Responde sobre horários", pressing(/^Excluir: /)],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(agentWorld));
