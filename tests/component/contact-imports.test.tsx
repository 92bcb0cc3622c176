import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ContactImportReport } from "../../src/contract/contacts.ts";
import { errorText } from "../../src/contract/error-messages.ts";
import { addedTo, importedInto, importReport, losing, withoutRows } from "./support/contact-writes.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { decide, importDrafts, startedBy, toColumns, toLists } from "./support/import-steps.ts";
import { renderApp } from "./support/render-app.tsx";
import { contactList } from "./support/rows.ts";
import { button, count, main, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const card = (name: string) => page.getByRole("article", { name });
const window = page.getByRole("dialog");
const error = window.getByRole("alert");
const ANSWER_LOST = "O servidor não respondeu.";

const START = "POST /api/contact-import-drafts/{id}/start";

async function paste(json: string) {
  await button("Importar").first().click();
  await window.getByRole("tab", { name: "Colar JSON" }).click();
  await window.getByLabelText("Contatos em JSON").fill(json);
}

async function pasteJson(list: string, json: string) {
  await paste(json);
  await toLists();
  await decide(list);
  await button("Importar", window).click();
}

async function conclude() {
  await expect.element(window.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await button("Concluir", window).click();
}

async function fileInput() {
  await expect.element(window).toBeVisible();
  return document.querySelector("input[type=file]") as HTMLInputElement;
}

async function pickFile(text: string) {
  await userEvent.upload(await fileInput(), new File([text], "clientes.csv", { type: "text/csv" }));
}

test("contacts pasted as JSON are imported once despite a lost answer; invalid text is refused with a message @spec 2.51,8.8", async () => {
  const server = fakeServer();
  const keys = () => server.requests(START).map(({ body }) => body.idempotencyKey);
  const imported = importedInto(server);
  server.on(START, losing(imported));
  await renderApp("/contacts");
  await paste('{"name": "só um objeto"}');
  await button("Continuar", window).click();
  await expect.element(error).toMatchTextContent("Erro ao importar lista.");
  await window.getByLabelText("Contatos em JSON").fill('[{ "name": "Ana", "phone": "31 90234-1187" }]');
  await toLists();
  await decide("Da API");
  await button("Importar", window).click();
  await expect.element(error).toMatchTextContent(ANSWER_LOST);
  server.on(START, imported);
  await button("Importar", window).click();
  await conclude();
  await expect.element(card("Da API")).toMatchTextContent("1 contato");
  await count(card("Da API"), 1);
  expect(new Set(keys()).size).toBe(1);
  expect(keys()).toHaveLength(2);

  const before = keys().length;
  server.on(START, losing(imported));
  await pasteJson("Da loja", '[{ "name": "Bia", "phone": "31 90871-4420" }]');
  await expect.element(error).toMatchTextContent(ANSWER_LOST);
  server.on(START, imported);
  await window.getByLabelText("Nome da lista").fill("De outra loja");
  await button("Importar", window).click();
  await conclude();
  for (const name of ["Da loja", "De outra loja"])
    await expect.element(card(name).filter({ hasText: "Bia" })).toMatchTextContent("1 contato");
  expect(new Set(keys().slice(before)).size).toBe(2);
});

test("a contact whose answer was lost is added once @spec 8.8", async () => {
  const server = fakeServer();
  const added = addedTo(server);
  server.on("POST /api/contacts", losing(added));
  await renderApp("/contacts");
  await press("Novo Contato");
  await window.getByLabelText("Nome").fill("Zélia");
  await window.getByLabelText("Telefone").fill("31 90234-1188");
  await button("Adicionar", window).click();
  await expect.element(error).toMatchTextContent(ANSWER_LOST);
  server.on("POST /api/contacts", added);
  await button("Adicionar", window).click();
  await expect.element(window).not.toBeInTheDocument();
  await expect.element(card("Contato manual - Zélia")).toMatchTextContent("1 contato");
  await count(card("Contato manual - Zélia"), 1);
});

const UNCLOSED = {
  code: "import_unclosed_quote",
  error: errorText("import_unclosed_quote", { line: 7 }),
  details: { line: 7 },
};

test("the input of a failed import is kept; the file must be picked again", async () => {
  const server = fakeServer();
  const { textOf } = importDrafts(server);
  const names: (string | undefined)[] = [];
  server.on(
    START,
    startedBy(server, ({ params, body }) => {
      names.push(body.listName);
      const fails = textOf(params.id).includes("31 9\n");
      return importReport({ ...(fails ? { state: "failed", fault: UNCLOSED } : {}) });
    }),
  );
  await renderApp("/contacts");
  await press("Importar contatos");
  const name = window.getByLabelText("Nome da lista");
  const text = "Nome;Telefone\nAna;31 90234-1187\nBia;31 9\n";
  await pickFile(text);
  await toLists();
  await expect.element(name).toHaveValue("clientes");
  await decide("Clientes Savassi");
  await button("Importar", window).click();
  await expect.element(error).toMatchTextContent("Aspas não fechadas na linha 7.");
  await expect.element(button("Escolher arquivo", window)).toBeVisible();
  await pickFile(text.replace("31 9\n", "31 90871-4420\n"));
  await toLists();
  await expect.element(name).toHaveValue("Clientes Savassi");
  await button("Importar", window).click();
  await expect.element(window.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await press("Importar outro arquivo");
  await pickFile(text);
  await toLists();
  await expect.element(name).toHaveValue("clientes");
  expect(names).toEqual(["Clientes Savassi", "Clientes Savassi"]);
});

test("a pending import or contact shows on its button; only files that can be read are offered @spec 2.8,2.49,2.51,2.53,4.18,5.7", async () => {
  const server = fakeServer();
  server.on(START, importedInto(server));
  server.on("POST /api/contacts", addedTo(server));
  await renderApp("/contacts");
  await expect.element(page.getByRole("heading", { level: 1, name: "Contatos" })).toBeVisible();
  await button("Importar").first().click();
  const input = await fileInput();
  expect(input.getAttribute("aria-label")).toBe("Arquivo");
  expect(input.accept).toBe(".csv,.txt,.xlsx,.vcf,text/csv,text/plain,text/vcard");
  await button("Cancelar", window).click();
  await expect.element(window).not.toBeInTheDocument();
  const importing = server.hold(START);
  await pasteJson("Devagar", '[{"name":"Ana","phone":"31902341187"}]');
  await expect.element(button("Importando...", window)).toBeDisabled();
  importing.release();
  await conclude();
  await expect.element(card("Devagar")).toBeVisible();
  await press("Novo Contato");
  await button("Cancelar", window).click();
  await press("Novo Contato");
  await window.getByLabelText("Nome").fill("Bia");
  await button("Adicionar", window).click();
  await shows("Informe o telefone.");
  await window.getByLabelText("Telefone").fill("31 90871-4420");
  const adding = server.hold("POST /api/contacts");
  await button("Adicionar", window).click();
  await expect.element(button("Adicionando...", window)).toBeDisabled();
  adding.release();
  await expect.element(card("Contato manual - Bia")).toBeVisible();
});

const becomes = (column: string) => window.getByLabelText(`O que é a coluna ${column}`, { exact: true });
const row = (n: number) => window.getByRole("region", { name: "Primeiras linhas" }).getByRole("row").nth(n);
const ALL = "Nome;Responsável;Fone;Vacina\nRex;Ana Lima;31 90234-1187;12/11/2025\nMel;Rui Reis;31 9;ontem\n";

test("a pet shop's file: nothing is imported before the tutor's column is chosen, and the greeting shows it", async () => {
  const server = fakeServer(world({ lists: [contactList({ name: "VIP", count: 3 })] }));
  importDrafts(server);
  const decisions: unknown[] = [];
  server.on(
    START,
    startedBy(server, ({ body }) => {
      const { idempotencyKey: _, ...rest } = body;
      decisions.push(rest);
      return importReport({});
    }),
  );
  await renderApp("/contacts");
  await button("Importar").first().click();
  await pickFile(ALL);
  await toColumns();
  await expect.element(window.getByText("Falta 1 decisão")).toBeVisible();
  await expect.element(window.getByText("Oi, Rex!", { exact: true })).toBeVisible();
  await button("Continuar", window).click();
  await expect.element(window.getByRole("radio", { name: /^Nome/ })).toHaveFocus();
  await window.getByRole("radio", { name: /^Responsável/ }).click();
  await expect.element(window.getByText("Oi, Ana Lima!", { exact: true })).toBeVisible();
  await expect.element(window.getByText("Falta 1 decisão")).not.toBeInTheDocument();
  await expect.element(becomes("Nome")).toHaveDisplayValue("Não importar");
  await becomes("Nome").selectOptions("Novo campo: texto");
  await becomes("Vacina").selectOptions("Novo campo: data");
  await expect.element(row(1)).toMatchTextContent("Ana Lima+55 31 90234-1187Rex12/11/2025");
  await expect.element(row(2)).toMatchTextContent("Faltam dígitos.");
  const field = window.getByLabelText("Nome do campo da coluna Nome");
  await field.fill("Animal");
  await userEvent.tab();
  await expect.element(window.getByRole("columnheader", { name: "Animal" })).toBeVisible();
  await becomes("Fone").selectOptions("Não importar");
  await expect.element(error).toMatchTextContent("Coluna de telefone não encontrada.");
  await button("Continuar", window).click();
  await expect.element(becomes("Fone")).toBeVisible();
  await becomes("Fone").selectOptions("Telefone");
  await expect.element(error).not.toBeInTheDocument();
  await button("Continuar", window).click();
  await button("Importar", window).click();
  await expect.element(error).toMatchTextContent("Escolha uma das opções.");
  await decide();
  await window.getByLabelText("Também nestas listas").selectOptions("VIP (3 contatos)");
  await window.getByRole("radio", { name: /^Completar/ }).click();
  await window.getByRole("textbox", { name: /^Nota/ }).fill("Ficha da clínica");
  await button("Voltar", window).click();
  await expect.element(becomes("Vacina")).toHaveDisplayValue("Novo campo: data");
  await button("Continuar", window).click();
  await button("Importar", window).click();
  await expect.element(window.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  expect(decisions).toEqual([
    {
      encoding: "utf-8",
      separator: ";",
      headerRow: 1,
      everyCell: false,
      columns: [
        { role: "new_field", label: "Animal", kind: "text" },
        { role: "name" },
        { role: "phone", rank: 1 },
        { role: "new_field", label: "Vacina", kind: "date" },
      ],
      listName: "clientes",
      listIds: server.world.lists.map(({ id }) => id),
      known: "fill",
      basis: "asked",
      basisNote: "Ficha da clínica",
    },
  ]);
});

test("another header row or separator is read again; of a workbook a sheet is chosen", async () => {
  const server = fakeServer();
  importDrafts(server);
  await renderApp("/contacts");
  await button("Importar").first().click();
  await pickFile("Ana;31 90234-1187\nBia;31 90871-4420\n");
  await toColumns();
  await expect.element(window.getByText("Oi, Ana!", { exact: true })).toBeVisible();
  await window.getByLabelText("Cabeçalho").selectOptions("Linha 1");
  await expect.element(window.getByText("Oi, Bia!", { exact: true })).toBeVisible();
  await expect.element(window.getByText("Oi, Ana!", { exact: true })).not.toBeInTheDocument();
  await window.getByLabelText("Cabeçalho").selectOptions("Não há");
  await expect.element(window.getByText("Oi, Ana!", { exact: true })).toBeVisible();
  await button("Voltar", window).click();
  server.on("POST /api/contact-import-drafts", () => {
    throw refuse("import_several_sheets", { details: { sheets: "«A», «B»", names: ["A", "B"] } });
  });
  await pickFile("x");
  await button("Continuar", window).click();
  await expect.element(error).toMatchTextContent("Há contatos em mais de uma aba: «A», «B». Escolha uma.");
  await window.getByLabelText("Aba da planilha").selectOptions("B");
  await button("Continuar", window).click();
  await expect.poll(() => server.requests("POST /api/contact-import-drafts").at(-1)?.query.sheet).toBe("B");
});

test("the import offers its template @spec 2.51 @decision 30", async () => {
  fakeServer();
  await renderApp("/contacts");
  await button("Importar").first().click();
  const link = window.getByRole("link", { name: "Baixar modelo" });
  await expect.element(link).toHaveAttribute("href", "/Modelo.csv");
  await expect.element(link).toHaveAttribute("download");
});

const BROKEN = { count: 1, examples: "«Jo\ufffdo»" };

test("26.18 the report names refused and skipped rows; closed with Esc it stays closed on other screens", async () => {
  const server = fakeServer();
  const report = importReport({
    listName: "clientes",
    imported: 2,
    refused: 1,
    erased: 2,
    refusedRows: [
      { row: 5, name: "Bia", value: "123", reason: { code: "phone_too_short", text: "Faltam dígitos." } },
    ],
    leftOut: { columns: ["Id", "E-mail"], blankRows: 1, furtherPhones: 1, unread: [] },
  });
  importDrafts(server);
  server.on(START, ({ body }) => {
    if (!body.acceptBrokenNames) throw refuse("import_broken_names", { details: BROKEN });
    const first = [{ name: "Ana", phone: "5531902341187" }];
    server.world.lists = [contactList({ name: body.listName ?? "", first })];
    server.world.imports = [withoutRows(report)];
    void server.publish("contacts");
    return { ...withoutRows(report), state: "waiting" };
  });
  server.on("GET /api/contact-imports/{id}", () => report);
  await renderApp("/contacts");
  await button("Importar").first().click();
  await pickFile("Id;Nome;E-mail;Celular;Telefone fixo\n1;Jo\ufffdo;;31 90234-1187;\n");
  await toLists();
  await decide();
  await button("Importar", window).click();
  await expect.element(error).toMatchTextContent("ilegíveis: 1. Por exemplo: «Jo\ufffdo».");
  await press("Importar mesmo assim");
  await expect.element(window.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  const refused = window.getByRole("region", { name: "Linhas recusadas" }).getByRole("row");
  await expect.element(refused.nth(1)).toMatchTextContent("5Bia123");
  for (const words of [
    "2 colunas não usadas: Id, E-mail.",
    "1 outro telefone na mesma linha: cada contato entra com um só.",
    "1 linha vazia.",
    "2 pessoas apagadas a pedido ficaram de fora.",
  ])
    await expect.element(window.getByText(words)).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(window).not.toBeInTheDocument();
  await expect.element(card("clientes")).toMatchTextContent("Ana");
  await count(button("Ver o que houve"), 0);
  await renderApp("/campaigns");
  await expect.element(page.getByRole("heading", { level: 1, name: "Campanhas" })).toBeVisible();
  await renderApp("/contacts");
  await expect.element(card("clientes")).toBeVisible();
  await count(button("Ver o que houve"), 0);
});

const underWay = (listName: string) =>
  withoutRows(importReport({ listName, state: "running", bytesRead: 50, finishedAt: null }));
const progress = (list: string) => page.getByText(`Importando «${list}»: 50,0%`);

async function withImportUnderWay() {
  const running = underWay("Clientes");
  const server = fakeServer(world({ imports: [running] }));
  const reload = async () => {
    const { queries } = await renderApp("/contacts");
    queries.clear();
    const again = await renderApp("/contacts");
    return again.queries;
  };
  let queries = await reload();
  await expect.element(progress("Clientes")).toBeVisible();
  const ends = async (how: Partial<ContactImportReport>) => {
    const report = importReport({ ...running, state: "done", bytesRead: 100, ...how });
    server.world.imports = [withoutRows(report)];
    server.on("GET /api/contact-imports/{id}", () => report);
    await queries.invalidateQueries();
  };
  const reopen = async () => {
    server.world.imports = [underWay("Fornecedores"), ...server.world.imports];
    queries = await reload();
    await expect.element(progress("Fornecedores")).toBeVisible();
  };
  return { server, running, ends, reload, reopen };
}

const cameOf = (words: string) => main().getByText(words);

test("an import that failed behind a closed dialog is reported until read, also after a reload", async () => {
  const { ends, reload, reopen } = await withImportUnderWay();
  await ends({ state: "failed", fault: UNCLOSED, imported: 0 });
  const said = cameOf("A lista «Clientes» não foi importada. Aspas não fechadas na linha 7.");
  await expect.element(said).toBeVisible();
  await reload();
  await expect.element(said).toBeVisible();
  await press("Ver o que houve");
  await expect.element(error).toMatchTextContent("Aspas não fechadas na linha 7.");
  await button("Cancelar", window).click();
  await expect.element(window).not.toBeInTheDocument();
  await expect.element(said).not.toBeInTheDocument();
  await reopen();
  await expect.element(said).not.toBeInTheDocument();
});

test("of one that ended well its refused rows are not lost with the window", async () => {
  const { ends } = await withImportUnderWay();
  const reason = { code: "phone_too_short", text: "Faltam dígitos." };
  await ends({ imported: 2, refused: 1, refusedRows: [{ row: 3, name: "Bia", value: "31 9", reason }] });
  const said = cameOf("Lista «Clientes» importada com 2 contatos e 1 linha recusada.");
  await expect.element(said).toBeVisible();
  await press("Ver o que houve");
  await expect.element(window.getByRole("region", { name: "Linhas recusadas" })).toMatchTextContent("31 9");
  await button("Concluir", window).click();
  await expect.element(said).not.toBeInTheDocument();
});

test("who wants to know no more says so", async () => {
  const { ends, reopen } = await withImportUnderWay();
  await ends({ rowsRead: 2, imported: 0, refused: 2 });
  const said = cameOf("Nenhum contato de «Clientes» foi importado: 2 linhas recusadas.");
  await expect.element(said).toBeVisible();
  await pressKey(button("Fechar", main()), "Enter");
  await expect.element(said).not.toBeInTheDocument();
  await expect.element(main()).toHaveFocus();
  await reopen();
  await expect.element(said).not.toBeInTheDocument();
});

test("of one whose refused rows are gone with its list no file of them is offered, and the report says why", async () => {
  const { ends } = await withImportUnderWay();
  await ends({ rowsRead: 2, imported: 1, refused: 1, ninthAdded: 1 });
  await press("Ver o que houve");
  await shows("As linhas recusadas não estão mais guardadas: foram apagadas com a lista, ou depois");
  await expect.element(window.getByText("nono dígito acrescentado")).toBeVisible();
  for (const gone of ["As primeiras 0 de", "Baixar linhas recusadas", "Ver as linhas"])
    await count(window.getByText(gone), 0);
});

test("26.18 a band whose report was read does not come back from an answer that is older than the reading", async () => {
  const { server, running, reload } = await withImportUnderWay();
  const report = importReport({ ...running, state: "done", bytesRead: 100 });
  server.on("GET /api/contact-imports/{id}", () => report);
  await press("Acompanhar");
  await expect.element(window.getByRole("heading", { name: "Importação concluída" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  const queries = await reload();
  await expect.element(page.getByText("Importando «Clientes»")).toBeVisible();
  server.world.imports = [withoutRows(report)];
  await queries.invalidateQueries();
  await expect.element(page.getByText("Importando «Clientes»")).not.toBeInTheDocument();
  await count(button("Ver o que houve"), 0);
});
