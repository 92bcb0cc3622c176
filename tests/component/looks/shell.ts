import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { FakeServer } from "../support/fake-server.ts";
import { press } from "../support/screen.ts";
import { menu, opened, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";
import type { World } from "../support/world.ts";

const installed = (change: Partial<World["installation"]>) => (server: FakeServer) => {
  server.world.installation = { ...server.world.installation, ...change };
};

const RESTORED = { madeAt: "2026-11-20T18:31:00.000Z", restoredAt: "2026-11-21T09:00:00.000Z" };

const asks = (name: string) => expect.element(page.getByRole("alertdialog", { name })).toBeVisible();

const ROWS: Row[] = [
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
  [
    "unsaved",
    "/contacts",
    "Clientes Savassi",
    async () => {
      await press("Novo Contato");
      await opened().getByLabelText("Nome").fill("Bia");
      await userEvent.keyboard("{Escape}");
      await asks("Sair sem salvar?");
    },
  ],
  [
    "sign-out",
    "/settings",
    "Seus dados",
    async () => {
      await page.getByLabelText("Nome completo").fill("Ótica Nova");
      await press("Sair");
      await asks("Sair sem salvar?");
    },
  ],
  ["restored", "/contacts", /npm run restore/, undefined, { prepare: installed({ restored: RESTORED }) }],
  ["disk-low", "/contacts", /está quase cheio/, undefined, { prepare: installed({ diskLow: true }) }],
  ["idle", "/contacts", /Nada é enviado agora/, undefined, { prepare: installed({ idle: true }) }],
  ["account-menu", "/contacts", "Clientes Savassi", menu(/^Menu da conta/)],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
