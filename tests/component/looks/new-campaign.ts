import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { minutesAgo } from "../support/rows.ts";
import { button, press, shows } from "../support/screen.ts";
import { opened, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";

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

const ROWS: Row[] = [
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
    "variables",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await fillCampaign();
      await page
        .getByRole("textbox", { name: "Texto", exact: true })
        .fill("Oi, {nome}! Hora da vacina de {pet}.");
      await page.getByLabelText("Quem não tem Pet {pet}").selectOptions("Usar outro texto");
      await press("Criar Campanha");
      await shows("Preencha este campo.");
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

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
