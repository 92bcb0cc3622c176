import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { EVERYONE } from "../../src/domain/audience.ts";
import {
  card,
  confirmLook,
  createCampaign,
  lastLook,
  list,
  name,
  preview,
  savesCampaigns,
  text,
} from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import {
  campaign,
  connection,
  contact,
  contactList,
  delivery,
  knownPerson,
  segment,
} from "./support/rows.ts";
import { button, dialog, pick, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const ledger = () => page.getByRole("region", { name: "Quem recebe e quem fica de fora" });
const line = (words: string) => ledger().getByRole("listitem").filter({ hasText: words });
const leaveOut = async (entry: string) => {
  await press("Deixar de fora");
  await pick(entry);
};

function clinic() {
  const matriz = connection({ name: "Matriz" });
  const exams = contactList({ name: "Exames", count: 6 });
  const team = contactList({ name: "Equipe", count: 2 });
  const old = campaign({ name: "Loja reformada", states: { read: 1 } });
  const quiet = segment({ name: "Sem resposta" });
  const server = fakeServer(
    world({
      connections: [matriz],
      lists: [exams, team],
      contacts: {
        [exams.id]: [0, 1, 2, 3, 4, 5].map((seq) => contact(seq, seq === 5 ? { optedOut: true } : {})),
        [team.id]: [0, 9].map((seq) => contact(seq)),
      },
      people: [3, 4, 7, 8].map((n) => knownPerson(n)),
      segments: [quiet],
      campaigns: [old, campaign({ name: "Rascunho", status: "draft" })],
      deliveries: { [old.id]: [delivery(1)] },
    }),
  );
  return { server, exams, team, old, quiet };
}

async function openForm() {
  const opened = clinic();
  await renderApp("/campaigns/new");
  await name().fill("Retorno");
  await text().fill("Oi, {nome}!");
  await list().selectOptions("Exames (6)");
  await shows("5 contatos receberão a mensagem");
  return opened;
}

test("one list stays a select and a number; what is added or left out makes a ledger with one total", async () => {
  const { server, exams, team, old, quiet } = await openForm();
  savesCampaigns(server);
  await expect.element(ledger()).not.toBeInTheDocument();

  await press("Lista ou segmento");
  await button(/^Sem resposta/, dialog("Enviar também para")).click();
  await expect.element(line("Segmento Sem resposta")).toMatchTextContent("4");
  await expect.element(line("Lista Exames")).toMatchTextContent("6");
  await expect.element(line("Estão em mais de uma")).toMatchTextContent("−2");
  await expect.element(line("Não querem campanhas")).toMatchTextContent("−1");
  await expect.element(list()).not.toBeInTheDocument();
  await expect.element(ledger()).toMatchTextContent("Recebem7");

  await leaveOut("Pessoas de uma lista");
  const lists = dialog("Deixar de fora as pessoas de uma lista");
  await expect.element(button(/^Exames/, lists)).not.toBeInTheDocument();
  await button(/^Equipe/, lists).click();
  await expect.element(line("Lista Equipe")).toMatchTextContent("−1");
  await leaveOut("Quem já recebeu uma campanha");
  const campaigns = dialog("Deixar de fora quem já recebeu uma campanha");
  await expect.element(button(/^Loja reformada/, campaigns)).toBeVisible();
  await expect.element(button(/^Rascunho/, campaigns)).not.toBeInTheDocument();
  await button(/^Loja reformada/, campaigns).click();
  await expect.element(line("Receberam Loja reformada")).toMatchTextContent("−1");
  await expect.element(ledger()).toMatchTextContent("Recebem5");
  await expect.element(preview()).toMatchTextContent("Pessoa 2");
  await expect.element(preview()).toMatchTextContent("1 de 5");
  await shows(/5 mensagens, /);

  await press("Criar Campanha");
  await expect.element(lastLook()).toMatchTextContent("5pessoas recebem");
  await expect.element(lastLook()).toMatchTextContent("Lista EquipeVer nomes1");
  await confirmLook();
  await expect.poll(() => location.pathname).toBe("/campaigns");
  expect(server.requests("POST /api/campaigns").map(({ body }) => [body.listId, body.audience])).toEqual([
    [
      exams.id,
      {
        listIds: [],
        segmentIds: [quiet.id],
        without: { listIds: [team.id], campaignIds: [old.id], talkedHours: null, unanswered: null },
      },
    ],
  ]);
});

test("what was added is removed by keyboard, the next list takes the first one's place, and the select returns", async () => {
  const { team } = await openForm();
  await press("Lista ou segmento");
  await button(/^Equipe/, dialog("Enviar também para")).click();
  await expect.element(ledger()).toMatchTextContent("Recebem6");
  await pressKey(button("Tirar Lista Exames"), "Enter");
  await expect.element(list()).toHaveValue(String(team.id));
  await expect.element(ledger()).not.toBeInTheDocument();
  await shows("2 contatos receberão a mensagem");
  expect(document.activeElement).not.toBe(document.body);
});

test("hours and campaigns of the talks are typed within their limits, and removed again", async () => {
  const { server } = await openForm();
  await leaveOut("Quem está em conversa");
  await leaveOut("Quem não responde");
  const hours = page.getByLabelText("Horas da conversa");
  await expect.element(hours).toHaveValue("48");
  await expect.element(page.getByLabelText("Campanhas sem resposta")).toHaveValue("3");
  await hours.fill("721");
  await expect.element(hours).toHaveAccessibleDescription("Use um número inteiro de 1 a 720.");
  await hours.fill("12");
  await expect.element(hours).not.toHaveAccessibleDescription();
  const asked = () => server.requests("POST /api/audience/count").at(-1)?.body.audience?.without;
  await expect.poll(asked).toMatchObject({ talkedHours: 12, unanswered: 3 });
  await press("Deixar de fora");
  await expect.element(page.getByRole("menuitem", { name: "Quem está em conversa" })).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await press("Tirar Em conversa nas últimas 12 horas");
  await press("Tirar Receberam 3 campanhas seguidas sem responder");
  await expect.element(ledger()).not.toBeInTheDocument();
});

test("«Ver» names the people of a line", async () => {
  const { server, team } = await openForm();
  await leaveOut("Pessoas de uma lista");
  await button(/^Equipe/, dialog("Deixar de fora as pessoas de uma lista")).click();
  await pressKey(button("Ver: Lista Equipe"), "Enter");
  const names = dialog("Lista Equipe");
  await expect.element(names).toMatchTextContent("Pessoa 0");
  await expect.element(names).toMatchTextContent("1 pessoa");
  await userEvent.keyboard("{Escape}");
  await expect.element(button("Ver: Lista Equipe")).toHaveFocus();
  expect(server.requests("POST /api/audience/names").map(({ body }) => body.line)).toEqual([
    `without-list:${team.id}`,
  ]);
});

test("no one gets it: the line that takes most is named", async () => {
  const { server } = await openForm();
  server.world.contacts[server.world.lists[1]?.id ?? 0] = [0, 1, 2, 3, 4].map((seq) => contact(seq));
  await leaveOut("Pessoas de uma lista");
  await button(/^Equipe/, dialog("Deixar de fora as pessoas de uma lista")).click();
  await expect
    .element(ledger())
    .toMatchTextContent("Ninguém recebe esta campanha. Quem mais tira gente: Lista Equipe (5 pessoas).");
});

test("old figures stay while it counts, and a failed count is said and asked again", async () => {
  const { server } = await openForm();
  const late = server.hold("POST /api/audience/count");
  await press("Lista ou segmento");
  await button(/^Equipe/, dialog("Enviar também para")).click();
  await late.asked;
  await expect.element(ledger()).toMatchTextContent("calculando5");
  await press("Criar Campanha");
  await expect.element(lastLook()).toMatchTextContent("Contando...");
  late.release();
  await expect.element(lastLook()).toMatchTextContent("6pessoas recebem");
  await button("Voltar", lastLook()).click();
  await expect.element(ledger()).toMatchTextContent("Recebem6");
  const refused = server.refuse("POST /api/audience/count", "unavailable");
  await press("Tirar Lista Equipe");
  await press("Lista ou segmento");
  await button(/^Sem resposta/, dialog("Enviar também para")).click();
  await shows("Erro ao contar as pessoas");
  await expect.element(button("Tirar Segmento Sem resposta")).toBeVisible();
  refused.stop();
  await press("Tentar novamente");
  await expect.element(ledger()).toMatchTextContent("Recebem7");
});

test("a total that changes under the same choices says what it was", async () => {
  const { server } = await openForm();
  await press("Lista ou segmento");
  await button(/^Equipe/, dialog("Enviar também para")).click();
  await expect.element(ledger()).toMatchTextContent("Recebem6");
  const [exams] = server.world.lists;
  server.world.contacts[exams?.id ?? 0] = [contact(1)];
  server.world.lists = server.world.lists.map((each) => ({ ...each, count: each === exams ? 1 : 2 }));
  await server.publish("contacts");
  await expect.element(ledger()).toMatchTextContent("Recebemantes 63");
});

test("a draft keeps its audience, also before it is saved, and «Reutilizar» copies it", async () => {
  const { server, exams, team, quiet } = await openForm();
  savesCampaigns(server);
  await press("Lista ou segmento");
  await button(/^Sem resposta/, dialog("Enviar também para")).click();
  await leaveOut("Pessoas de uma lista");
  await button(/^Equipe/, dialog("Deixar de fora as pessoas de uma lista")).click();
  await expect.element(ledger()).toMatchTextContent("Recebem6");
  await renderApp("/campaigns/new", { server });
  await expect.element(ledger()).toMatchTextContent("Recebem6");
  await press("Salvar Rascunho");
  await expect.poll(() => location.pathname).toBe("/campaigns");
  const audience = {
    ...EVERYONE,
    segmentIds: [quiet.id],
    without: { ...EVERYONE.without, listIds: [team.id] },
  };
  const stored = server.world.campaigns.find((each) => each.name === "Retorno");
  expect(stored).toMatchObject({ listId: exams.id, audience });
  await renderApp(`/campaigns/new?rascunho=${stored?.id}`, { server });
  await expect.element(line("Segmento Sem resposta")).toBeVisible();
  await renderApp(`/campaigns/new?reutilizar=${stored?.id}`, { server });
  await expect.element(line("Lista Equipe")).toMatchTextContent("−1");
  await createCampaign();
  await expect.poll(() => server.requests("POST /api/campaigns").at(-1)?.body.audience).toEqual(audience);
});

test("what was deleted is marked, stops the form until it is taken out, and the rest is counted", async () => {
  const { server, exams, team, old, quiet } = clinic();
  savesCampaigns(server);
  const draft = campaign({
    name: "Retorno",
    status: "draft",
    listId: exams.id,
    audience: {
      listIds: [],
      segmentIds: [quiet.id],
      without: { ...EVERYONE.without, listIds: [team.id], campaignIds: [old.id] },
    },
  });
  server.world.campaigns = [draft];
  server.world.lists = [exams];
  server.world.segments = [];
  await renderApp(`/campaigns/new?rascunho=${draft.id}`);
  await expect.element(line("Segmento excluído")).toBeVisible();
  await expect.element(line("Lista excluída")).toBeVisible();
  await expect.element(line("Campanha excluída")).toBeVisible();
  await expect.element(ledger()).toMatchTextContent("Recebem5");
  await press("Criar Campanha");
  await shows(/^Uma lista, um segmento ou uma campanha do público foi excluída\./);
  await expect.element(button("Tirar Segmento excluído")).toHaveFocus();
  expect(server.requests("PUT /api/campaigns/{id}")).toHaveLength(0);
  for (const each of ["Segmento excluído", "Lista excluída", "Campanha excluída"])
    await press(`Tirar ${each}`);
  await expect.element(list()).toHaveValue(String(exams.id));
  await createCampaign();
  await expect.poll(() => server.requests("PUT /api/campaigns/{id}")[0]?.body.audience).toBeNull();
});

test("a scheduled campaign of a segment misses no list, and its number of people is not made up", async () => {
  const { server, quiet } = clinic();
  const wall = `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)}T10:00`;
  server.world.campaigns = [
    campaign({
      name: "Retorno",
      status: "scheduled",
      schedule: { kind: "at", wall, zone: "America/Sao_Paulo" },
      scheduledAt: new Date(`${wall}:00-03:00`).toISOString(),
      listName: "Sem resposta",
      audience: { ...EVERYONE, segmentIds: [quiet.id] },
      people: null,
    }),
  ];
  await renderApp("/campaigns");
  await expect.element(card("Retorno")).toBeVisible();
  await expect.element(card("Retorno")).not.toMatchTextContent("excluída");
  await button(/^Mais ações/, card("Retorno")).click();
  await pick("Cancelar envio");
  await expect
    .element(page.getByRole("alertdialog"))
    .toMatchTextContent(/O envio, marcado para .+, não acontece\./);
  await renderApp(`/campaigns/new?rascunho=${server.world.campaigns[0]?.id}`, { server });
  await expect.element(line("Segmento Sem resposta")).toBeVisible();
  await leaveOut("Quem já recebeu uma campanha");
  await shows("Não há mais o que escolher.");
});

test("a segment alone is an audience", async () => {
  const { server, quiet } = clinic();
  savesCampaigns(server);
  await renderApp("/campaigns/new");
  await name().fill("Retorno");
  await text().fill("Oi!");
  await press("Lista ou segmento");
  await button(/^Sem resposta/, dialog("Enviar também para")).click();
  await expect.element(ledger()).toMatchTextContent("Recebem4");
  await createCampaign();
  await expect
    .poll(() => server.requests("POST /api/campaigns")[0]?.body)
    .toMatchObject({ listId: null, audience: { segmentIds: [quiet.id] } });
});
