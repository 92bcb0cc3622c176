import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { queriesOf } from "../../src/web/api/query-client.ts";
import {
  confirmLook,
  createCampaign,
  fill as fillFor,
  list,
  name,
  recovered,
  savesCampaigns,
} from "./support/campaign-form.ts";
import { currentServer, type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contactList } from "./support/rows.ts";
import { button, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const VIP = "Clientes VIP (3)";

function office() {
  const vip = contactList({ name: "Clientes VIP", count: 3 });
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })], lists: [vip] }));
  return { server, vip, answers: savesCampaigns(server) };
}

const fill = (title: string) => fillFor(title, VIP);
const savedBefore = () => page.getByText("Esta campanha já foi salva na tentativa anterior.");
const namesOf = ({ world: { campaigns } }: FakeServer) => campaigns.map((each) => each.name);
const left = () => expect.poll(() => location.pathname).toBe("/campaigns");

async function openAgain(address = "/campaigns/new") {
  queriesOf(currentServer()?.world.me?.id ?? "").clear();
  await renderApp(address);
}

async function loseAnswer(answers: { lost: boolean }, create: () => Promise<void> = createCampaign) {
  answers.lost = true;
  await create();
  const failed = page.getByRole("alert").filter({ hasText: "Não foi possível criar a campanha." });
  await expect.element(failed).toBeVisible();
  answers.lost = false;
}

async function createBeside(title: string) {
  await renderApp("/campaigns/new");
  await fill(title);
  await shows("3 contatos receberão a mensagem");
  const kept = Object.entries(localStorage);
  await createCampaign();
  await left();
  for (const [place, value] of kept) localStorage.setItem(place, value);
  await openAgain();
  await expect.element(recovered()).toBeVisible();
}

test("what is written after «Descartar e começar de novo» is another campaign than the one discarded", async () => {
  const { server, answers } = office();
  await renderApp("/campaigns/new");
  await fill("A primeira");
  await loseAnswer(answers);
  await openAgain();
  await expect.element(recovered()).toBeVisible();
  await press("Descartar e começar de novo");
  await fill("A segunda");
  await createCampaign();
  await shows("Campanha criada: o envio começa agora");
  expect(namesOf(server)).toEqual(["A primeira", "A segunda"]);
});

test("a text that two windows share makes one campaign, and another one only when asked for", async () => {
  const { server } = office();
  await createBeside("Nas duas");
  await name().fill("Só na segunda");
  await createCampaign();
  await expect.element(savedBefore()).toBeVisible();
  const link = page.getByRole("alert").getByRole("link", { name: "Ver campanhas" });
  await expect.element(link).toBeVisible();
  expect(namesOf(server)).toEqual(["Nas duas"]);
  await button("Criar como outra campanha").dblClick();
  await confirmLook();
  await left();
  expect(namesOf(server)).toEqual(["Nas duas", "Só na segunda"]);
});

test("the other campaign too is created once despite a lost answer and a reload", async () => {
  const { server, answers } = office();
  await createBeside("Nas duas");
  await name().fill("Só na segunda");
  await createCampaign();
  await expect.element(savedBefore()).toBeVisible();
  await loseAnswer(answers, async () => {
    await press("Criar como outra campanha");
    await confirmLook();
  });
  await openAgain();
  await expect.element(recovered()).toBeVisible();
  await createCampaign();
  await left();
  expect(namesOf(server)).toEqual(["Nas duas", "Só na segunda"]);
});

async function saveOver() {
  const { server, vip } = office();
  const draft = campaign({ name: "Rascunho", status: "draft", listId: vip.id });
  server.world.campaigns = [draft];
  await renderApp(`/campaigns/new?rascunho=${draft.id}`);
  await expect.element(name()).toHaveValue("Rascunho");
  server.world.campaigns = [{ ...draft, name: "Da primeira", updatedAt: new Date().toISOString() }];
  await server.publish("campaigns");
  await name().fill("Da segunda");
  await press("Salvar Rascunho");
  const refusal = page.getByRole("alert");
  await expect.element(refusal).toMatchTextContent("Esta campanha foi alterada depois que você a abriu.");
  await expect.element(refusal).toBeInViewport();
  await expect.element(name()).toHaveValue("Da segunda");
  expect(namesOf(server)).toEqual(["Da primeira"]);
  return { server, refusal, seeSaved: refusal.getByRole("link", { name: "Ver a versão salva" }) };
}

test("with one draft in two windows, the second to save keeps its text, and saves it over the first's when asked to", async () => {
  const { server, refusal } = await saveOver();
  await button("Salvar assim mesmo", refusal).click();
  await left();
  expect(namesOf(server)).toEqual(["Da segunda"]);
});

test("with one draft in two windows, the second to save sees the first's version in a tab of its own", async () => {
  const { seeSaved } = await saveOver();
  await expect.element(seeSaved).toHaveAttribute("target", "_blank");
  await openAgain(seeSaved.element().getAttribute("href") ?? "");
  await expect.element(name()).toHaveValue("Da primeira");
});

test("a copy sent unchanged goes out once, despite a lost answer and a reload", async () => {
  const { server, vip, answers } = office();
  const states = { read: 1, delivered: 1, skipped: 1 };
  const old = campaign({ name: "Outubro", listId: vip.id, status: "cancelled", states });
  server.world.campaigns = [old];
  await renderApp(`/campaigns/new?reutilizar=${old.id}`);
  await expect.element(name()).toHaveValue("Outubro (cópia)");
  await expect.element(list()).toHaveValue(String(vip.id));
  await shows("Quem já recebeu «Outubro» (2 pessoas) recebe de novo.");
  await loseAnswer(answers);
  await openAgain(`/campaigns/new?reutilizar=${old.id}`);
  await expect.element(name()).toHaveValue("Outubro (cópia)");
  await createCampaign();
  await left();
  expect(namesOf(server)).toEqual(["Outubro", "Outubro (cópia)"]);
});

test("a list is said to be deleted only when it is, however old it is", async () => {
  const { server, vip } = office();
  const newer = Array.from({ length: 1000 }, (_, n) => contactList({ name: `Mais nova ${n + 1}` }));
  server.world.lists = [vip, ...newer];
  const old = campaign({ name: "Outubro", listId: vip.id, listName: "Clientes VIP", states: { read: 3 } });
  server.world.campaigns = [old];
  const gone = page.getByText(/foi excluída/);
  await renderApp(`/campaigns/new?reutilizar=${old.id}`);
  await expect.element(list()).toHaveValue(String(vip.id));
  await shows("3 contatos receberão a mensagem");
  await expect.element(gone).not.toBeInTheDocument();
  await list().selectOptions("Escolha uma lista");
  await expect.element(list()).toHaveValue("");
  await expect.element(gone).not.toBeInTheDocument();
  await list().selectOptions(VIP);
  await createCampaign();
  await left();
  expect(namesOf(server)).toEqual(["Outubro", "Outubro (cópia)"]);

  server.world.lists = newer;
  server.world.campaigns = [{ ...old, listId: null }];
  await openAgain(`/campaigns/new?reutilizar=${old.id}`);
  await shows("A lista Clientes VIP foi excluída. Escolha outra.");
  await list().selectOptions("Mais nova 1000 (0)");
  await expect.element(gone).not.toBeInTheDocument();
});

test("a list of any age is offered to campaign, export and new contact; unnamed by number @spec 2.45", async () => {
  const { server, vip } = office();
  const nameless = contactList({ name: "", count: 2 });
  const manual = Array.from({ length: 2100 }, (_, n) => contactList({ name: `Contato ${n}`, count: 1 }));
  server.world.lists = [vip, nameless, ...manual];
  await renderApp("/campaigns/new");
  await list().selectOptions(VIP);
  await shows("3 contatos receberão a mensagem");
  await list().selectOptions(`Lista ${nameless.id} (2)`);
  await expect.element(list()).toHaveValue(String(nameless.id));

  await renderApp("/contacts");
  await press("Exportar");
  await list().selectOptions("Clientes VIP (3 contatos)");
  await expect.element(list()).toHaveValue(String(vip.id));
  await press("Fechar");
  await press("Novo Contato");
  const field = page.getByLabelText("Lista", { exact: true });
  await field.selectOptions("Clientes VIP (3 contatos)");
  await expect.element(field).toHaveValue(String(vip.id));
});
