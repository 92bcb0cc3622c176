import { page } from "vitest/browser";
import { letPair, startPairing, unpaired } from "../support/pairing.ts";
import { press, shows } from "../support/screen.ts";
import { choosing, menu, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";

const ROWS: Row[] = [
  ["connections", "/whatsapp/connections", "Unidade Savassi"],
  ["connection-menu", "/whatsapp/connections", "Unidade Savassi", menu(/^Ações de Unidade/)],
  ["number", "/whatsapp/connections/7", "Ritmo"],
  ["number-without-plan", "/whatsapp/connections/8", "Usar o plano recomendado"],
  ["number-plan", "/whatsapp/connections/7", "Ritmo", () => press("Editar plano")],
  [
    "number-plan-risky",
    "/whatsapp/connections/7",
    "Ritmo",
    async () => {
      await press("Editar plano");
      await page.getByLabelText("Entre conversas novas, de (s)").fill("5");
      await press("Guardar plano");
      await shows("Guardar assim");
    },
  ],
  ["disconnect", "/whatsapp/connections", "Unidade Savassi", choosing(/^Ações de Matriz/, "Desconectar")],
  ["remove-connection", "/whatsapp/connections", "Unidade Savassi", choosing(/^Ações de Unidade/, "Excluir")],
  [
    "pairing-scan",
    "/whatsapp/connect",
    "Antes de conectar",
    async () => {
      await startPairing();
      await shows(/^Novo código em/);
    },
    { prepare: (server) => letPair(server, unpaired()) },
  ],
  [
    "pairing-type",
    "/whatsapp/connect",
    "Antes de conectar",
    async () => {
      await startPairing();
      await page.getByRole("tab", { name: "Código de pareamento" }).click();
      await shows(/^Vale por/);
    },
    { prepare: (server) => letPair(server, unpaired()) },
  ],
  [
    "pairing-unreached",
    "/whatsapp/connect",
    "Antes de conectar",
    async () => {
      await startPairing();
      await press("Mostrar QR Code");
      await shows("O servidor não alcança o WhatsApp.");
    },
    { prepare: (server) => letPair(server, unpaired({ state: "connecting", cause: "network", qr: null })) },
  ],
  [
    "assistant-no-key",
    "/whatsapp/connections",
    "Unidade Savassi",
    choosing(/^Ações de Matriz/, "Assistente"),
  ],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(workingWorld));
