import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { AttachmentSummary } from "../../src/contract/files.ts";
import { attachment, template } from "./support/rows.ts";
import { count, shows } from "./support/screen.ts";
import { field, openChat, sendButton, someTalks, thread, written } from "./support/talks.ts";

const list = page.getByRole("listbox", { name: "Modelos de mensagem" });
const options = list.getByRole("option");
const chosen = () => field().element().getAttribute("aria-activedescendant");

type Filled = { text: string; missing: string[]; attachment?: AttachmentSummary };

async function talkingWith(filled: Filled = { text: "Oi, Ana! Sua consulta é amanhã.", missing: [] }) {
  const talks = someTalks();
  talks.server.world.templates = [
    template({ name: "Lembrete", text: "Oi, {primeiro_nome}! Sua consulta é {dia}." }),
    template({ name: "Boleto", text: "Segue o código." }),
    template({ name: "Retorno", text: "Até a volta!" }),
  ];
  talks.server.on("POST /api/message-templates/{id}/fill", () => ({ attachment: null, ...filled }));
  await openChat();
  return talks;
}

test("a slash opens the library; keys choose, and the person's values are filled in before anything is sent", async () => {
  const { server, ana } = await talkingWith();
  await field().fill("/");
  await count(options, 3);
  await expect.element(options.first()).toHaveAttribute("aria-selected", "true");
  await userEvent.keyboard("{ArrowUp}");
  await expect.element(options.last()).toHaveAttribute("aria-selected", "true");
  expect(chosen()).toBe(options.last().element().id);
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(chosen()).toBe(options.nth(1).element().id);
  await userEvent.keyboard("lembr");
  await count(options, 1);
  await userEvent.keyboard("{Enter}");
  await expect.element(field()).toHaveValue("Oi, Ana! Sua consulta é amanhã.");
  await expect.element(list).not.toBeInTheDocument();
  await expect.element(field()).toHaveFocus();
  expect(server.requests("POST /api/message-templates/{id}/fill").map(({ body }) => body)).toEqual([
    { phone: ana.phone },
  ]);
  expect(written(server)).toEqual([]);
  await userEvent.keyboard("{Enter}");
  await expect
    .poll(() => written(server).map(({ text }) => text))
    .toEqual(["Oi, Ana! Sua consulta é amanhã."]);
});

test("a template's file comes with its text, and both are sent", async () => {
  const file = attachment({ id: 31, kind: "document", name: "Preços.pdf" });
  const { server, ana } = await talkingWith({ text: "", missing: [], attachment: file });
  for (const each of server.world.templates) each.attachment = file;
  await field().fill("/bol");
  await expect.element(options.first()).toMatchTextContent(/Boleto.*Preços\.pdf/);
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("Preços.pdf")).toBeVisible();
  await expect.element(field()).toHaveValue("");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => written(server)).toEqual([{ to: ana.id, text: "", attachmentId: 31 }]);
});

test("a value that is missing stays visible, is said, and is not sent before it is replaced", async () => {
  const { server } = await talkingWith({ text: "Oi! Sua consulta é {Dia}.", missing: ["dia"] });
  await field().fill("/lem");
  await options.first().click();
  await expect.element(field()).toHaveValue("Oi! Sua consulta é {Dia}.");
  const why = "Falta o valor de {dia} desta pessoa. Troque ou apague antes de enviar.";
  await shows(why);
  await expect.element(field()).toHaveAccessibleDescription(why);
  await sendButton().click();
  await expect.element(page.getByRole("alert")).toMatchTextContent(why);
  expect(written(server)).toEqual([]);
  await thread(/Bruno/).click();
  await thread(/Ana Beatriz/).click();
  await shows(why);
  await field().fill("Oi! Sua consulta é amanhã.");
  await sendButton().click();
  await expect.poll(() => written(server).map(({ text }) => text)).toEqual(["Oi! Sua consulta é amanhã."]);
});

test("Escape, and a search without a result, make it a text like any other", async () => {
  const { server } = await talkingWith();
  await field().fill("/bol");
  await count(options, 1);
  await userEvent.keyboard("{Escape}");
  await expect.element(list).not.toBeInTheDocument();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => written(server).map(({ text }) => text)).toEqual(["/bol"]);
  await field().fill("/xyz");
  await shows("Nenhum modelo encontrado. Enter envia o que está escrito.");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => written(server).map(({ text }) => text)).toEqual(["/bol", "/xyz"]);
  for (const text of ["e/ou", "/a\nb"]) {
    await field().fill(text);
    await expect.element(list).not.toBeInTheDocument();
  }
});

test("while the library is searched Enter sends nothing", async () => {
  const { server } = await talkingWith();
  const asked = server.hold("GET /api/message-templates");
  await field().fill("/lem");
  await expect.element(list).toHaveAttribute("aria-busy", "true");
  await userEvent.keyboard("{Enter}");
  await expect.element(field()).toHaveValue("/lem");
  asked.release();
  await count(options, 1);
  expect(written(server)).toEqual([]);
});

test("a template that cannot be filled is said, and the search stays", async () => {
  const { server } = await talkingWith();
  server.on("POST /api/message-templates/{id}/fill", () => {
    throw new TypeError("Failed to fetch");
  });
  await field().fill("/lem");
  await options.first().click();
  await expect.element(page.getByRole("alert")).toBeVisible();
  await expect.element(field()).toHaveValue("/lem");
  expect(written(server)).toEqual([]);
});
