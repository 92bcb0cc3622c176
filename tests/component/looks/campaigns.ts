import { expect } from "vitest";
import { page } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { pick, press, shows } from "../support/screen.ts";
import { choosing, menu, opened, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { FINISHED, workingWorld } from "../support/working-world.ts";

function giveVariables({ world: state }: FakeServer) {
  const variables = [
    { key: "data_da_ultima_consulta", fallback: "a data que combinamos por telefone, como sempre" },
    { key: "medico", fallback: "a equipe" },
    { key: "sobrenome", fallback: null },
    { key: "valor", fallback: null },
  ];
  state.campaigns = state.campaigns.map((each) => (each.id === FINISHED ? { ...each, variables } : each));
}

function stopOne({ world: state }: FakeServer) {
  const breaker = { failure: "absent", judged: 20, count: 7, limit: 30 } as const;
  state.campaigns = state.campaigns.map((each) =>
    each.id === FINISHED
      ? { ...each, status: "paused", cause: "breaker_absent", breaker, actions: ["resume", "cancel"] }
      : each,
  );
}

const ROWS: Row[] = [
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
  ["calendar", "/campaigns/calendar?mes=2026-11", "Conflitos"],
  [
    "calendar-open",
    "/campaigns/calendar?mes=2026-11",
    "Conflitos",
    async () => {
      await press(/^Mostrar (mais|os dias passados)/);
    },
  ],
  ["campaign-menu", "/campaigns", "Óculos prontos", menu(/^Mais ações de /)],
  ["campaign-resend", "/campaigns", "Óculos prontos", pressing(/^Reenviar falhas/)],
  [
    "campaign-delete",
    "/campaigns",
    "Rascunho de Natal",
    choosing(/^Mais ações de Rascunho de Natal/, "Excluir rascunho"),
  ],
  ["campaign-despite", "/campaigns", "Óculos prontos", pressing("Continuar"), { prepare: stopOne }],
  [
    "details-stopped",
    `/campaigns?detalhes=${FINISHED}&falha=absent`,
    "Pessoa 0",
    undefined,
    { prepare: stopOne },
  ],
  ["details", `/campaigns?detalhes=${FINISHED}`, "Pessoa 0"],
  ["details-variables", `/campaigns?detalhes=${FINISHED}`, "Pessoa 0", undefined, { prepare: giveVariables }],
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
];

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
