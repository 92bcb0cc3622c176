import { expect } from "vitest";
import { page } from "vitest/browser";
import type { Chat } from "../../../src/contract/chats.ts";
import type { FakeServer } from "../support/fake-server.ts";
import { agentAnswer, attachment, chat, connection, message, minutesAgo, template } from "../support/rows.ts";
import { press, shows } from "../support/screen.ts";
import { mayLeave, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { workingWorld } from "../support/working-world.ts";
import { type World, world } from "../support/world.ts";

function answeredWorld(state: Chat["assistant"]["state"]): World {
  const line = connection({ name: "Matriz" });
  const pausedUntil = state === "paused" ? minutesAgo(-60) : null;
  const assistant = { state, name: "Atendente da Ótica", pausedUntil };
  const talk = chat({ connectionId: line.id, assistant });
  const reason = { code: "mistral_down", text: "O Mistral não respondeu." };
  const answers = [
    agentAnswer({ chatId: talk.id, state: "skipped", text: null, reason }),
    agentAnswer({ chatId: talk.id, state: "failed", text: null, reason }),
    agentAnswer({ chatId: talk.id }),
  ];
  return world({
    connections: [line],
    chats: [talk],
    messages: { [talk.id]: [message({ text: "Que horas abre?" })] },
    answers: { [line.id]: answers },
  });
}

function withPicture({ world: { chats, messages } }: FakeServer) {
  const [first] = chats;
  if (first)
    messages[first.id]?.push(message({ kind: "image", attachment: attachment(), text: "Tem este?" }));
}

function withFacts({ world: { chats, messages } }: FakeServer) {
  const [first] = chats;
  const said = messages[first?.id ?? 0];
  if (!said) return;
  const quoted = { key: said[0]?.key ?? null, fromMe: false, who: null, kind: "text", text: "Oi!" } as const;
  said.push(
    message({ text: "Vale sim", fromMe: true, edited: true, quoted: { ...quoted, attachment: null } }),
    message({
      text: "errada",
      deletedBy: "writer",
      reactions: [{ emoji: "👍", fromMe: true, who: null, act: null }],
    }),
    message({
      kind: "contact",
      text: "Dr. Otávio",
      contacts: [{ name: "Dr. Otávio", phones: ["5531988560099"], others: ["3322-1100"] }],
    }),
    message({
      kind: "location",
      text: "Praça\nhttps://maps.google.com/?q=1.5,2",
      place: { latitude: 1.5, longitude: 2 },
    }),
  );
}

const acting =
  (entry: string, text = "Vale sim") =>
  async () => {
    const bubble = page.getByRole("article").filter({ hasText: text });
    await bubble.getByRole("button", { name: "Ações da mensagem" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };

function withExpiredFile({ world: { chats, messages } }: FakeServer) {
  const file = { messageId: 1, name: "boleto.pdf", bytes: 204_800, seconds: null, pages: 3 };
  const receivedFile = { ...file, state: "expired", kind: "document" } as const;
  const [first] = chats;
  if (first) messages[first.id]?.push(message({ kind: "document", text: "O boleto", receivedFile }));
}

async function recording() {
  await press("Gravar mensagem de voz");
  await expect.element(page.getByRole("timer")).toMatchTextContent(/^(?!0:00)\d/);
}

const ROWS: Row[] = [
  ["chat", "/chat", "Oi! Vale para óculos de sol?"],
  [
    "chat-templates",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("textbox", { name: "Mensagem", exact: true }).fill("/");
      await expect.element(page.getByRole("listbox").getByRole("option").first()).toBeVisible();
    },
    {
      prepare: ({ world: state }) => {
        state.templates = [
          template(),
          template({
            name: "Boleto",
            text: "Segue o *código* de barras.",
            attachment: attachment({ kind: "document", name: "boleto.pdf" }),
          }),
        ];
      },
    },
  ],
  [
    "chat-leaving",
    "/chat",
    "Oi! Vale para óculos de sol?",
    () => expect.element(page.getByRole("region", { name: "Quer sair?" })).toBeVisible(),
    { prepare: mayLeave },
  ],
  [
    "chat-expired-file",
    "/chat",
    "Oi! Vale para óculos de sol?",
    () => expect.element(page.getByRole("button", { name: "Buscar de novo" })).toBeVisible(),
    { prepare: withExpiredFile },
  ],
  [
    "chat-group",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("link", { name: /@g\.us/ }).click();
      await expect.element(page.getByRole("log")).toMatchTextContent("Lucas");
    },
  ],
  [
    "chat-left",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("link", { name: /^Bruno/ }).click();
      await shows("Não quer receber campanhas");
    },
  ],
  [
    "chat-error",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await press("Enviar");
      await shows("Escreva a mensagem.");
    },
  ],
  [
    "chat-nothing",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("searchbox").fill("ninguém assim");
      await shows(/Nada encontrado/);
    },
  ],
  [
    "chat-away",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByLabelText("Conexão").selectOptions("Unidade Savassi · Desconectado");
      await shows("Unidade Savassi: Desconectado.");
    },
  ],
  [
    "chat-picture",
    "/chat",
    "Oi! Vale para óculos de sol?",
    pressing("Ampliar imagem"),
    { prepare: withPicture },
  ],
  [
    "chat-delete",
    "/chat",
    "Oi! Vale para óculos de sol?",
    acting("Apagar para todos"),
    { prepare: withFacts },
  ],
  ["chat-forward", "/chat", "Oi! Vale para óculos de sol?", acting("Encaminhar"), { prepare: withFacts }],
  [
    "chat-forward-absent",
    "/chat",
    "Oi! Vale para óculos de sol?",
    acting("Encaminhar", "O boleto"),
    { prepare: withExpiredFile },
  ],
  [
    "chat-save-card",
    "/chat",
    "Oi! Vale para óculos de sol?",
    pressing("Salvar Dr. Otávio, +55 31 98856-0099"),
    { prepare: withFacts },
  ],
  [
    "chat-later",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await page.getByRole("textbox", { name: "Mensagem", exact: true }).fill("Abrimos às 9h");
      await pressing("Enviar depois")();
    },
  ],
  ["chat-recording", "/chat", "Oi! Vale para óculos de sol?", recording],
  [
    "chat-recorded",
    "/chat",
    "Oi! Vale para óculos de sol?",
    async () => {
      await recording();
      await press("Parar e ouvir");
      await expect.element(page.getByRole("button", { name: "Ouvir gravação" })).toBeVisible();
    },
  ],
  ["chat-resend", "/chat", "Oi! Vale para óculos de sol?", pressing("Reenviar mesmo assim")],
  ["new-chat", "/chat", "Oi! Vale para óculos de sol?", pressing("Nova conversa")],
];

const ANSWERED: Screen[] = [
  ...(["on", "off", "paused"] as const).map((state) =>
    screenOf(() => answeredWorld(state))([`chat-assistant-${state}`, "/chat", "Respostas do assistente"]),
  ),
  screenOf(() => answeredWorld("on"))([
    "chat-answers",
    "/chat",
    "Respostas do assistente",
    pressing("Respostas do assistente"),
  ]),
];

export const SCREENS: Screen[] = [...ROWS.map(screenOf(workingWorld)), ...ANSWERED];
