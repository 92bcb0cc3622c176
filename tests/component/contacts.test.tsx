import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import type { ContactListCard } from "../../src/contract/contacts.ts";
import { addedTo, findPeople, withOptOuts } from "./support/contact-writes.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contact, contactList } from "./support/rows.ts";
import { button, count, dialog, main, press, pressKey, shows } from "./support/screen.ts";
import { numbersUncovered } from "./support/text-size.ts";
import { type World, world } from "./support/world.ts";

const card = (name: string) => page.getByRole("article", { name });
const anyDialog = page.getByRole("dialog");

const texts = (items: Locator, wanted: readonly string[]) =>
  expect.poll(() => items.elements().map(({ textContent }) => textContent)).toEqual(wanted);

function listOf(name: string, people: readonly (readonly [name: string, phone: string])[]) {
  const rows = people.map(([each, phone], seq) => contact(seq, { name: each, phone }));
  const first = rows.slice(0, 3).map(({ seq: _, ...each }) => each);
  const list = contactList({ name, count: rows.length, first });
  return { list, rows };
}

function listed(...lists: ReturnType<typeof listOf>[]): Pick<World, "lists" | "contacts"> {
  return {
    lists: lists.map(({ list }) => list),
    contacts: Object.fromEntries(lists.map(({ list, rows }) => [list.id, rows])),
  };
}

const TWO = [
  ["Ana", "5531902341187"],
  ["Bruno", "5531908714420"],
] as const;

test("deleting a list asks first, says what is lost, and begins on «Cancelar» @spec 0.1,1.3,2.50 @decision 29", async () => {
  const server = fakeServer(world(listed(listOf("Para apagar", TWO))));
  const list = server.world.lists[0] as ContactListCard;
  server.on("DELETE /api/contact-lists/{id}", ({ params }) => {
    server.world.lists = server.world.lists.filter(({ id }) => id !== params.id);
    return { contacts: 3 };
  });
  await renderApp("/contacts");
  await press(/^Excluir Lista/);
  const asked = page.getByRole("alertdialog");
  await expect
    .element(asked.getByRole("heading", { name: "Tem certeza que deseja excluir esta lista de contatos?" }))
    .toBeVisible();
  await expect
    .element(asked)
    .toMatchTextContent("Os 2 contatos saem da lista «Para apagar» e continuam na sua conta");
  server.world.lists = [{ ...list, count: 3 }];
  await server.publish("contacts");
  await expect.element(asked).toMatchTextContent("Os 3 contatos saem da lista «Para apagar»");
  await expect.element(button("Cancelar", asked)).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(asked).not.toBeInTheDocument();
  await expect.element(card("Para apagar")).toBeVisible();

  // Until the waiting campaigns of the list are known the deletion cannot be confirmed.
  const waiting = server.hold("GET /api/campaigns", ({ query }) => query.status === "scheduled");
  await press(/^Excluir Lista/);
  await waiting.asked;
  await expect.element(button("Excluir", asked)).toBeDisabled();
  waiting.release();
  await button("Excluir", asked).click();
  await shows("Lista «Para apagar» excluída; os 3 contatos continuam em «Todas as pessoas»");
  await shows("Nenhuma lista de contatos");
});

test("a contact added by hand is its own list, or goes to the one that was chosen @spec 1.3,2.49,2.53,3.14 @decision 26", async () => {
  const server = fakeServer();
  server.on("POST /api/contacts", addedTo(server));
  const lost = server.refuse("GET /api/contact-lists", "unavailable", ({ query }) => query.limit === 100);
  await renderApp("/contacts");
  await press("Novo Contato");
  await expect.element(anyDialog.getByRole("alert")).toMatchTextContent("Erro ao buscar listas.");
  lost.stop();
  await userEvent.keyboard("{Escape}");

  await press("Novo Contato");
  const name = anyDialog.getByLabelText("Nome");
  const phone = anyDialog.getByLabelText("Telefone");
  await button("Adicionar", anyDialog).click();
  await shows("Informe o nome.");
  await name.fill("Rafael Nogueira");
  await phone.fill("31 9023");
  await button("Adicionar", anyDialog).click();
  await expect.element(phone).toHaveAttribute("aria-invalid", "true");
  await phone.fill("31 90458-9920");
  await button("Adicionar", anyDialog).click();
  const own = card("Contato manual - Rafael Nogueira");
  await expect.element(own).toMatchTextContent("+55 31 90458-9920");

  await press("Novo Contato");
  await name.fill("Júlia Sampaio");
  await phone.fill("11 90736-1184");
  await anyDialog.getByLabelText("Lista").selectOptions("Contato manual - Rafael Nogueira (1 contato)");
  await button("Adicionar", anyDialog).click();
  await expect.element(own).toMatchTextContent("2 contatos");
  await expect
    .element(
      page.getByText("Júlia Sampaio entrou na lista «Contato manual - Rafael Nogueira»", { exact: true }),
    )
    .toBeVisible();
});

test("a deleted list is deselected in export and new contact, without choosing another", async () => {
  const server = fakeServer();
  server.on("POST /api/contacts", addedTo(server));
  await renderApp("/contacts");
  const lists = anyDialog.getByLabelText("Lista");
  const choose = async (name: string) => {
    server.world.lists = [contactList({ name, count: 1 })];
    await server.publish("contacts");
    await lists.selectOptions(`${name} (1 contato)`);
    server.world.lists = [];
    await server.publish("contacts");
    await count(lists.getByRole("option", { name }), 0);
  };
  await press("Exportar");
  await choose("Vitrine");
  await button("Exportar", anyDialog).click();
  await expect.element(anyDialog.getByText("Escolha uma lista.")).toBeVisible();
  await userEvent.keyboard("{Escape}");

  await press("Novo Contato");
  await anyDialog.getByLabelText("Nome").fill("Rafael");
  await anyDialog.getByLabelText("Telefone").fill("31 90458-9920");
  await choose("Retorno");
  const gone = anyDialog.getByRole("alert").getByText("A lista escolhida foi excluída. Escolha outra.");
  await expect.element(gone).toBeVisible();
  await button("Adicionar", anyDialog).click();
  await expect.element(lists).toHaveFocus();
  await expect.element(lists).toHaveAttribute("aria-invalid", "true");
  await lists.selectOptions("Nova lista só deste contato");
  await expect.element(gone).not.toBeInTheDocument();
  await expect.element(anyDialog.getByText("Fica na lista «Contato manual - Rafael».")).toBeVisible();
  await button("Adicionar", anyDialog).click();
  await expect.element(card("Contato manual - Rafael")).toMatchTextContent("+55 31 90458-9920");
});

test("a card shows a list's first three contacts and how many more there are; without a name it goes by its number @spec 2.50,7.2,9.7", async () => {
  const people = [1, 2, 3, 4, 5].map((n) => [`Pessoa ${n}`, `553190234118${n}`] as const);
  const server = fakeServer(world(listed(listOf("Vai perder o nome", people))));
  const list = server.world.lists[0] as ContactListCard;
  await renderApp("/contacts");
  const shown = card("Vai perder o nome");
  await texts(shown.getByRole("listitem"), [
    "Pessoa 1+55 31 90234-1181",
    "Pessoa 2+55 31 90234-1182",
    "Pessoa 3+55 31 90234-1183",
  ]);
  await expect.element(shown).toMatchTextContent("+2 contatos");
  server.world.lists = [{ ...list, name: "" }];
  await server.publish("contacts");
  await expect.element(card(`Lista ${list.id}`)).toMatchTextContent("5 contatos");
});

test("search finds by name and by phone, and says when there is nothing @spec 2.49", async () => {
  const server = fakeServer(
    world(
      listed(
        listOf("Norte", [
          ["Ana", "5531902341187"],
          ["José", "5531908714420"],
        ]),
      ),
    ),
  );
  findPeople(server);
  await renderApp("/contacts");
  const search = page.getByPlaceholder("Buscar contatos...");
  await search.fill("jose");
  await expect.element(card("Norte")).toMatchTextContent("1 de 2 contatos");
  await expect.element(card("Norte")).not.toMatchTextContent("Ana");
  await shows("1 contato em 1 lista");
  await search.fill("90234");
  await expect.element(card("Norte")).toMatchTextContent("Ana");
  await search.fill("ninguém");
  const emptyNotice = page.getByText("Nenhum contato encontrado");
  await expect.element(emptyNotice).toBeVisible();
  const late = server.hold("GET /api/contact-lists", ({ query }) => query.search === "Ana");
  await search.fill("Ana");
  await late.asked;
  await expect.element(main().getByText("Carregando").first()).toBeInTheDocument();
  await expect.element(emptyNotice).not.toBeInTheDocument();
  late.release();
  await expect.element(card("Norte")).toMatchTextContent("Ana");
  await search.fill("ninguém");
  await press("Limpar busca");
  await expect.element(card("Norte")).toMatchTextContent("2 contatos");
});

const THREE = [
  ["Ana Lima", "5531902341187"],
  ["Bruno Reis", "5531908714420"],
  ["Carla Dias", "5531905620093"],
] as const;

test("26.19 a card opens its people, also three, starts a campaign and exports; deleting comes last", async () => {
  const server = fakeServer(world(listed(listOf("Clientes", THREE), listOf("Parentes", THREE))));
  const clients = server.world.lists[0] as ContactListCard;
  await renderApp("/contacts");
  await shows("2 listas, 6 contatos (quem está em duas listas conta em cada uma)");
  await expect
    .poll(() => {
      const foot = card("Clientes").query()?.querySelectorAll("footer a, footer button") ?? [];
      return [...foot].map(({ textContent }) => textContent);
    })
    .toEqual(["Ver pessoas", "Enviar campanha", "Exportar", "Excluir Lista"]);
  await pressKey(button(/^Ver pessoas/, card("Clientes")), "Enter");
  await expect.element(dialog("Clientes").getByText("Carla Dias")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(button(/^Ver pessoas/, card("Clientes"))).toHaveFocus();
  const file = card("Clientes").getByRole("link", { name: "Exportar" });
  await expect.element(file).toHaveAttribute("href", `/api/contact-lists/${clients.id}/export`);
  await expect.element(file).toHaveAttribute("download");

  await card("Clientes").getByRole("link", { name: "Enviar campanha" }).click();
  const list = page.getByLabelText("Lista de Contatos");
  await expect.element(list).toHaveDisplayValue(/^Clientes/);
  await page.getByLabelText("Nome da Campanha").fill("Para os clientes");
  await renderApp("/campaigns/new");
  await expect.element(page.getByLabelText("Nome da Campanha")).toHaveValue("");
  await expect.element(list).toHaveValue("");
});

test("26.19 a person who was searched for is offered, not the deletion of the list around them", async () => {
  const server = fakeServer(world(listed(listOf("Clientes", THREE))));
  findPeople(server);
  withOptOuts(server);
  await renderApp("/contacts?busca=carla");
  const clients = card("Clientes");
  await expect.element(button("Carla Dias", clients)).toBeVisible();
  await expect.element(button(/^Excluir Lista/, clients)).not.toBeInTheDocument();
  await pressKey(button("Carla Dias", clients), "Enter");
  const person = dialog("Carla Dias");
  await expect.element(person).toMatchTextContent("+55 31 90562-0093");
  await expect.element(person).toMatchTextContent("Está na lista «Clientes».");
  await button("Não enviar campanhas", person).click();
  await expect.element(person).not.toBeInTheDocument();
  await expect.element(clients).toMatchTextContent("Não quer campanhas");
  await press("Desfazer");
  await expect.element(clients.getByText("Não quer campanhas")).not.toBeInTheDocument();
  await button("Carla Dias", clients).click();
  await button("Não enviar campanhas", person).click();
  await expect.element(clients).toMatchTextContent("Não quer campanhas");
  await button("Carla Dias", clients).click();
  await button("Permitir de novo", person).click();
  await expect.element(clients.getByText("Não quer campanhas")).not.toBeInTheDocument();

  await renderApp("/contacts?busca=clientes");
  await expect.element(button(/^Excluir Lista/, clients)).toBeVisible();
});

test("a whole message that is pasted into a search finds its campaign, and no list takes it for an error", async () => {
  const text = `Oi! ${"Seus óculos ficaram prontos 🕶️ e esperam por você. ".repeat(9)}`;
  const campaigns = [campaign({ name: "Prontos", text }), campaign({ name: "Outra", text: "Oi!" })];
  fakeServer(world({ campaigns }));
  await renderApp("/campaigns");
  await expect.element(page.getByRole("heading", { name: "Outra" })).toBeVisible();
  await page.getByLabelText("Buscar campanhas").fill(text);
  await expect.element(page.getByRole("heading", { name: "Outra" })).not.toBeInTheDocument();
  await expect.element(page.getByRole("heading", { name: "Prontos" })).toBeVisible();

  await renderApp(`/contacts?busca=${encodeURIComponent(text)}`);
  await shows("Nenhum contato encontrado");
  await count(page.getByRole("alert"), 0);
});

test("numbers of lists are not covered by what stands beside them on a small telephone", async () => {
  await page.viewport(320, 844);
  await numbersUncovered();
});
