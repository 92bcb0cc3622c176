import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { FakeServer } from "./support/fake-server.ts";
import { button, count, press, shows } from "./support/screen.ts";
import {
  attach,
  betweenWritten,
  field,
  goTo,
  lateScreen,
  log,
  onTheirWay,
  openChat,
  PICTURE,
  said,
  sendButton,
  sends,
  shown,
  someTalks,
  thread,
  written,
} from "./support/talks.ts";

function slowUpload(server: FakeServer) {
  const { promise, resolve } = Promise.withResolvers<"through" | "lost">();
  server.on("POST /api/attachments", async () => {
    if ((await promise) === "lost") throw new TypeError("Failed to fetch");
    return PICTURE;
  });
  return resolve;
}

async function attachSlowly() {
  await attach();
  await shows("Enviando arquivo...");
}

test.for(["another conversation", "another screen"])(
  "a message that waits for its picture goes once, also from %s",
  async (place) => {
    const { server, ana } = someTalks();
    await openChat();
    const end = slowUpload(server);
    await attachSlowly();
    await field().fill("Esta armação?");
    await sendButton().click();
    await thread(/Bruno/).click();
    await shown("QUERO");
    await field().fill("um rascunho");
    await thread(/Ana Beatriz/).click();
    await shows("Enviando arquivo...");
    await expect.element(sendButton()).toHaveAttribute("aria-busy", "true");
    await thread(/Bruno/).click();
    if (place === "another screen") await goTo("Contatos");
    end("through");
    await expect
      .poll(() => written(server))
      .toEqual([{ to: ana.id, text: "Esta armação?", attachmentId: PICTURE.id }]);
    if (place === "another screen") await goTo("Chat");
    await thread(/Bruno/).click();
    await expect.element(field()).toHaveValue("um rascunho");
    await expect.element(log()).not.toMatchTextContent("Esta armação?");
    await thread(/Ana Beatriz/).click();
    await expect.element(field()).toHaveValue("");
    await expect.element(page.getByText("armação.png")).not.toBeInTheDocument();
    await count(log().getByText("Esta armação?"), 1);
    expect(written(server)).toHaveLength(1);
  },
);

test("a picture that gets lost while one looks at another conversation is said where it was attached, and the text stays", async () => {
  const { server } = someTalks();
  await openChat();
  const end = slowUpload(server);
  await attachSlowly();
  await field().fill("Esta armação?");
  await sendButton().click();
  await thread(/Bruno/).click();
  await shown("QUERO");
  end("lost");
  await thread(/Ana Beatriz/).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("O servidor não respondeu.");
  await expect.element(field()).toHaveValue("Esta armação?");
  await expect.element(field()).toHaveAttribute("aria-invalid", "true");
  await expect.element(sendButton()).not.toHaveAttribute("aria-busy");
  expect(written(server)).toEqual([]);
});

test("letters typed quickly in the middle of a draft stay where they were typed", async () => {
  someTalks();
  await openChat();
  await field().fill("a armação chegou.");
  await userEvent.keyboard("{Home}");
  await userEvent.keyboard("Oi! Veja só: ");
  await expect.element(field()).toHaveValue("Oi! Veja só: a armação chegou.");
});

const asksAtReload = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

test("the browser asks before a page goes that holds what was written and not sent, on every screen", async () => {
  const { server } = someTalks();
  await openChat();
  expect(asksAtReload()).toBe(false);
  await field().fill("um rascunho");
  await goTo("Contatos");
  await expect.element(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  expect(asksAtReload()).toBe(true);
  await goTo("Chat");
  await thread(/Ana Beatriz/).click();
  await expect.element(field()).toHaveValue("um rascunho");

  const lost = server.drop("POST /api/chats/{id}/messages");
  await sendButton().click();
  const failed = log().getByRole("alert");
  await expect.element(failed).toBeVisible();
  expect(asksAtReload()).toBe(true);
  lost.stop();
  await button("Tentar novamente", failed).click();
  await expect.element(failed).not.toBeInTheDocument();
  await expect.poll(onTheirWay).toEqual([]);
  expect(said("um rascunho").elements()).toHaveLength(1);
  expect(asksAtReload()).toBe(false);
});

const question = () => page.getByRole("alertdialog", { name: "Sair sem enviar?" });
const stay = () => button("Continuar aqui", question());
const leave = () => button("Sair");

async function leftADraft() {
  const { server } = someTalks();
  server.on("POST /api/logout", () => {
    server.world.me = null;
  });
  const app = await openChat();
  await field().fill("um rascunho");
  return { server, app };
}

async function command(words: string) {
  await userEvent.keyboard("{Control>}k{/Control}");
  const commands = page.getByRole("dialog").getByRole("combobox");
  await commands.fill(words);
  await userEvent.keyboard("{Enter}");
}

const signedOut = () => expect.poll(() => location.pathname + location.search).toBe("/login");

test("signing out asks before it discards unsent text", async () => {
  const { server } = await leftADraft();
  await goTo("Contatos");
  await leave().click();
  await expect.element(stay()).toHaveFocus();
  await stay().click();
  await expect.element(question()).not.toBeInTheDocument();
  await expect.element(leave()).toHaveFocus();
  await command("sair da conta");
  await expect.element(stay()).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(question()).not.toBeInTheDocument();
  await expect.element(leave()).toHaveFocus();
  await page.viewport(390, 844);
  await button(/^Abrir menu/).click();
  await leave().click();
  await expect.element(question()).toBeVisible();
  const overlay = document.querySelector("[data-ui~=drawer] ~ [data-ui~=overlay]");
  expect(overlay && getComputedStyle(overlay).zIndex).toBe("21");
  history.back();
  await expect.element(question()).not.toBeInTheDocument();
  await expect.element(leave()).toHaveFocus();
  await leave().click();
  const lost = server.drop("POST /api/logout");
  await button("Sair sem enviar", question()).click();
  await expect.element(question().getByRole("alert")).toMatchTextContent("Não foi possível sair.");
  lost.stop();
  await button("Sair sem enviar", question()).click();
  await signedOut();
});

test("visiting another screen without a chat keeps the text; signing out and in discards it", async () => {
  const { server } = await leftADraft();
  const { me } = server.world;
  await command("termos");
  await expect.element(page.getByRole("heading", { level: 1, name: "Termos de uso" })).toBeVisible();
  history.back();
  await expect.element(field()).toHaveValue("um rascunho");
  await leave().click();
  await press("Sair sem enviar");
  await signedOut();
  if (!me) throw new Error("the world begins signed in");
  server.on("POST /api/login", () => {
    server.world.me = me;
    return me;
  });
  await page.getByLabelText("E-mail").fill("dona@otica.com.br");
  await page.getByLabelText("Senha", { exact: true }).fill("uma senha comprida");
  await press("Entrar");
  await goTo("Chat");
  await shown("Passo aí às 17h");
  await expect.element(field()).toHaveValue("");
});

test("a screen that arrives late does not take the keyboard from the question", async () => {
  const { app } = await leftADraft();
  const screen = lateScreen(app, "/contacts");
  await goTo("Contatos");
  await screen.asked;
  await leave().click();
  await expect.element(stay()).toHaveFocus();
  screen.arrive();
  await expect.poll(() => document.querySelector("h1")?.textContent).toBe("Contatos");
  await expect.element(stay()).toHaveFocus();
});

test("signing out with nothing unsent does not ask", async () => {
  await leftADraft();
  await field().fill("");
  await leave().click();
  await signedOut();
});

test("two quick messages are stored in order; one that may have arrived is safe to repeat", async () => {
  const { server, ana } = someTalks();
  await openChat();
  const late = server.hold("POST /api/chats/{id}/messages", ({ body }) => body.text === "primeira");
  for (const text of ["primeira", "segunda"]) {
    await sends(text);
    await expect.poll(onTheirWay).toContainEqual(expect.stringContaining(text));
  }
  late.release();
  await expect.poll(onTheirWay).toEqual([]);
  await expect.element(log().getByRole("alert")).not.toBeInTheDocument();
  const stored = server.world.messages[ana.id]?.filter(({ fromMe }) => fromMe);
  expect(stored?.map(({ text }) => text)).toEqual(["primeira", "segunda"]);

  const headers = { "content-type": "text/html" };
  betweenWritten(async () => new Response("Bad Gateway", { status: 502, headers }));
  await sends("terceira");
  await expect
    .element(log().getByRole("alert"))
    .toMatchTextContent("Tentar novamente não repete a mensagem.");
});
