import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { violations } from "./support/axe.ts";
import type { FakeServer } from "./support/fake-server.ts";
import { uploaded } from "./support/rows.ts";
import { button, count, shows } from "./support/screen.ts";
import {
  field,
  goTo,
  log,
  openChat,
  sendButton,
  shown,
  someTalks,
  thread,
  written,
} from "./support/talks.ts";

const NOTE = uploaded({ id: 77, kind: "voice", name: "", mime: "audio/ogg; codecs=opus", seconds: 2 });

const strip = () => page.getByRole("group", { name: "Gravação de voz" });
const timer = () => strip().getByRole("timer");
const mic = () => button("Gravar mensagem de voz");

async function open() {
  const talks = someTalks();
  talks.server.on("POST /api/attachments", () => NOTE);
  await openChat();
  return talks;
}

async function recordsASecond() {
  await mic().click();
  await expect.element(timer()).toMatchTextContent(/^(?!0:00)\d/);
}

const sent = (server: FakeServer) => server.requests("POST /api/attachments");

test("a voice note is recorded, heard and sent", async () => {
  const { server, ana } = await open();
  await recordsASecond();
  await button("Pausar gravação").click();
  await expect.element(strip()).toMatchTextContent("Gravação em pausa");
  const { textContent: paused } = timer().element();
  await button("Continuar gravando").click();
  await expect.element(strip().getByRole("status")).toMatchTextContent("Gravando");
  await expect.poll(() => timer().element().textContent).not.toBe(paused);
  await button("Parar e ouvir").click();
  await button("Ouvir gravação").click();
  const sound = strip().element().querySelector("audio");
  await expect.poll(() => sound?.currentTime).toBeGreaterThan(0);
  expect(sound?.error).toBeNull();
  await sendButton().click();
  await expect.poll(() => written(server)).toEqual([{ to: ana.id, text: "", attachmentId: NOTE.id }]);
  const [request] = sent(server);
  expect(request?.query).toMatchObject({ as: "voice" });
  const file = request?.body as unknown as Blob;
  expect(file.type).toBe("audio/webm");
  expect(file.size).toBeGreaterThan(500);
  await expect.element(field()).toHaveFocus();
  await count(strip(), 0);
});

test("the keyboard records, discards and comes back to the text", async () => {
  await open();
  (mic().element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(timer()).toBeVisible();
  await expect.element(strip()).toHaveFocus();
  expect(await violations()).toEqual([]);
  await userEvent.tab();
  await expect.element(button("Descartar gravação")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(field()).toHaveFocus();
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
});

test("a recording sent while it runs goes as it is; one too short says so", async () => {
  const { server } = await open();
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  await mic().click();
  await expect.element(timer()).toBeVisible();
  await sendButton().click();
  await shows("A gravação ficou curta demais: grave pelo menos um segundo.");
  clock.mockRestore();
  await recordsASecond();
  await sendButton().click();
  await expect.poll(() => written(server)).toHaveLength(1);
});

test.for([
  ["NotAllowedError", "O navegador não liberou o microfone."],
  ["NotFoundError", "Nenhum microfone foi encontrado."],
  ["NotReadableError", "outro programa pode estar usando"],
] as const)("a microphone that fails with %s says what to do", async ([name, words]) => {
  await open();
  vi.spyOn(navigator.mediaDevices, "getUserMedia").mockRejectedValue(new DOMException("", name));
  await mic().click();
  await expect.element(page.getByRole("alert")).toMatchTextContent(words);
  await expect.element(field()).toBeVisible();
});

test("an address without https and a browser without the format say why they cannot record", async () => {
  await open();
  const insecure = vi.spyOn(window, "isSecureContext", "get").mockReturnValue(false);
  vi.spyOn(navigator, "mediaDevices", "get").mockReturnValue(undefined as never);
  await mic().click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("endereços seguros (https)");
  insecure.mockReturnValue(true);
  await mic().click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("não grava no formato");
});

test("a lost microphone keeps what was recorded and says so", async () => {
  const { server } = await open();
  const asked = vi.spyOn(navigator.mediaDevices, "getUserMedia");
  await recordsASecond();
  const stream = (await asked.mock.results[0]?.value) as MediaStream;
  for (const track of stream.getTracks()) track.dispatchEvent(new Event("ended"));
  await shows("O microfone foi desconectado. O que foi gravado até aqui está guardado.");
  await sendButton().click();
  await expect.poll(() => written(server)).toHaveLength(1);
});

test("a recording that could not be sent stays and goes at the next press", async () => {
  const { server } = await open();
  const lost = server.drop("POST /api/attachments");
  await recordsASecond();
  await sendButton().click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("O servidor não respondeu.");
  lost.stop();
  await sendButton().click();
  await expect.poll(() => written(server)).toHaveLength(1);
});

const asksAtReload = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

test("leaving the conversation ends the recording and keeps it, and the browser asks before it is lost", async () => {
  const { server, ana } = await open();
  await recordsASecond();
  expect(asksAtReload()).toBe(true);
  await thread(/Bruno/).click();
  await shown("QUERO");
  await count(strip(), 0);
  await goTo("Contatos");
  expect(asksAtReload()).toBe(true);
  await goTo("Chat");
  await thread(/Ana Beatriz/).click();
  await expect.element(button("Ouvir gravação")).toBeVisible();
  await sendButton().click();
  await expect.poll(() => written(server)).toEqual([{ to: ana.id, text: "", attachmentId: NOTE.id }]);
  await expect.element(log()).toBeVisible();
  await expect.poll(asksAtReload).toBe(false);
});

test("a conversation left before the microphone was granted records nothing", async () => {
  await open();
  const granted = Promise.withResolvers<MediaStream>();
  vi.spyOn(navigator.mediaDevices, "getUserMedia").mockReturnValue(granted.promise);
  await mic().click();
  await shows("Permita o uso do microfone no navegador.");
  await thread(/Bruno/).click();
  await shown("QUERO");
  await expect.poll(asksAtReload).toBe(false);
  const stop = vi.fn();
  granted.resolve({ getTracks: () => [{ stop }] } as unknown as MediaStream);
  await expect.poll(() => stop.mock.calls.length).toBe(1);
});
