import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { renderApp } from "./support/render-app.tsx";
import { knownPerson, message, minutesAgo } from "./support/rows.ts";
import { button, count, dialog, shows } from "./support/screen.ts";
import { field, log, openChat, peer, said, sendButton, someTalks, thread } from "./support/talks.ts";

const reactions = (text: string) => said(text).getByRole("list", { name: "Reações" });

test("a reaction stands on its message, with who of a group", async () => {
  const { server, ana, group } = someTalks();
  const [first] = server.world.messages[ana.id] ?? [];
  const [photo] = server.world.messages[group.id] ?? [];
  if (!first || !photo) throw new Error("no messages");
  first.reactions = [{ emoji: "👍", fromMe: false, who: null, act: null }];
  photo.reactions = [
    { emoji: "😂", fromMe: false, who: "Bia", act: null },
    { emoji: "❤️", fromMe: true, who: null, act: null },
    { emoji: "😂", fromMe: false, who: "5511911111111", act: null },
  ];
  await renderApp("/chat");
  await expect.element(peer("Ana Beatriz Rocha")).toBeVisible();
  await expect.element(reactions("Oi! Vale para óculos de sol?")).toMatchTextContent("👍 Ana Beatriz Rocha");
  await expect.element(reactions("Passo aí às 17h")).not.toBeInTheDocument();
  await thread(/@g\.us/).click();
  await expect.element(reactions("a vitrine ficou ótima")).toMatchTextContent("❤️ Você");
  await log().getByRole("button", { name: "😂 Bia e +55 11 91111-1111" }).click();
  await shows("Bia e +55 11 91111-1111");
});

test("an answer shows what it quotes; pressed, the quoted message comes into view, one that is not here stays words", async () => {
  const { server, ana } = someTalks();
  const all = server.world.messages[ana.id] ?? [];
  const first = message({ text: "a primeira de todas", fromMe: true, at: minutesAgo(600) });
  const quoted = { fromMe: true, who: null, kind: "text" as const, text: first.text, attachment: null };
  const between = Array.from({ length: 60 }, (_, at) =>
    message({ text: `linha ${at}`, at: minutesAgo(500 - at) }),
  );
  all.unshift(first, ...between);
  all.push(
    message({ text: "essa mesma", at: minutesAgo(1), quoted: { ...quoted, key: first.key } }),
    message({
      text: "e a foto?",
      at: minutesAgo(1),
      quoted: { ...quoted, key: null, kind: "image", text: "" },
    }),
  );
  await openChat("/chat", "essa mesma");
  await expect.element(said("e a foto?")).toMatchTextContent(/Você.*Imagem/);
  await expect.element(said("e a foto?").getByRole("button", { name: "citada" })).not.toBeInTheDocument();
  await log().getByRole("button", { name: "Ver a mensagem citada: Você a primeira de todas" }).click();
  const bubble = () => document.querySelector(`[data-key="${first.key}"]`)?.getBoundingClientRect();
  await expect.poll(() => bubble()?.top ?? -1).toBeGreaterThan(0);
  expect(document.querySelector(`[data-key="${first.key}"]`)?.className).toMatch(/found/);
});

test("an edited message says so, a deleted one stays to be read under who deleted it", async () => {
  const { server, ana, group } = someTalks();
  const add = (id: number, ...given: Parameters<typeof message>) =>
    server.world.messages[id]?.push(message(...given));
  add(ana.id, { text: "R$ 100", edited: true });
  add(ana.id, { text: "preço errado", deletedBy: "writer" });
  add(ana.id, { text: "nossa", fromMe: true, deletedBy: "writer" });
  add(group.id, { text: "propaganda", participant: "Lucas", deletedBy: "admin" });
  await openChat("/chat", "preço errado");
  await expect.element(said("R$ 100")).toMatchTextContent("editada");
  await expect.element(said("preço errado")).toMatchTextContent("Apagada por quem a enviou");
  await expect.element(said("nossa")).toMatchTextContent("Apagada para todos");
  await expect.element(said("Passo aí às 17h")).not.toMatchTextContent(/editada|Apagada/);
  await thread(/@g\.us/).click();
  await expect.element(said("propaganda")).toMatchTextContent("Apagada pelo administrador do grupo");
});

test("a card shows each number, to talk with and to save as a person; a place its map and where it is", async () => {
  const { server, ana } = someTalks();
  const phones = ["5531988560099", "5531988560098"];
  server.world.messages[ana.id]?.push(
    message({
      kind: "contact",
      text: "Otávio: ...",
      contacts: [{ name: "Otávio", phones, others: ["3322-1100"] }],
    }),
    message({
      kind: "location",
      text: "Praça\nhttps://maps.google.com/?q=-19.9386,-43.9352",
      place: { latitude: -19.9386, longitude: -43.9352 },
    }),
  );
  const saved: unknown[] = [];
  server.on("POST /api/people", ({ body }) => {
    saved.push(body);
    if (saved.length === 1) throw refuse("phone_taken", { details: { id: 77 } });
    return knownPerson(0, { name: body.name });
  });
  await openChat("/chat", "Praça");
  await expect.element(said("Otávio")).toMatchTextContent("3322-1100");
  await expect.element(said("Praça")).toMatchTextContent("-19.93860, -43.93520");
  await expect.element(said("Praça")).not.toMatchTextContent("https");
  await expect
    .element(log().getByRole("link", { name: "Ver no mapa" }))
    .toHaveAttribute("href", "https://maps.google.com/?q=-19.9386,-43.9352");
  await expect
    .element(log().getByRole("link", { name: /98856-0098/ }))
    .toHaveAttribute("href", expect.stringContaining(`para=5531988560098&conexao=${ana.connectionId}`));
  await button("Salvar Otávio, +55 31 98856-0099").click();
  await button("Salvar", dialog("Salvar contato")).click();
  await expect
    .element(dialog("Salvar contato").getByRole("link", { name: "Abrir esta pessoa" }))
    .toHaveAttribute("href", expect.stringContaining("pessoas/77"));
  await button("Salvar", dialog("Salvar contato")).click();
  await expect.element(dialog("Salvar contato")).not.toBeInTheDocument();
  expect(saved[1]).toEqual({ name: "Otávio", phone: "+55 31 98856-0099", listIds: [] });
});

test("a vote says that the phone shows it, unless the gateway named what was chosen, and names its poll", async () => {
  const { server, ana } = someTalks();
  const quoted = {
    key: null,
    fromMe: true,
    who: null,
    kind: "poll" as const,
    text: "Que dia?",
    attachment: null,
  };
  server.world.messages[ana.id]?.push(
    message({ kind: "vote", text: "", quoted }),
    message({ kind: "vote", text: "Sábado" }),
  );
  await openChat("/chat", "Sábado");
  await expect
    .element(said("Votou na enquete; o voto aparece no celular"))
    .toMatchTextContent("Enquete: Que dia?");
  await expect.element(said("Sábado")).toMatchTextContent("Voto na enquete");
});

const act = async (text: string, entry: string) => {
  await said(text).getByRole("button", { name: "Ações da mensagem" }).click();
  await page.getByRole("menuitem", { name: entry }).click();
};

test("an answer quotes what was chosen, which may be taken out again", async () => {
  const { server, ana } = someTalks();
  const [first] = server.world.messages[ana.id] ?? [];
  const bodies = () => server.requests("POST /api/chats/{id}/messages").map(({ body }) => body.quotedKey);
  await openChat();
  await act("Oi! Vale para óculos de sol?", "Responder");
  await expect.element(field()).toHaveFocus();
  await button("Não citar a mensagem").click();
  await expect.element(button("Não citar a mensagem")).not.toBeInTheDocument();
  await act("Oi! Vale para óculos de sol?", "Responder");
  await field().fill("Vale sim!");
  await sendButton().click();
  await expect.poll(bodies).toEqual([first?.key]);
  await expect.element(button("Não citar a mensagem")).not.toBeInTheDocument();
  await field().fill("Até já");
  await sendButton().click();
  await expect.poll(bodies).toEqual([first?.key, undefined]);
});

test("a reaction and a deletion say what became of them; what is on its way has no actions", async () => {
  const { server, ana } = someTalks();
  const all = server.world.messages[ana.id] ?? [];
  const sent = message({ text: "preço errado", fromMe: true, at: minutesAgo(1) });
  all.push(sent, message({ text: "a caminho", fromMe: true, status: "pending", at: minutesAgo(1) }));
  all.push(message({ text: "de antes", fromMe: true, at: minutesAgo(61 * 60) }));
  const pending = { status: "pending" as const, error: null };
  server.on("PUT /api/chats/{id}/messages/{key}/reaction", ({ body: { emoji } }) => {
    const [first] = all;
    if (!first) throw new Error("no message");
    first.reactions = [{ emoji, fromMe: true, who: null, act: pending }];
    return first;
  });
  server.on("DELETE /api/chats/{id}/messages/{key}", ({ params: { key } }) => {
    if (key !== sent.key) throw new Error(key);
    return Object.assign(sent, { deleting: pending });
  });
  await openChat("/chat", "preço errado");
  await act("Oi! Vale para óculos de sol?", "Reagir com 👍");
  await expect.element(said("Oi! Vale")).toMatchTextContent("Enviando a reação...");
  await expect.element(said("a caminho").getByRole("button", { name: "Ações" })).not.toBeInTheDocument();
  await said("de antes").getByRole("button", { name: "Ações da mensagem" }).click();
  await shows("Encaminhar");
  await expect.element(page.getByRole("menuitem", { name: "Apagar para todos" })).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await act("preço errado", "Apagar para todos");
  await button("Apagar para todos", page.getByRole("alertdialog")).click();
  await expect.element(said("preço errado")).toMatchTextContent("Apagando para todos...");
  sent.deleting = { status: "uncertain", error: { code: "cut", text: "A conexão caiu." } };
  const [first] = all;
  if (first)
    first.reactions = [{ emoji: "👍", fromMe: true, who: null, act: { status: "error", error: null } }];
  await server.publish("chats", ana.id);
  await expect
    .element(said("preço errado"))
    .toMatchTextContent("Não se sabe se foi apagada. A conexão caiu.");
  await expect.element(said("Oi! Vale")).toMatchTextContent("A reação não foi enviada.");
});

test("a text is forwarded to another chat, once", async () => {
  const { server, ana, bruno } = someTalks();
  await openChat();
  await act("Passo aí às 17h", "Encaminhar");
  await button("Bruno Carvalho", dialog("Encaminhar")).click();
  await shows("Encaminhada para Bruno Carvalho");
  const forwarded = server.requests("POST /api/chats/{id}/messages/{key}/forward");
  expect(forwarded.map(({ params, body }) => [params.id, body.chatId])).toEqual([[ana.id, bruno.id]]);
});

test("the log has one tab stop of actions, and arrows lead from message to message", async () => {
  someTalks();
  await openChat();
  const buttons = () => log().getByRole("button", { name: "Ações da mensagem" }).elements();
  await expect.poll(() => buttons().map((each) => each.tabIndex)).toEqual([-1, 0]);
  buttons()[1]?.focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(document.activeElement).toBe(buttons()[0]);
  await userEvent.keyboard("{ArrowUp}{ArrowDown}");
  expect(document.activeElement).toBe(buttons()[1]);
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("menuitem", { name: "Responder" })).toBeVisible();
});

test("a message is sent later, at the time of the account, and can be cancelled", async () => {
  const { server, ana } = someTalks();
  server.on("POST /api/chats/{id}/messages/{outboxId}/cancel", ({ params: { id, outboxId } }) => {
    server.world.messages[id] = (server.world.messages[id] ?? []).filter((one) => one.outboxId !== outboxId);
    return {};
  });
  await openChat();
  await count(button("Enviar depois"), 0);
  await field().fill("  ");
  await button("Enviar depois").click();
  await shows("Escreva a mensagem.");
  await field().fill("Abrimos às 9h");
  await button("Enviar depois").click();
  const when = dialog("Enviar depois");
  await when.getByLabelText("Data").fill("01/01/2020");
  await when.getByLabelText("Hora").fill("08:30");
  await button("Agendar", when).click();
  await shows("Informe uma data e hora futuras, até um ano à frente.");
  const day = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
  await when.getByLabelText("Data").fill(day.split("-").toReversed().join("/"));
  await button("Agendar", when).click();
  await expect.element(said("Abrimos às 9h")).toMatchTextContent("Agendada para");
  const [request] = server.requests("POST /api/chats/{id}/messages");
  expect(request?.body).toMatchObject({ text: "Abrimos às 9h", sendAt: `${day}T11:30:00.000Z` });
  await expect.element(field()).toHaveValue("");
  await said("Abrimos às 9h").getByRole("button", { name: "Cancelar envio" }).click();
  await expect.element(said("Abrimos às 9h")).not.toBeInTheDocument();
  expect(server.world.messages[ana.id]).toHaveLength(2);
});
