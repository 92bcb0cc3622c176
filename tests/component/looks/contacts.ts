import { expect } from "vitest";
import { userEvent } from "vitest/browser";
import type { ContactImportReport } from "../../../src/contract/contacts.ts";
import { findPeople } from "../support/contact-writes.ts";
import { refuse } from "../support/endpoints.ts";
import type { FakeServer } from "../support/fake-server.ts";
import { decide, importDrafts, toColumns, toLists } from "../support/import-steps.ts";
import { minutesAgo } from "../support/rows.ts";
import { button, press, shows } from "../support/screen.ts";
import { mayLeave, opened, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";

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
  erased: 2,
  leftOut: { columns: ["Id", "E-mail"], blankRows: 1, furtherPhones: 1, unread: [] },
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
  importDrafts(server);
  server.on("POST /api/contact-import-drafts/{id}/start", () => begun);
  server.on("GET /api/contact-imports/{id}", () => report);
}

async function importPasted() {
  await press("Importar");
  await opened().getByRole("tab", { name: "Colar JSON" }).click();
  await opened().getByLabelText("Contatos em JSON").fill('[{"name":"Ana","phone":"31 90234-1187"}]');
  await toLists();
  await decide("Óticas de Belo Horizonte e região");
  await button("Importar", opened()).click();
  await shows(/Importação concluída/);
}

const PETS =
  "Código;Nome;Responsável;Celular;Vacina\n1;Rex;Ana Beatriz Rocha;31 90234-1187;12/11/2025\n2;Mel;Rui Reis;31 9;\n3;Thor;Lia;31 90871-4420;ontem\n";

async function importPets() {
  await press("Importar");
  const chooser = document.querySelector<HTMLInputElement>("[role=dialog] input[type=file]");
  await userEvent.upload(chooser as HTMLInputElement, new File([PETS], "clientes.csv"));
  await toColumns();
}

async function importChosen() {
  await importPets();
  await opened()
    .getByRole("radio", { name: /^Responsável/ })
    .click();
  await opened().getByLabelText("O que é a coluna Vacina").selectOptions("Novo campo: data");
  await shows("não lido");
}

async function importBroken() {
  await importChosen();
  await button("Continuar", opened()).click();
  await decide();
  await button("Importar", opened()).click();
  await shows(/ilegíveis: 1/);
}

const ROWS: Row[] = [
  ["leaving", "/contacts", "Clientes Savassi", pressing(/^Querem sair/), { prepare: mayLeave }],
  ["contacts", "/contacts", "Clientes Savassi"],
  ["contacts-nothing", "/contacts?busca=ninguem%20assim", "Nenhum contato encontrado"],
  ["import", "/contacts", "Clientes Savassi", pressing("Importar", "Continuar")],
  ["import-columns", "/contacts", "Clientes Savassi", importPets, { prepare: imports }],
  ["import-columns-chosen", "/contacts", "Clientes Savassi", importChosen, { prepare: imports }],
  ["import-report", "/contacts", "Clientes Savassi", importPasted, { prepare: imports }],
  [
    "import-broken-names",
    "/contacts",
    "Clientes Savassi",
    importBroken,
    {
      prepare: (server) => {
        imports(server);
        server.on("POST /api/contact-import-drafts/{id}/start", () => {
          throw refuse("import_broken_names", { details: { count: 1, examples: "«Jo\ufffdo»" } });
        });
      },
    },
  ],
  ["person", "/contacts?busca=pessoa%207", "Pessoa 7", pressing("Pessoa 7"), { prepare: findPeople }],
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
    "undo",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press(/^Descadastrados/);
      await press(/^Permitir de novo/);
      await expect.element(button("Desfazer")).toBeVisible();
    },
    {
      prepare: (server) => server.on("DELETE /api/opt-outs/{phone}", () => ({ success: true, undo: "selo" })),
    },
  ],
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
];

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
