import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { PersonDetails } from "../../src/contract/people.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { changingPeople } from "./support/people-writes.ts";
import { renderApp } from "./support/render-app.tsx";
import { contactField, contactList, knownPerson, minutesAgo, phoneOf } from "./support/rows.ts";
import { button, count, main, pick, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const PET = contactField();
const VACCINE = contactField({ key: "ultima_vacina", label: "Última vacina", kind: "date" });
const WEIGHT = contactField({ key: "peso", label: "Peso", kind: "number" });

function clinic(extra: PersonDetails[] = []) {
  const vaccines = contactList({ name: "Vacinas 2026", count: 2 });
  const bath = contactList({ name: "Banho e tosa", count: 0 });
  const inside = [{ id: vaccines.id, name: vaccines.name }];
  const ana = knownPerson(1, {
    name: "Ana Rocha",
    lists: inside,
    fields: { pet: "Rex", ultima_vacina: "2026-02-07", peso: 12.5 },
  });
  const bia = knownPerson(2, { name: "Bia Lima", lists: inside, fields: { pet: "Luna" } });
  const caio = knownPerson(3, { name: "Caio Melo" });
  const server = fakeServer(
    world({ lists: [vaccines, bath], fields: [PET, VACCINE, WEIGHT], people: [ana, bia, caio, ...extra] }),
  );
  changingPeople(server);
  return { server, vaccines, bath, ana, bia, caio };
}

const row = (name: string) => page.getByRole("row", { name });
const tick = (name: string) =>
  page.getByRole("checkbox", { name: `Selecionar ${name}`, exact: true }).click();
const bar = page.getByRole("region", { name: "Pessoas selecionadas" });
const opened = page.getByRole("dialog");
const names = () =>
  page
    .getByRole("row")
    .elements()
    .slice(1)
    .map((each) => each.querySelector("a")?.textContent);

test("people are a table with their fields; a column sorts, a search finds, and the address keeps both", async () => {
  const { vaccines } = clinic();
  await renderApp("/contacts/pessoas");
  await expect.element(row("Ana Rocha")).toMatchTextContent("Rex07/02/202612,5");
  expect(names()).toEqual(["Ana Rocha", "Bia Lima", "Caio Melo"]);
  await press("Nome");
  await expect.poll(names).toEqual(["Caio Melo", "Bia Lima", "Ana Rocha"]);
  await page.getByRole("searchbox", { name: "Buscar pessoas" }).fill("lima");
  await expect.poll(names).toEqual(["Bia Lima"]);
  expect(location.search).toContain("ordem=nome-za");
  expect(location.search).toContain("busca=lima");
  await renderApp(`/contacts/pessoas?lista=${vaccines.id}`);
  await expect.poll(names).toEqual(["Ana Rocha", "Bia Lima"]);
  await expect.element(page.getByRole("heading", { level: 1 })).toMatchTextContent("Vacinas 2026");
  const marked = () =>
    [...document.querySelectorAll("[aria-label=Listas] [aria-current]")].map((link) => link.textContent);
  expect(marked()).toEqual(["Vacinas 20262"]);
  await renderApp(`/contacts/pessoas?lista=${vaccines.id}&busca=ana`);
  await expect.poll(names).toEqual(["Ana Rocha"]);
  expect(marked()).toEqual(["Vacinas 20262"]);
});

test("a hidden column stays hidden after a reload", async () => {
  clinic();
  await renderApp("/contacts/pessoas");
  await press("Colunas");
  await opened.getByRole("checkbox", { name: "Pet" }).click();
  await button("Fechar", opened).last().click();
  await expect.element(page.getByRole("columnheader", { name: "Pet" })).not.toBeInTheDocument();
  await renderApp("/contacts/pessoas");
  await expect.element(page.getByRole("columnheader", { name: "Última vacina" })).toBeVisible();
  await expect.element(page.getByRole("columnheader", { name: "Pet" })).not.toBeInTheDocument();
});

test("values are edited in the table: Enter saves, Esc takes back, and what is no number is refused", async () => {
  const { ana } = clinic();
  await renderApp("/contacts/pessoas");
  await press("Editar na tabela");
  const pet = page.getByRole("textbox", { name: "Pet de Ana Rocha" });
  await pet.fill("Thor");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => ana.fields.pet).toBe("Thor");
  await pet.fill("Outro");
  await userEvent.keyboard("{Escape}");
  await expect.element(pet).toHaveValue("Thor");
  const weight = page.getByRole("textbox", { name: "Peso de Ana Rocha" });
  await weight.fill("doze");
  await userEvent.keyboard("{Tab}");
  await shows("Informe um número, como 1.250,50.");
  await expect.element(weight).toHaveValue("doze");
  expect(ana.fields.peso).toBe(12.5);
  await weight.fill("");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => ana.fields.peso).toBeUndefined();
  const vaccine = page.getByRole("textbox", { name: "Última vacina de Ana Rocha" });
  await vaccine.fill("07/0");
  await userEvent.keyboard("{Tab}");
  await shows("Informe uma data, como 07/02/2026.");
  expect(ana.fields.ultima_vacina).toBe("2026-02-07");
  await vaccine.fill("8/2/2026");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => ana.fields.ultima_vacina).toBe("2026-02-08");
  await press("Concluir edição");
  await expect.element(row("Ana Rocha")).toMatchTextContent("Thor08/02/2026");
});

test("ticked people go to a list, leave it with an undo, and are removed after a question", async () => {
  const { server, bath, ana, bia } = clinic();
  await renderApp(`/contacts/pessoas?lista=${bath.id}`);
  await shows("Esta lista está vazia");
  await renderApp("/contacts/pessoas");
  await tick("Ana Rocha");
  await tick("Bia Lima");
  await expect.element(bar).toMatchTextContent("2 selecionadas");
  await button("Pôr em lista", bar).click();
  await opened.getByLabelText("Lista").selectOptions(String(bath.id));
  await button("Pôr na lista", opened).click();
  await shows("2 pessoas na lista «Banho e tosa»");
  expect(ana.lists.map(({ id }) => id)).toContain(bath.id);
  await expect.element(bar).not.toBeInTheDocument();

  await renderApp(`/contacts/pessoas?lista=${bath.id}`);
  await tick("Bia Lima");
  await button("Tirar da lista", bar).click();
  await shows("1 pessoa saiu da lista");
  await expect.poll(names).toEqual(["Ana Rocha"]);
  await press("Desfazer");
  await expect.poll(names).toEqual(["Ana Rocha", "Bia Lima"]);

  await tick("Ana Rocha");
  await button("Remover", bar).click();
  const asked = page.getByRole("alertdialog");
  await expect.element(asked).toMatchTextContent("Remover 1 pessoa?");
  await button("Remover", asked).click();
  await expect.poll(names).toEqual(["Bia Lima"]);
  expect(server.world.people.map(({ id }) => id)).toEqual([bia.id, expect.any(Number)]);
});

test("all that a search gives are chosen at once, beyond the loaded rows", async () => {
  const crowd = Array.from({ length: 340 }, (_, n) => knownPerson(10 + n, { name: `Zeca ${n}` }));
  const { server } = clinic(crowd);
  let sent: unknown;
  await renderApp("/contacts/pessoas?busca=zeca");
  await page.getByRole("checkbox", { name: "Selecionar as pessoas à vista" }).click();
  await press("Selecionar todas as 340");
  await expect.element(bar).toMatchTextContent("340 selecionadas");
  server.on("POST /api/people/remove", ({ body }) => {
    sent = body.selection;
    return { people: 340 };
  });
  await button("Remover", bar).click();
  await button("Remover", page.getByRole("alertdialog")).click();
  await shows("340 pessoas removidas");
  expect(sent).toEqual({ all: { search: "zeca" } });
});

test("a person is added with fields; a known phone opens the one that has it", async () => {
  const { server, ana } = clinic();
  await renderApp("/contacts/pessoas");
  await press("Nova pessoa");
  await opened.getByLabelText("Nome", { exact: true }).fill("Davi Reis");
  await opened.getByLabelText("Telefone").fill(`+${ana.phone}`);
  await opened.getByLabelText("Peso").fill("doze");
  await button("Adicionar", opened).click();
  await expect.element(opened).toMatchTextContent("Informe um número, como 1.250,50.");
  await opened.getByLabelText("Peso").fill("4,5");
  await button("Adicionar", opened).click();
  await expect.element(opened.getByRole("alert")).toMatchTextContent("Este telefone já é de Ana Rocha.");
  await expect.element(opened.getByRole("link", { name: "Abrir esta pessoa" })).toBeVisible();
  await opened.getByLabelText("Telefone").fill(`+${phoneOf(77)}`);
  await button("Adicionar", opened).click();
  await shows("Davi Reis foi adicionada");
  expect(server.world.people.at(-1)).toMatchObject({ name: "Davi Reis", fields: { peso: 4.5 } });
});

test("a corrected phone that another person has offers to make one of both, showing both", async () => {
  const { server, ana, bia } = clinic();
  await renderApp(`/contacts/pessoas/${ana.id}`);
  await press("Editar");
  await opened.getByLabelText("Telefone").fill(`+${bia.phone}`);
  await button("Salvar", opened).click();
  await press("Juntar as duas");
  await expect.element(opened).toMatchTextContent("Juntar duas pessoas");
  await opened.getByRole("radio", { name: "Luna" }).click();
  await button("Juntar", opened).click();
  await shows("Agora há uma pessoa só: Ana Rocha");
  expect(server.world.people.find(({ id }) => id === ana.id)).toMatchObject({
    phone: bia.phone,
    name: "Ana Rocha",
    fields: { pet: "Luna", ultima_vacina: "2026-02-07", peso: 12.5 },
  });
  await count(page.getByRole("dialog"), 0);
  await expect.element(main()).toMatchTextContent("Luna");
});

test("a person's page shows data, lists, origin, opt-out and what came of every campaign", async () => {
  const { server, ana, vaccines } = clinic();
  Object.assign(ana, {
    optOut: { source: "reply", text: "não quero mais", at: minutesAgo(5) },
    optedOut: true,
  });
  server.world.histories[ana.id] = [
    {
      kind: "reply",
      at: minutesAgo(6),
      chatId: 1,
      connectionId: 1,
      text: "Bom dia! Pode ser sexta?",
    },
    {
      kind: "campaign",
      at: minutesAgo(9),
      campaignId: 8,
      campaignName: "Vacina do Rex",
      status: "read",
      reason: null,
      messages: { sent: 3, all: 3 },
    },
    {
      kind: "campaign",
      at: minutesAgo(10),
      campaignId: 7,
      campaignName: "Vermífugo",
      status: "error",
      reason: "not_on_whatsapp",
      messages: { sent: 2, all: 3 },
    },
  ];
  await renderApp(`/contacts/pessoas/${ana.id}`);
  await shows(/Pediu para sair .*, com «não quero mais»/);
  await shows("clientes.csv, linha 3");
  await shows("2 campanhas");
  const history = page.getByRole("region", { name: "Histórico" }).getByRole("listitem");
  await expect.element(history.nth(0)).toMatchTextContent("Bom dia! Pode ser sexta?");
  await expect.element(history.nth(1)).toMatchTextContent(/^Vacina do RexLido(?!.*mensagens)/);
  await expect.element(history.nth(2)).toMatchTextContent(/^Vermífugo.*2 de 3 mensagens enviadas/);
  const why = page.getByRole("region", { name: "Por que recebi isto?" });
  await expect.element(why).toMatchTextContent("Você recebeu 2 campanha");
  await expect
    .element(why.getByRole("link", { name: "Baixar em HTML" }))
    .toHaveAttribute("href", `/api/people/${ana.id}/why.html`);
  await press("Tirar da lista Vacinas 2026");
  await shows("Em nenhuma lista.");
  await press("Desfazer");
  await expect.element(page.getByRole("link", { name: vaccines.name })).toBeVisible();
});

test("a person who is gone is said to be, and a list too", async () => {
  clinic();
  await renderApp("/contacts/pessoas/999999");
  await shows("Pessoa não encontrada");
  await renderApp("/contacts/pessoas?lista=999999");
  await shows("Esta lista não existe mais.");
});

test("a list is renamed and duplicated from its table", async () => {
  const { server, vaccines } = clinic();
  server.on("PATCH /api/contact-lists/{id}", ({ body }) => Object.assign(vaccines, { name: body.name }));
  server.on("POST /api/contact-lists/{id}/duplicate", ({ body }) => {
    const copy = contactList({ name: body.name });
    server.world.lists.push(copy);
    return copy;
  });
  await renderApp(`/contacts/pessoas?lista=${vaccines.id}`);
  await press("Mais ações da lista");
  await pick("Renomear lista");
  await opened.getByLabelText("Nome da lista").fill("Vacinas");
  await button("Renomear", opened).click();
  await expect.element(page.getByRole("heading", { level: 1 })).toMatchTextContent("Vacinas");
  await press("Mais ações da lista");
  await pick("Duplicar lista");
  await button("Duplicar", opened).click();
  await expect.element(page.getByRole("heading", { level: 1 })).toMatchTextContent("Vacinas (cópia)");
});

test("fields are created, and removed after a question that says what is lost", async () => {
  const { server } = clinic();
  server.on("POST /api/contact-fields", ({ body }) => {
    const made = contactField({ key: "bairro", ...body });
    server.world.fields.push(made);
    return made;
  });
  server.on("DELETE /api/contact-fields/{id}", ({ params }) => {
    server.world.fields = server.world.fields.filter(({ id }) => id !== params.id);
    return { people: 2 };
  });
  await renderApp("/contacts/pessoas");
  await press("Colunas");
  await opened.getByLabelText("Nome do campo").fill("Bairro");
  await button("Criar campo", opened).click();
  await shows("Campo «Bairro» criado");
  await expect.element(opened.getByRole("checkbox", { name: "Bairro" })).toBeChecked();
  await button("Mais ações do campo Pet", opened).click();
  await pick("Remover campo");
  const asked = page.getByRole("alertdialog");
  await expect.element(asked).toMatchTextContent("Os valores deste campo saem de todas as pessoas.");
  await button("Remover campo", asked).click();
  await shows("Campo «Pet» removido, 2 pessoas tinham um valor");
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("columnheader", { name: "Pet" })).not.toBeInTheDocument();
});

test("a person is erased after a question that counts what goes, refused by hand, and taken back when they ask", async () => {
  const { server, ana } = clinic();
  server.world.histories[ana.id] = [
    { kind: "reply", at: minutesAgo(9), chatId: 1, connectionId: 1, text: "Oi" },
  ];
  await renderApp(`/contacts/pessoas/${ana.id}`);
  await expect
    .element(page.getByRole("link", { name: "Baixar os dados" }))
    .toHaveAttribute("href", `/api/people/${ana.id}/export.json`);
  await press("Apagar a pedido");
  const question = page.getByRole("alertdialog");
  await expect.element(question).toMatchTextContent("1 conversa, com 1 mensagem");
  await expect.element(question).toMatchTextContent("Em 1 campanha o envio ainda não feito é ignorado");
  await expect.element(question).toMatchTextContent("Não dá para desfazer.");
  await expect.element(button("Cancelar", question)).toHaveFocus();
  await button("Apagar de vez", question).click();
  await shows("Dados da pessoa apagados");
  await expect.poll(names).toEqual(["Bia Lima", "Caio Melo"]);

  await press("Nova pessoa");
  await opened.getByLabelText("Nome").fill("Ana Rocha");
  await opened.getByLabelText("Telefone").fill(`+${ana.phone}`);
  await button("Adicionar", opened).click();
  await expect.element(opened).toMatchTextContent("Os dados desta pessoa foram apagados a pedido.");
  await button("Ela pediu: guardar de novo", opened).click();
  await shows("Ana Rocha foi adicionada");
  await expect.poll(names).toEqual(["Ana Rocha", "Bia Lima", "Caio Melo"]);
});

test("an erasure that a message on its way refuses says which campaign, and keeps the person", async () => {
  const { server, ana } = clinic();
  server.on("POST /api/people/{id}/erase", () => {
    throw refuse("person_in_flight", { details: { campaign: "Natal" } });
  });
  await renderApp(`/contacts/pessoas/${ana.id}`);
  await press("Apagar a pedido");
  const question = page.getByRole("alertdialog");
  await button("Apagar de vez", question).click();
  await expect.element(question).toMatchTextContent("Nada foi apagado: espere um minuto");
  await button("Cancelar", question).click();
  await expect.element(page.getByRole("heading", { level: 1 })).toMatchTextContent("Ana Rocha");
});
