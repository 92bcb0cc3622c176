import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import type { Connection } from "../../src/contract/connections.ts";
import { CopyButton } from "../../src/web/ui/copy-button.tsx";
import { becomes, pairingServer, startConnecting, typable, unpaired } from "./support/pairing.ts";
import { renderAlone, renderApp } from "./support/render-app.tsx";
import { button, pick, press, shows } from "./support/screen.ts";

const opened = page.getByRole("dialog");
const picture = opened.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
const letters = opened.getByRole("img", { name: /^Código de pareamento: / });
const asking = opened.getByText("Pedindo um código ao WhatsApp...");
const typeInstead = () => page.getByRole("tab", { name: "Código de pareamento" }).click();

async function openList(line: Connection) {
  const server = pairingServer(line, [line]);
  await renderApp("/whatsapp/connections");
  return server;
}

test("the code is enlarged and made small again @decision 29", async () => {
  await startConnecting(unpaired());
  await expect.element(picture).toHaveAttribute("width", "220");
  await press("Ampliar");
  await expect.element(picture).toHaveAttribute("width", "340");
  await press("Reduzir");
  await expect.element(picture).toHaveAttribute("width", "220");
});

test("a pairing code that WhatsApp refuses is said, and the QR code stays the way", async () => {
  const line = unpaired();
  const server = await startConnecting(line);
  server.on("POST /api/connections/{id}/pairing-code", () =>
    Object.assign(line, { cause: "pairing_refused" }),
  );
  await typeInstead();
  const refused = "O WhatsApp recusou o código de pareamento. Use o QR Code.";
  await expect.element(opened.getByRole("alert")).toMatchTextContent(refused);
  const held = server.hold("POST /api/connections/{id}/pairing-code");
  await button("Gerar novo código", opened).click();
  await held.asked;
  await expect.element(asking).toBeVisible();
  held.release();
});

test("the code is copied also where the browser withholds its clipboard (plain http)", async () => {
  Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
  const copied: string[] = [];
  const note = () => copied.push((document.activeElement as HTMLTextAreaElement).value);
  document.addEventListener("copy", note);
  try {
    await startConnecting(unpaired());
    await typeInstead();
    await button("Copiar", opened).click();
    await expect.element(opened.getByText("Copiado!")).toBeVisible();
    expect(copied).toEqual(["ABCD1234"]);
  } finally {
    document.removeEventListener("copy", note);
    Reflect.deleteProperty(navigator, "clipboard");
  }
});

test("«Copiado!» stands there for a second and a half @spec 2.64,9.11", async () => {
  const wait = globalThis.setTimeout;
  const turn = () => new Promise((next) => wait(next, 0));
  vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await renderAlone(<CopyButton text="ABCD1234" />);
  const element = (await page.getByRole("button").findElement()) as HTMLElement;
  expect(element.textContent).toBe("Copiar");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  element.click();
  for (let turns = 0; turns < 1_000 && element.textContent !== "Copiado!"; turns++) await turn();
  expect(element.textContent).toBe("Copiado!");
  await turn();
  let stood = 0;
  while (stood < 5_000 && element.textContent === "Copiado!") {
    await vi.advanceTimersByTimeAsync(50);
    await turn();
    stood += 50;
  }
  expect(stood).toBeGreaterThanOrEqual(1_500);
  expect(stood).toBeLessThan(1_600);
});

test("an expired pairing code is not called pending: the phone has it, or a new one is needed", async () => {
  const line = unpaired(typable());
  const server = await openList(line);
  server.on("POST /api/connections/{id}/pairing-code", () =>
    Object.assign(line, { state: "connecting", cause: null }),
  );
  await press("Mostrar QR Code");
  await typeInstead();
  await expect.element(letters).toBeVisible();

  await becomes(server, line, { state: "connecting" });
  await expect.element(letters).not.toBeInTheDocument();
  await expect.element(asking).not.toBeInTheDocument();
  await becomes(server, line, { state: "disconnected", cause: "qr_expired" });
  await expect.element(opened.getByText("Os códigos expiraram sem leitura.")).toBeVisible();
  await expect.element(asking).not.toBeInTheDocument();
  await button("Gerar novo código", opened).click();
  await expect.element(asking).toBeVisible();
});

test("why an instance that is to be connected again has no code is said in its window", async () => {
  const line = unpaired({ kind: "instance", state: "disconnected", cause: "qr_expired", qr: null });
  const server = await openList(line);
  server.on("POST /api/connections/{id}/reconnect", () =>
    Object.assign(line, { state: "connecting", cause: null }),
  );
  await press("Ações de Atendimento");
  await pick("Reconectar");
  await expect.element(opened.getByRole("status")).toHaveTextContent("Conectando...");
  await becomes(server, line, { state: "disconnected", cause: "unreachable" });
  await expect.element(opened).toMatchTextContent(/O servidor da instância não responde desde \d\d:\d\d\./);
});

test("a connection that another window has removed is named as what is gone, and leaves the list", async () => {
  const line = unpaired({ state: "disconnected", cause: "logged_out", qr: null });
  const server = await openList(line);
  server.refuse("POST /api/connections/{id}/reconnect", "not_found");
  await press("Ações de Atendimento");
  server.world.connections = [];
  await pick("Reconectar");
  await shows("Atendimento não existe mais: foi excluída.");
  await shows("Nenhuma conexão encontrada");
});
