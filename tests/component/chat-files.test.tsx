import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ChatMessage, ReceivedFile } from "../../src/contract/chats.ts";
import type { AttachmentSummary } from "../../src/contract/files.ts";
import { RECEIVED_STATES } from "../../src/domain/received-file.ts";
import { renderApp } from "./support/render-app.tsx";
import { attachment, message } from "./support/rows.ts";
import { button, count, dialog, shows } from "./support/screen.ts";
import { log, openChat, someTalks } from "./support/talks.ts";

const received = (given: Partial<ReceivedFile> = {}): ReceivedFile => ({
  messageId: 1,
  state: "coming",
  kind: "image",
  name: "",
  bytes: null,
  seconds: null,
  pages: null,
  ...given,
});

const kept = (given: Partial<AttachmentSummary>): AttachmentSummary => ({ ...attachment(), ...given });

async function open(...said: Partial<ChatMessage>[]) {
  const talks = someTalks();
  const { server, ana } = talks;
  server.world.messages[ana.id] = said.map((one) => message({ text: "", ...one }));
  server.on("GET /api/attachments/{id}", () => new Response("bytes"));
  await renderApp(`/chat?conversa=${ana.id}`);
  await expect.element(log()).toBeVisible();
  return talks;
}

const bubbles = () => log().getByRole("article");

test("a file that is not here says what it is and why, and is asked for again only where that can help", async () => {
  const words = {
    coming: "O arquivo ainda está chegando.",
    here: "O arquivo se perdeu no servidor.",
    expired: "O arquivo não é mais guardado aqui.",
    failed: "Não foi possível buscar o arquivo no WhatsApp.",
    gone: "O WhatsApp não tem mais este arquivo.",
    too_large: "O arquivo é grande demais para ser guardado aqui. Abra no celular.",
    no_room: "O arquivo não foi guardado: a conta não tem mais espaço.",
    disk_full: "O arquivo não foi guardado: o servidor não tem mais espaço.",
  };
  await open(
    ...RECEIVED_STATES.map((state) => ({ kind: "image" as const, receivedFile: received({ state }) })),
  );
  await count(bubbles(), RECEIVED_STATES.length);
  for (const [at, state] of RECEIVED_STATES.entries()) {
    const bubble = bubbles().nth(at);
    await expect.element(bubble).toMatchTextContent("Imagem");
    await expect.element(bubble).toMatchTextContent(words[state]);
    const helps = ["here", "expired", "failed", "no_room", "disk_full"].includes(state);
    await count(button("Buscar de novo", bubble), helps ? 1 : 0);
  }
});

test("a voice note shows its length and a document its name, size and pages before they are here", async () => {
  await open(
    { kind: "audio", receivedFile: received({ kind: "voice", seconds: 65 }) },
    {
      kind: "document",
      text: "boleto.pdf",
      receivedFile: received({ kind: "document", name: "boleto.pdf", bytes: 2_048, pages: 3 }),
    },
  );
  await expect.element(bubbles().nth(0)).toMatchTextContent("Mensagem de voz");
  await expect.element(bubbles().nth(0)).toMatchTextContent("1:05");
  await expect.element(bubbles().nth(1)).toMatchTextContent("3 páginas · 2 kB");
  await count(bubbles().nth(1).getByText("boleto.pdf"), 1);
});

test("«Buscar de novo» asks for the file, and the bubble follows it to its end", async () => {
  const expired = {
    kind: "image" as const,
    text: "a vitrine",
    receivedFile: received({ state: "expired", messageId: 71 }),
  };
  const { server, ana } = await open(expired);
  const [said] = server.world.messages[ana.id] ?? [];
  if (!said) throw new Error("there is no message");
  const now = (state: ReceivedFile["state"], file: AttachmentSummary | null = null) => {
    const changed = { ...said, receivedFile: received({ state, messageId: 71 }), attachment: file };
    server.world.messages[ana.id] = [changed];
    return changed;
  };
  const refused = server.refuse("POST /api/chats/{id}/messages/{messageId}/file", "internal");
  const again = button("Buscar de novo", log());
  await again.click();
  await shows(/Algo deu errado do nosso lado/);
  refused.stop();
  server.on("POST /api/chats/{id}/messages/{messageId}/file", () => now("coming"));
  (again.element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(log()).toMatchTextContent("O arquivo ainda está chegando.");
  await expect.element(log()).toHaveFocus();
  expect(server.requests("POST /api/chats/{id}/messages/{messageId}/file").at(-1)?.params).toEqual({
    id: ana.id,
    messageId: 71,
  });
  now("gone");
  await server.publish("chats", ana.id);
  await expect.element(log()).toMatchTextContent("O WhatsApp não tem mais este arquivo.");
  await count(again, 0);
  now("here", kept({ kind: "image" }));
  await server.publish("chats", ana.id);
  await count(button("Ampliar imagem", log()), 1);
  await expect.element(log()).toMatchTextContent("a vitrine");
});

test("a file deleted while it is shown says so; one that only the network keeps away does not", async () => {
  const { server } = await open(
    { kind: "image", attachment: kept({ id: 901 }), receivedFile: received({ state: "here" }) },
    { kind: "image", attachment: kept({ id: 902 }), receivedFile: received({ state: "here" }) },
  );
  server.refuse("GET /api/attachments/{id}", "attachment_lost", ({ params }) => params.id === 901);
  server.drop("GET /api/attachments/{id}", ({ params }) => params.id === 902);
  for (const picture of log().getByRole("article").getByRole("button").elements())
    picture.querySelector("img")?.dispatchEvent(new Event("error"));
  await expect.element(bubbles().nth(0)).toMatchTextContent("O arquivo se perdeu no servidor.");
  await count(button("Ampliar imagem", log()), 1);
});

test("a sticker is small and stands on the canvas, and every bubble says something", async () => {
  await open(
    {
      kind: "sticker",
      attachment: kept({ kind: "sticker" }),
      receivedFile: received({ kind: "sticker", state: "here" }),
    },
    { kind: "sticker", receivedFile: received({ kind: "sticker", state: "failed" }) },
    {
      kind: "audio",
      attachment: kept({ kind: "voice", seconds: 12 }),
      receivedFile: received({ kind: "voice", state: "here" }),
    },
    {
      kind: "document",
      attachment: kept({ kind: "document", name: "a.pdf" }),
      receivedFile: received({ kind: "document", state: "here", pages: 1 }),
    },
  );
  const sticker = page.getByRole("img", { name: "Figurinha" });
  await expect.element(sticker).toBeVisible();
  expect(getComputedStyle(bubbles().nth(0).element()).backgroundColor).toBe("rgba(0, 0, 0, 0)");
  expect(sticker.element().getBoundingClientRect().width).toBeLessThanOrEqual(128);
  await expect.element(bubbles().nth(1)).toMatchTextContent("Figurinha");
  await expect.element(bubbles().nth(2)).toMatchTextContent("0:12");
  await expect.element(bubbles().nth(3)).toMatchTextContent("1 página");
});

const actsOf = (at: number) => button("Ações da mensagem", bubbles().nth(at));
const forwardEntry = page.getByRole("menuitem", { name: "Encaminhar" });

test("a file is forwarded with its caption; what cannot be sent from here is not offered", async () => {
  const { server, ana } = await open(
    { kind: "document", text: "a nota", attachment: kept({ kind: "document", name: "nota.pdf" }) },
    { kind: "sticker", text: "", attachment: kept({ kind: "sticker" }) },
    { kind: "location", text: "Praça", place: { latitude: 1, longitude: 2 } },
    { kind: "contact", text: "Rui", contacts: [{ name: "Rui", phones: [], others: [] }] },
  );
  for (const at of [1, 2, 3]) {
    await actsOf(at).click();
    await expect.element(page.getByRole("menuitem", { name: "Responder" })).toBeVisible();
    await expect.element(forwardEntry).not.toBeInTheDocument();
    await userEvent.keyboard("{Escape}");
  }
  await actsOf(0).click();
  await forwardEntry.click();
  await expect.element(dialog("Encaminhar").getByText("nota.pdf")).toBeVisible();
  await button("Ana Beatriz Rocha", dialog("Encaminhar")).click();
  await shows("Encaminhada para Ana Beatriz Rocha");
  const [asked] = server.requests("POST /api/chats/{id}/messages/{key}/forward");
  expect(asked?.body).toMatchObject({ chatId: ana.id });
});

test("a file that is not here is fetched first, and then forwarded; one that is lost by then is said", async () => {
  const absent = { kind: "image" as const, text: "", receivedFile: received({ state: "expired" }) };
  const { server, ana } = await open(absent);
  const [first] = server.world.messages[ana.id] ?? [];
  if (!first) throw new Error("there is no message");
  const now = (state: ReceivedFile["state"], file: AttachmentSummary | null) => {
    const changed = { ...first, receivedFile: received({ state }), attachment: file };
    server.world.messages[ana.id] = [changed];
    return changed;
  };
  server.on("POST /api/chats/{id}/messages/{messageId}/file", () => now("coming", null));
  await actsOf(0).click();
  await forwardEntry.click();
  const window = dialog("Encaminhar");
  await expect.element(window).toMatchTextContent("O arquivo não é mais guardado aqui.");
  await expect.element(button("Ana Beatriz Rocha", window)).not.toBeInTheDocument();
  await button("Buscar de novo", window).click();
  await expect.element(window).toMatchTextContent("O arquivo ainda está chegando.");
  now("here", kept({}));
  await server.publish("chats", ana.id);
  await expect.element(button("Ana Beatriz Rocha", window)).toBeVisible();
  const refused = server.refuse("POST /api/chats/{id}/messages/{key}/forward", "received_file_absent");
  await button("Ana Beatriz Rocha", window).click();
  await expect.element(window).toMatchTextContent("O arquivo desta mensagem não está aqui.");
  await expect.element(button("Buscar de novo", window)).toBeVisible();
  refused.stop();
  await button("Ana Beatriz Rocha", window).click();
  await shows("Encaminhada para Ana Beatriz Rocha");
});

test("the clip says what this installation takes before a file is chosen", async () => {
  someTalks();
  await openChat();
  await userEvent.hover(button("Anexar arquivo"));
  await expect
    .element(page.getByRole("tooltip"))
    .toMatchTextContent("Anexar arquivo. Foto, vídeo MP4 ou áudio, até 16 MB; documentos, até 100 MB.");
});
