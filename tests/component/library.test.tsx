import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { MessageTemplate } from "../../src/contract/library.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { attachment, campaign, contactField, template, uploaded } from "./support/rows.ts";
import { button, count, dialog, pick, press, shows, texts } from "./support/screen.ts";
import { opened } from "./support/screens.ts";
import { world } from "./support/world.ts";

const field = (name: string, within: Pick<typeof page, "getByRole"> = page) =>
  within.getByRole("textbox", { name, exact: true });

const pdf = (facts = {}) => attachment({ kind: "document", name: "Preços.pdf", ...facts });

function stored(server: FakeServer): FakeServer {
  const { world: state } = server;
  const at = (id: number) => state.templates.findIndex((each) => each.id === id);
  type Body = Pick<MessageTemplate, "name" | "text"> & { attachmentId?: number | null | undefined };
  const made = (id: number, { name, text, attachmentId }: Body) =>
    template({ id, name, text, attachment: attachmentId ? pdf({ id: attachmentId }) : null });
  server.on("POST /api/attachments", () => ({ ...uploaded(), ...pdf() }));
  server.on("POST /api/message-templates", ({ body }) => {
    if (state.templates.some(({ name }) => name === body.name))
      throw refuse("invalid_fields", { fields: { name: "Já existe um modelo com este nome." } });
    const one = made(900 + state.templates.length, body);
    state.templates.push(one);
    return one;
  });
  server.on("PUT /api/message-templates/{id}", ({ params, body }) => {
    const one = made(params.id, body);
    state.templates.splice(at(params.id), 1, one);
    return one;
  });
  server.on("DELETE /api/message-templates/{id}", ({ params }) => {
    state.templates.splice(at(params.id), 1);
    return { success: true };
  });
  return server;
}

const names = () => texts(page.getByRole("listitem").getByRole("heading"));

test("the first template is written with variables, previewed as WhatsApp draws it, changed and deleted", async () => {
  const server = stored(fakeServer(world({ fields: [contactField({ key: "pet", label: "Pet" })] })));
  await renderApp("/mensagens");
  await press("Novo modelo");
  await press("Salvar modelo");
  await expect.element(dialog("Novo modelo").getByText("Preencha este campo.").first()).toBeVisible();
  await field("Nome do modelo").fill("Vacina");
  await field("Texto").fill("Oi! Vacina do ");
  await press("Inserir campo");
  await pick("Pet {pet}");
  await userEvent.keyboard(" *hoje*");
  await expect.element(field("Texto")).toHaveValue("Oi! Vacina do {pet} *hoje*");
  const preview = page.getByRole("region", { name: "Como aparece no WhatsApp" });
  await expect.element(preview.getByRole("strong")).toMatchTextContent(/^hoje$/);
  await press("Salvar modelo");
  await shows("Modelo «Vacina» salvo");
  await expect.poll(names).toEqual(["Vacina"]);
  await button("Editar o modelo Vacina").click();
  await field("Texto").fill("Oi, {nome}!");
  await expect.element(preview).toMatchTextContent("Oi, Nome do contato!");
  await press("Salvar modelo");
  await expect.element(page.getByRole("listitem").getByText("Oi, {nome}!")).toBeVisible();
  await button("Excluir o modelo Vacina").click();
  await press("Excluir");
  await shows("Guarde as mensagens que você usa sempre");
  expect(server.world.templates).toEqual([]);
});

test("a name that is taken is said at its field, and what was written stays", async () => {
  stored(fakeServer(world({ templates: [template({ name: "Vacina" })] })));
  await renderApp("/mensagens");
  await press("Novo modelo");
  await field("Nome do modelo").fill("Vacina");
  await field("Texto").fill("Oi!");
  await press("Salvar modelo");
  await shows("Já existe um modelo com este nome.");
  await expect.element(field("Texto")).toHaveValue("Oi!");
  await expect.element(field("Nome do modelo")).toHaveFocus();
});

const chooseFile = async () => {
  const input = opened().element().querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("the dialog has no file input");
  await userEvent.upload(input, new File(["%PDF"], "Preços.pdf"));
};

test("a file is chosen, previewed, kept without a text, shown in the list, and taken away again", async () => {
  const server = stored(fakeServer(world()));
  await renderApp("/mensagens");
  await press("Novo modelo");
  await field("Nome do modelo").fill("Tabela");
  const uploading = server.hold("POST /api/attachments");
  await chooseFile();
  await press("Salvar modelo");
  await shows("Espere o arquivo terminar de subir.");
  uploading.release();
  const preview = page.getByRole("region", { name: "Como aparece no WhatsApp" });
  await expect.element(preview.getByRole("link", { name: /Preços\.pdf/ })).toBeVisible();
  await expect.element(opened().getByText("0 de 1.024 caracteres")).toBeVisible();
  await press("Salvar modelo");
  await shows("Modelo «Tabela» salvo");
  await expect.element(page.getByRole("listitem").getByText("Preços.pdf")).toBeVisible();
  expect(server.world.templates).toMatchObject([{ text: "", attachment: { id: 7 } }]);
  await button("Editar o modelo Tabela").click();
  await press("Remover arquivo");
  await press("Salvar modelo");
  await expect.element(opened().getByText("Preencha este campo.")).toBeVisible();
  await field("Texto").fill("Peça a tabela");
  await press("Salvar modelo");
  await expect
    .poll(() => server.world.templates[0])
    .toMatchObject({ text: "Peça a tabela", attachment: null });
});

test("a sound beside a text, and a file that is gone, are said at their fields", async () => {
  const voice = attachment({ kind: "voice", seconds: 4 });
  const server = stored(
    fakeServer(world({ templates: [template({ name: "Voz", text: "", attachment: voice })] })),
  );
  server.on("PUT /api/message-templates/{id}", () => {
    throw refuse("not_found", { details: { field: "attachmentId" } });
  });
  await renderApp("/mensagens");
  await button("Editar o modelo Voz").click();
  await field("Texto").fill("Oi");
  await press("Salvar modelo");
  await shows("O WhatsApp não mostra texto junto de um áudio.");
  await field("Texto").fill("");
  await press("Salvar modelo");
  await shows("O servidor não guarda mais este arquivo.");
});

test("a search stands in the address, further pages come by a press", async () => {
  const templates = Array.from({ length: 130 }, (_, n) => template({ name: `Modelo ${n}`, text: "Oi" }));
  fakeServer(world({ templates: [template({ name: "Boleto", text: "Segue o código" }), ...templates] }));
  await renderApp("/mensagens?busca=codigo");
  await expect.poll(names).toEqual(["Boleto"]);
  await page.getByRole("searchbox").fill("nada disso");
  await shows("Nenhum modelo com «nada disso»");
  await page.getByRole("searchbox").fill("");
  await count(page.getByRole("listitem").getByRole("heading"), 100);
  await shows("131 modelos");
  await press("Mostrar mais modelos");
  await count(page.getByRole("listitem").getByRole("heading"), 131);
});

test("a template goes into a campaign's text where the cursor is; the text is saved as one, and nothing is created", async () => {
  const server = stored(
    fakeServer(world({ templates: [template({ name: "Fim", text: "Até já, {nome}!", attachment: pdf() })] })),
  );
  await renderApp("/campaigns/new");
  await page.getByLabelText(/^Nome/).first().fill("Natal");
  await field("Texto").fill("Boas festas. ");
  await press("Usar da biblioteca");
  await button(/^Fim.*Preços\.pdf/, dialog("Usar da biblioteca")).click();
  await expect.element(field("Texto")).toHaveValue("Boas festas. Até já, {nome}!");
  await press("Salvar como modelo");
  const made = dialog("Novo modelo");
  await expect.element(field("Nome do modelo", made)).toHaveValue("Natal");
  await button("Salvar modelo", made).click();
  await shows("Modelo «Natal» salvo");
  expect(server.world.templates.at(-1)).toMatchObject({
    name: "Natal",
    text: "Boas festas. Até já, {nome}!",
    attachment: pdf(),
  });
  expect(server.requests("POST /api/campaigns")).toEqual([]);
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
});

test("a campaign's details give its text and file to the library", async () => {
  const sent = campaign({ name: "Black Friday", text: "Oi, {nome}, *40%* hoje.", attachment: pdf() });
  const server = stored(fakeServer(world({ campaigns: [sent] })));
  await renderApp(`/campaigns?detalhes=${sent.id}`);
  await press("Salvar como modelo");
  await expect.element(field("Texto")).toHaveValue(sent.text);
  await userEvent.keyboard("{Escape}");
  await expect.element(field("Texto")).not.toBeInTheDocument();
  await press("Salvar como modelo");
  await press("Salvar modelo");
  await shows("Modelo «Black Friday» salvo");
  expect(server.world.templates).toMatchObject([
    { name: "Black Friday", text: sent.text, attachment: pdf() },
  ]);
});

test("an agent's instructions take a template", async () => {
  const templates = [
    template({ name: "Horários", text: "Abrimos às 9h." }),
    template({ name: "Tabela", text: "Segue", attachment: pdf() }),
  ];
  fakeServer(world({ templates }));
  await renderApp("/criar-robo");
  await page.getByLabelText(/^Instruções/).fill("Seja breve. ");
  await press("Usar da biblioteca");
  await button(/^Horários/, dialog("Usar da biblioteca")).click();
  await expect.element(page.getByLabelText(/^Instruções/)).toHaveValue("Seja breve. Abrimos às 9h.");
  await press("Usar da biblioteca");
  await button(/^Tabela/, dialog("Usar da biblioteca")).click();
  await expect
    .element(page.getByLabelText(/^Instruções/))
    .toHaveValue(
      "Seja breve. Abrimos às 9h.Para enviar o modelo «Tabela» com o arquivo dele, escreva só isto numa linha: [[/Tabela]]",
    );
});

test("the quick search leads to a template", async () => {
  fakeServer(world({ templates: [template({ name: "Boleto" }), template({ name: "Vacina", text: "Oi" })] }));
  const { router } = await renderApp("/");
  await press(/^Busca rápida/);
  await userEvent.keyboard("vacin");
  await page.getByRole("option", { name: "Vacina" }).click();
  await expect.poll(names).toEqual(["Vacina"]);
  expect(router.state.location.search).toEqual({ busca: "Vacina" });
});
