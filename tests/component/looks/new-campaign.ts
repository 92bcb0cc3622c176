import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { minutesAgo } from "../support/rows.ts";
import { button, pick, press, shows } from "../support/screen.ts";
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

async function chooseAudience() {
  await fillCampaign();
  await press("Lista ou segmento");
  await button(/^Acompanhamento personalizado.+(responsáveis|3)$/, opened())
    .first()
    .click();
  await press("Lista ou segmento");
  await button(/^Acompanhamento personalizado/, opened())
    .first()
    .click();
  for (const entry of ["Quem está em conversa", "Quem não responde"]) {
    await press("Deixar de fora");
    await pick(entry);
  }
  await press("Deixar de fora");
  await pick("Quem já recebeu uma campanha");
  await button(/^Semana do cliente/, opened()).click();
  await page.getByLabelText("Horas da conversa").fill("900");
  await shows("Use um número inteiro de 1 a 720.");
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
  ["audience", "/campaigns/new", "Pré-visualização", chooseAudience],
  [
    "audience-names",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await chooseAudience();
      await press("Ver: Lista Clientes Savassi");
      await shows("Pessoa 2");
    },
  ],
  [
    "audience-pick",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await press("Lista ou segmento");
      await shows("Precisa de conserto");
    },
  ],
  [
    "segment",
    "/campaigns/new",
    "Pré-visualização",
    async () => {
      await press("Lista ou segmento");
      await button("Novo segmento", opened()).click();
      await press("Grupo de condições");
      await page.getByLabelText("Sobre o quê, condição 1").selectOptions("Entrada nos contatos");
      await page.getByLabelText("Sobre o quê, condição 2.1").selectOptions("Campanha");
      await press("Salvar segmento");
      await shows(/^Use um número inteiro de 1 a 3/);
    },
  ],
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
