import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { PORTUGUESE } from "../../src/contract/error-messages.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, message, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, pressAfter, pressKey, shows } from "./support/screen.ts";
import {
  answerTalks,
  attach,
  betweenWritten,
  field,
  goTo,
  log,
  onTheirWay,
  openChat,
  peer,
  said,
  sendButton,
  sends,
  shown,
  someTalks,
  talk,
  thread,
  threads,
  written,
} from "./support/talks.ts";
import { world } from "./support/world.ts";

test("the first connection and the first contact choose themselves, and another choice clears both @spec 0.1,1.5,2.12,2.71,2.72,4.11,7.11", async () => {
  const { server, matriz, away, ana, bruno, rita } = someTalks();
  rita.unread = 2;
  server.world.connections = [];
  await renderApp("/contacts");
  await goTo("Chat");
  await shows("Nenhuma conexão encontrada");
  server.world.connections = [matriz, away];
  await server.publish("connections");
  await expect.poll(() => location.search).toBe(`?conexao=${matriz.id}&conversa=${ana.id}`);
  const picker = page.getByLabelText("Conexão");
  const options = () =>
    [...(picker.element() as HTMLSelectElement).options].map(({ textContent }) => textContent);
  await expect
    .poll(options)
    .toEqual(["Matriz – Centro (1) · Conectado", "Unidade Savassi (2) · Desconectado"]);
  await expect.element(peer("Ana Beatriz Rocha")).toBeVisible();
  await shown("Passo aí às 17h");
  await expect.poll(() => ana.unread).toBe(0);
  await expect.element(thread(/Ana Beatriz/)).not.toMatchTextContent("não lida");
  await expect.element(thread(/Bruno/)).toMatchTextContent("1 mensagem não lida");
  await expect.poll(() => document.title).toBe("(1) Chat · Recado");

  await thread(/Bruno/).click();
  await shown("QUERO");
  await expect.element(log()).not.toMatchTextContent("Passo aí às 17h");
  await expect.element(field()).toHaveFocus();
  await expect.poll(() => bruno.unread).toBe(0);

  await picker.selectOptions(String(away.id));
  await expect.element(thread(/Bruno/)).not.toBeInTheDocument();
  await expect.poll(() => location.search).toMatch(`conexao=${away.id}&`);
  await expect.element(peer("Rita Moura")).toBeVisible();
  await shown("Nenhuma mensagem");
  await shows("Unidade Savassi: Desconectado.");
  await shows("Pendente e sai sozinho quando a conexão puder enviar");
});

test("a link to a conversation opens it, also without its connection; one that is none is said to be so", async () => {
  const { matriz, away, rita, group } = someTalks();
  await renderApp(`/chat?conversa=${rita.id}`);
  await expect.element(peer("Rita Moura")).toBeVisible();
  await expect.poll(() => location.search).toMatch(`conexao=${away.id}`);
  await renderApp(`/chat?conexao=${away.id}&conversa=${group.id}`);
  await expect.element(peer("120363042198765432@g.us")).toBeVisible();
  await expect.poll(() => location.search).toMatch(`conexao=${matriz.id}`);
  await expect.element(thread(/120363042198765432@g\.us/)).toHaveAttribute("aria-current", "page");
  await shown("Lucas");
  await renderApp(`/chat?conexao=${matriz.id}&conversa=987654321`);
  await shows("Conversa não encontrada");
  await expect.element(thread(/Bruno/)).toBeVisible();
  await renderApp("/chat?conexao=abc&conversa=-1");
  await expect.element(peer("Ana Beatriz Rocha")).toBeVisible();
});

test("the list of contacts is read on as one scrolls, by mouse and by keyboard, and searched", async () => {
  const matriz = connection();
  const server = fakeServer(world({ connections: [matriz] }));
  for (let at = 1; at <= 130; at++)
    talk(server, { connectionId: matriz.id, name: `Pessoa ${at}`, texts: [], ended: at });
  answerTalks(server);
  await renderApp("/chat");
  await expect.element(thread(/Pessoa 1 /)).toHaveAttribute("aria-current", "page");
  expect(threads().getByRole("link").elements().length).toBeLessThan(40);
  await expect
    .poll(() => {
      threads().element().scrollTop = threads().element().scrollHeight;
      return thread(/Pessoa 130/).query();
    })
    .not.toBeNull();

  (await thread(/Pessoa 130/).findElement()).focus();
  await userEvent.keyboard("{Home}");
  await expect.element(thread(/Pessoa 1 /)).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  await expect.element(thread(/Pessoa 3 /)).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("heading", { level: 2, name: "Pessoa 3", exact: true })).toBeVisible();
  await expect.element(field()).toHaveFocus();

  const search = page.getByRole("searchbox", { name: "Buscar conversa" });
  await search.fill("Pessoa 117");
  await count(threads().getByRole("link"), 1);
  await search.fill("ninguém assim");
  await shows("Nada encontrado para «ninguém assim»");
  const late = server.hold("GET /api/chats", ({ query }) => query.search === "Pessoa 118");
  await search.fill("Pessoa 118");
  await late.asked;
  await expect.element(page.getByText("Nada encontrado")).not.toBeInTheDocument();
  late.release();
  await expect.element(thread(/Pessoa 118/)).toBeVisible();
  await search.fill("ninguém assim");
  await button("Limpar busca").first().click();
  await expect.element(thread(/Pessoa 1 /)).toBeVisible();
});

test("Enter sends, Shift+Enter begins a line, blanks are refused in place, and drafts wait for their chat @spec 2.71,5.11,7.32", async () => {
  const { server, ana, group } = someTalks();
  await openChat();
  await sends("  \n ");
  const alert = page.getByRole("alert");
  await expect.element(alert).toHaveTextContent("Escreva a mensagem.");
  await expect.element(field()).toHaveAttribute("aria-invalid", "true");
  await field().fill("Bom dia!");
  await expect.element(alert).not.toBeInTheDocument();
  await userEvent.keyboard("{Shift>}{Enter}{/Shift}");
  await userEvent.keyboard("Já separei.");
  await userEvent.keyboard("{Enter}");
  const mine = log().getByRole("article").last();
  await expect.element(mine).toMatchTextContent(/Bom dia!\s*Já separei\..*Pendente/s);
  await expect.element(field()).toHaveValue("");
  await expect
    .poll(() => written(server))
    .toEqual([{ to: ana.id, text: "Bom dia!\nJá separei.", attachmentId: null }]);
  await expect.element(thread(/Ana Beatriz/)).toMatchTextContent("Você: Bom dia! Já separei.");

  await field().fill("um rascunho");
  await thread(/@g\.us/).click();
  await expect.element(field()).toHaveValue("");
  await sends("ao grupo");
  await expect
    .poll(() => written(server).at(-1))
    .toEqual({ to: group.id, text: "ao grupo", attachmentId: null });
  await goTo("Contatos");
  await goTo("Chat");
  await thread(/Ana Beatriz/).click();
  await expect.element(field()).toHaveValue("um rascunho");
  await expect.poll(() => ana.unread).toBe(0);
});

test("a double press sends once, and finds no error with the field that it emptied", async () => {
  const { server } = someTalks();
  await openChat();
  await field().fill("Já separei.");
  await sendButton().dblClick();
  await expect.element(log().getByRole("article").last()).toMatchTextContent("Já separei.");
  await expect.poll(onTheirWay).toEqual([]);
  await count(log().getByText("Já separei."), 1);
  expect(written(server).map(({ text }) => text)).toEqual(["Já separei."]);
  await expect.element(field()).toHaveValue("");
  await expect.element(field()).not.toHaveAttribute("aria-invalid");
});

test("a picture is attached, shown before it goes, removed, sent and enlarged", async () => {
  const { server, ana } = someTalks();
  await openChat();
  await attach();
  await shows("640 × 480");
  await pressKey(button("Remover arquivo"), "Enter");
  await expect.element(page.getByText("armação.png")).not.toBeInTheDocument();
  await expect.element(field()).toHaveFocus();
  await attach();
  await shows("640 × 480");
  const late = server.hold("POST /api/chats/{id}/messages");
  await sendButton().click();
  await expect.poll(() => onTheirWay().length).toBe(1);
  const picture = button("Ampliar imagem", log());
  await picture.click();
  const whole = dialog("Imagem");
  await expect.element(whole).toBeVisible();
  late.release();
  await expect.poll(() => written(server)).toEqual([{ to: ana.id, text: "", attachmentId: 7 }]);
  await expect.poll(() => document.querySelector("article[aria-busy=true]")).toBeNull();
  await expect.element(whole).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(log()).toHaveFocus();
  await count(picture, 1);
  await expect.element(page.getByText("armação.png")).not.toBeInTheDocument();
  await picture.click();
  await expect.element(whole.getByRole("img")).toHaveAttribute("src", "/api/attachments/7");
  await userEvent.keyboard("{Escape}");
  await expect.element(picture).toHaveFocus();
  server.on("POST /api/attachments", () => {
    throw refuse("attachment_program");
  });
  await attach(new File(["MZ"], "jogo.exe"));
  await expect.element(page.getByRole("alert")).toMatchTextContent("Programas não são enviados");
});

test("copied words are pasted as words, whatever picture of them comes along; of pictures alone the first is attached, and said so", async () => {
  someTalks();
  await openChat();
  const paste = (words: string, pictures = 1) => {
    const clipboardData = new DataTransfer();
    for (let nth = 0; nth < pictures; nth++)
      clipboardData.items.add(new File(["x"], `image${nth}.png`, { type: "image/png" }));
    if (words) clipboardData.setData("text/plain", words);
    const how = { clipboardData, bubbles: true, cancelable: true };
    return field().element().dispatchEvent(new ClipboardEvent("paste", how));
  };
  expect(paste("Armação\tR$ 190")).toBe(true);
  expect(paste("")).toBe(false);
  await shows("640 × 480");
  await expect.element(page.getByText("só o primeiro foi anexado")).not.toBeInTheDocument();
  expect(paste("", 2)).toBe(false);
  await shows("Uma mensagem leva um arquivo: só o primeiro foi anexado.");
});

test("what the server did not take stays, and is sent once however often one tries", async () => {
  const { server, ana } = someTalks();
  await openChat();
  const lost = betweenWritten(async (store) => {
    await store();
    throw new TypeError("Failed to fetch");
  });
  await sends("chegou?");
  const error = log().getByRole("alert");
  await expect.element(error).toMatchTextContent("Tentar novamente não repete a mensagem.");
  await pressAfter(button("Tentar novamente", error), lost.stop);
  await expect.element(error).not.toBeInTheDocument();
  await count(log().getByText("chegou?"), 1);
  await expect.poll(onTheirWay).toEqual([]);
  const keys = server.requests("POST /api/chats/{id}/messages").map(({ body }) => body.idempotencyKey);
  expect(keys).toEqual([expect.any(String), keys[0]]);
  expect(server.world.messages[ana.id]?.filter(({ fromMe }) => fromMe)).toHaveLength(1);

  server.drop("POST /api/chats/{id}/messages");
  await sends("desisto");
  await pressKey(button("Descartar", error), "Enter");
  await expect.element(log().getByText("desisto")).not.toBeInTheDocument();
  await expect.element(log()).toHaveFocus();
});

const failure = (code: string) => ({ code, text: PORTUGUESE.failureText(code) });

test("states are said in words, with their causes and ways out @decision 15", async () => {
  const { server, ana } = someTalks();
  const mine = { fromMe: true, at: minutesAgo(1) } as const;
  const { messages } = server.world;
  messages[ana.id]?.push(
    message({ ...mine, text: "lida", status: "read" }),
    message({ ...mine, text: "entregue", status: "delivered", source: "agent" }),
    message({ ...mine, text: "enviada", status: "sent", source: "api" }),
    message({ ...mine, text: "falhou", status: "error", error: failure("not_on_whatsapp"), outboxId: 1 }),
    message({ ...mine, text: "duvidosa", status: "uncertain", error: failure("no_ack"), outboxId: 2 }),
    message({ ...mine, text: "do celular", status: "sent", source: "phone" }),
    message({ text: "ouça", kind: "audio" }),
  );
  await openChat();
  await expect.element(said("lida")).toMatchTextContent("Lido");
  await expect.element(said("entregue")).toMatchTextContent(/Assistente.*Entregue/s);
  await expect.element(said("enviada")).toMatchTextContent(/API.*Enviado/s);
  await expect.element(said("do celular")).toMatchTextContent(/Celular.*Enviado/s);
  await expect.element(said("ouça")).toMatchTextContent("Áudio");
  await expect.element(said("falhou")).toMatchTextContent(/Erro.*este número não tem WhatsApp/s);
  await button("Tentar novamente", said("falhou")).click();
  await expect.element(said("falhou").first()).toMatchTextContent("Enviada de novo, abaixo.");
  await expect.element(said("falhou").last()).toMatchTextContent("Pendente");
  await expect.element(said("duvidosa")).toMatchTextContent("A verificar");
  await button("Reenviar mesmo assim", said("duvidosa")).click();
  const question = page.getByRole("alertdialog", { name: "Reenviar mesmo assim?" });
  await expect.element(question).toMatchTextContent("Ana Beatriz Rocha recebe a mesma mensagem duas vezes");
  await expect.element(button("Cancelar", question)).toHaveFocus();
  const retries = server.requests("POST /api/chats/{id}/messages/{outboxId}/retry");
  expect(retries.map(({ params, body }) => [params.outboxId, body.evenSo])).toEqual([[1, false]]);
  messages[ana.id]?.push(...Array.from({ length: 45 }, (_, at) => message({ text: `dita ${at + 1}` })));
  await server.publish("chats", ana.id);
  await expect.element(page.getByText("dita 45", { exact: true })).toBeInTheDocument();
  await button("Reenviar mesmo assim", question).click();
  await expect.element(said("duvidosa").last()).toMatchTextContent("Pendente");
  const last = server.requests("POST /api/chats/{id}/messages/{outboxId}/retry").at(-1);
  expect([last?.params.outboxId, last?.body.evenSo]).toEqual([2, true]);
});
