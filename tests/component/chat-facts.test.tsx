import { expect, test } from "vitest";
import { refuse } from "./support/endpoints.ts";
import { renderApp } from "./support/render-app.tsx";
import { knownPerson, message, minutesAgo } from "./support/rows.ts";
import { button, dialog, shows } from "./support/screen.ts";
import { log, openChat, peer, said, someTalks, thread } from "./support/talks.ts";

const reactions = (text: string) => said(text).getByRole("list", { name: "Reações" });

test("a reaction stands on its message, with who of a group; nobody's are shown as nothing", async () => {
  const { server, ana, group } = someTalks();
  const [first] = server.world.messages[ana.id] ?? [];
  const [photo] = server.world.messages[group.id] ?? [];
  if (!first || !photo) throw new Error("no messages");
  first.reactions = [{ emoji: "👍", fromMe: false, who: null }];
  photo.reactions = [
    { emoji: "😂", fromMe: false, who: "Bia" },
    { emoji: "❤️", fromMe: true, who: null },
    { emoji: "😂", fromMe: false, who: "5511911111111" },
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
  await expect.element(said("e a foto?").getByRole("button")).not.toBeInTheDocument();
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

test("a vote says that the phone shows it, unless the gateway told what was chosen, and names its poll", async () => {
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
