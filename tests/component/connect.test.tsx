import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import type { FakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import {
  becomes,
  PHONE_SHOWN,
  pairingServer,
  scannable,
  startConnecting,
  unpaired,
} from "./support/pairing.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, MINUTE, minutesAgo } from "./support/rows.ts";
import { button, dialog, main, press, shows } from "./support/screen.ts";

const form = page.getByRole("region", { name: "Conectar WhatsApp" });
const status = form.getByRole("status");
const number = page.getByLabelText("Número do WhatsApp");
const opened = dialog("Escaneie o QR Code");
const picture = opened.getByRole("img", { name: "QR Code para conectar o WhatsApp" });
const UNREACHED = "O servidor não alcança o WhatsApp.";
const DONE = "WhatsApp conectado com sucesso!";

test("while it connects the button turns; the fields say what they want @spec 2.66,2.67,4.15,4.17,5.13", async () => {
  const server = pairingServer(unpaired());
  const held = server.hold("POST /api/whatsapp/connect");
  await renderApp("/baileys");
  const heading = page.getByRole("heading", { level: 1, name: "Conectar WhatsApp" });
  await expect.element(heading).toBeVisible();
  expect(number.element().getAttribute("placeholder")).toMatch(/^\+55 \d\d \d{5}-\d{4}$/);
  await number.fill(PHONE_SHOWN);
  await press("Conectar");
  await held.asked;
  await expect.element(status).toHaveTextContent("Conectando...");
  const submit = document.querySelector<HTMLButtonElement>("main button[type=submit]");
  expect(submit?.disabled).toBe(true);
  expect(submit?.querySelector("[class*=text_spin]")?.checkVisibility()).toBe(true);
  held.release();
  await expect.element(page.getByRole("dialog")).toMatchTextContent(`WhatsApp ${PHONE_SHOWN}`);
});

test("where WhatsApp cannot be reached it is said, and the code comes once it can", async () => {
  const line = unpaired({ state: "connecting", cause: "network", qr: null });
  const server = await startConnecting(line);
  await expect.element(form).toMatchTextContent(UNREACHED);
  await press("Mostrar QR Code");
  await expect.element(opened).toMatchTextContent(UNREACHED);
  await becomes(server, line, scannable());
  await expect.element(picture).toBeVisible();
  await expect.element(page.getByText(UNREACHED)).not.toBeInTheDocument();
});

test("a number that is connected already is said to be so, without a window @spec 4.14", async () => {
  await startConnecting(unpaired({ state: "connected", qr: null, linked: true }));
  await shows(DONE);
  await expect.element(status).toHaveTextContent("Conectado");
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
});

test("the window may be closed and opened again while the code waits @spec 2.68,4.17", async () => {
  const line = unpaired();
  const server = await startConnecting(line);
  await expect.element(picture).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(opened).not.toBeInTheDocument();
  const waiting = status.getByText("Aguardando escaneamento do QR Code...");
  await expect.element(waiting).toBeVisible();
  await becomes(server, line, { state: "connecting", cause: "network" });
  await shows(UNREACHED);
  await becomes(server, line, scannable());
  await expect.element(waiting).toBeVisible();
  await expect.element(opened).not.toBeInTheDocument();
  await press("Mostrar QR Code");
  await expect.element(opened).toBeVisible();
  await userEvent.keyboard("{Escape}");

  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  await expect.element(page.getByText("Aguardando conexão", { exact: true })).toBeVisible();
  await press("Mostrar QR Code");
  await expect.element(picture).toBeVisible();
});

test("a number that another window removes while its code waits is waited for no more", async () => {
  const line = unpaired();
  const server = await startConnecting(line);
  const counting = opened.getByText(/Novo código em/);
  const remove = () => {
    server.world.connections = [];
    return server.publish("connections");
  };
  await expect.element(counting).toBeVisible();
  await remove();
  await expect.element(opened).not.toBeInTheDocument();
  await expect.element(status).toHaveTextContent("Desconectado");

  await press("Conectar");
  await expect.element(counting).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await page.getByRole("navigation").getByRole("link", { name: "Conexões" }).click();
  await button("Mostrar QR Code", main().getByRole("listitem")).click();
  await expect.element(counting).toBeVisible();
  await remove();
  await expect.element(opened).not.toBeInTheDocument();
  await shows("Nenhuma conexão encontrada");
});

test("26.17 on a telephone the code to type comes first, and after it the next step is offered", async () => {
  await page.viewport(390, 844);
  const real = Object.getOwnPropertyDescriptor(MediaQueryList.prototype, "matches")?.get;
  vi.spyOn(MediaQueryList.prototype, "matches", "get").mockImplementation(function (this: MediaQueryList) {
    return this.media.includes("coarse") || Boolean(real?.call(this));
  });
  const line = unpaired();
  const server = await startConnecting(line);
  await expect.element(page.getByRole("tab").first()).toHaveTextContent("Código de pareamento");
  await expect
    .element(page.getByRole("img", { name: /^Código de pareamento: A B C D, 1 2 3 4/ }))
    .toBeVisible();
  await becomes(server, line, { state: "connected" });
  await form.getByRole("link", { name: "Importar contatos" }).click();
  await expect.element(page.getByRole("dialog", { name: "Importar" })).toBeVisible();
});

/** Milliseconds of the page's clock between two requests for the list. */
async function pause(server: FakeServer): Promise<number> {
  const asked = () => server.requests("GET /api/connections").length;
  const next = async () => {
    const before = asked();
    for (let passed = 250; passed <= 60_000; passed += 250) {
      await vi.advanceTimersByTimeAsync(250);
      if (asked() > before) return passed;
    }
    throw new Error("nothing was asked for within a minute");
  };
  await next();
  return next();
}

async function connectByFakeClock(server: FakeServer) {
  holdClock();
  server.streams.lose();
  await renderApp("/baileys");
  await inTime(() => expect(number.query()).not.toBeNull());
  await number.fill(PHONE_SHOWN);
  await press("Conectar");
  await inTime(() => expect(status.getByText("Conectando...").query()).not.toBeNull());
}

test("without the stream the page polls: every 2 s for a code, every 5 s for state @spec 7.21,8.24,9.14 @decision 19", async () => {
  const line = unpaired({ state: "connecting", qr: null });
  const server = pairingServer(line);
  await connectByFakeClock(server);
  const forACode = await pause(server);
  expect(forACode).toBeGreaterThanOrEqual(1_750);
  expect(forACode).toBeLessThanOrEqual(2_750);

  Object.assign(line, scannable());
  await inTime(() => expect(picture.query()).not.toBeNull());
  const forTheState = await pause(server);
  expect(forTheState).toBeGreaterThanOrEqual(4_750);
  expect(forTheState).toBeLessThanOrEqual(5_750);

  // A lost request is repeated once; the third request shows that the page took the first two for an error.
  const lost = server.drop("GET /api/connections");
  await inTime(() => expect(lost.met.length).toBeGreaterThan(2));
  expect(picture.query()).not.toBeNull();
  expect(page.getByRole("alert").query()).toBeNull();
  lost.stop();
  Object.assign(line, { state: "connected", qr: null });
  await inTime(() => expect(opened.query()).toBeNull());
});

test("without the stream of changes the code and the states come by asking, every few seconds @spec 4.15,4.17", async () => {
  const line = unpaired();
  const server = pairingServer(line);
  server.streams.lose();
  await renderApp("/baileys");
  await number.fill(PHONE_SHOWN);
  await press("Conectar");
  await expect.element(picture).toBeVisible();
  Object.assign(line, { state: "connected", qr: null });
  await shows(DONE);
  await expect.element(opened).not.toBeInTheDocument();
});

test("a computer whose clock is wrong still shows the code's time", async () => {
  const serverTime = (more = 0) => new Date(Date.now() + 7 * MINUTE + more);
  const line = unpaired({ qrExpiresAt: serverTime(MINUTE).toISOString() });
  const server = pairingServer(line, [line]);
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    answer.headers.set("date", serverTime().toUTCString());
    return answer;
  };
  await renderApp("/whatsapp/connections");
  await press("Mostrar QR Code");
  await expect.element(opened.getByText(/Novo código em (0:[1-5]\d|1:\d\d)/)).toBeVisible();
  expect(server.requests("GET /api/connections").length).toBeGreaterThan(0);
});

test("a suspension is shown with its end where the number is typed", async () => {
  const line = unpaired({ state: "connecting", qr: null });
  const server = await startConnecting(line);
  await expect.element(status).toHaveTextContent("Conectando...");
  const causeUntil = minutesAgo(-180);
  await becomes(server, line, { state: "disconnected", cause: "temp_banned", causeUntil });
  await shows(/O WhatsApp suspendeu este número até .*\d\d:\d\d/);
});

test("a number that loses its line once it was connected is not said to be connected, nor to wait for a code", async () => {
  const line = unpaired({ state: "connected", qr: null, linked: true });
  const server = await startConnecting(line);
  await expect.element(status).toHaveTextContent("Conectado");
  await becomes(server, line, { state: "connecting", cause: "network" });
  await expect.element(status).toHaveTextContent("Conectando...");
  await shows(/Sem contato com o WhatsApp desde \d\d:\d\d\./);
  await expect.element(button("Mostrar QR Code")).not.toBeInTheDocument();
  await expect.element(page.getByText("o código aparece")).not.toBeInTheDocument();
  await becomes(server, line, { state: "connected" });
  await expect.element(status).toHaveTextContent("Conectado");
});

test("a name that is too long is said to be so at its field", async () => {
  pairingServer(unpaired());
  const { fetch } = globalThis;
  // The contract has no such request: only the server's answer to it counts.
  globalThis.fetch = async (input, init) =>
    String(input).endsWith("/api/whatsapp/connect")
      ? refuse("invalid_fields", { fields: { connectionName: "Use no máximo 120 caracteres." } }).response()
      : fetch(input, init);
  await renderApp("/baileys");
  const name = page.getByLabelText("Nome da Conexão");
  await number.fill(PHONE_SHOWN);
  await name.fill("a".repeat(121));
  await press("Conectar");
  await shows("Use no máximo 120 caracteres.");
  await expect.element(name).toHaveFocus();
  await expect.element(page.getByText("Confira os campos destacados.")).not.toBeInTheDocument();
});

test("what breaks the connection is said in the list, in words @decision 19", async () => {
  const line = connection({ name: "Atendimento" });
  const server = pairingServer(line, [line]);
  await renderApp("/whatsapp/connections");
  const row = main().getByRole("listitem").filter({ hasText: "Atendimento" });
  await expect.element(row.getByText("Conectado", { exact: true })).toBeVisible();
  await becomes(server, line, { state: "disconnected", cause: "logged_out" });
  await expect.element(row.getByText("Desconectado", { exact: true })).toBeVisible();
  await expect
    .element(row)
    .toMatchTextContent("A sessão foi encerrada no celular. Reconecte com um novo QR Code.");
});
