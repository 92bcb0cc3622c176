import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { changeCampaign, withPeople } from "./support/campaign-people.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contactList, minutesAgo } from "./support/rows.ts";
import { button, count, pick, press, pressAfter, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const card = (name: string) => page.getByRole("article", { name, exact: true });
const asked = page.getByRole("alertdialog");
const status = page.getByLabelText("Status", { exact: true });

const CONNECTED = { connectionId: 1, connectionName: "Matriz" };
const HELD = { status: "paused", cause: "connection", connectionCause: "network" } as const;

function resends(server: FakeServer, given: Parameters<typeof campaign>[0]) {
  server.on("POST /api/campaigns/{id}/resend-failures", ({ params: { id } }) => {
    const of = server.world.campaigns.find((each) => each.id === id);
    const made = campaign({ ...CONNECTED, name: `${of?.name} (reenvio)`, resendsId: id, ...given });
    server.world.campaigns = [made, ...server.world.campaigns];
    const { inPeriod: _, ...answer } = made;
    return answer;
  });
}

function deletes(server: FakeServer) {
  server.on("DELETE /api/campaigns/{id}", ({ params: { id } }) => {
    server.world.campaigns = server.world.campaigns.filter((each) => each.id !== id);
    return { success: true };
  });
}

test("nothing is said to be sent by what is pressed while the connection sends nothing", async () => {
  const list = contactList({ name: "Clientes", count: 3 });
  const of = { ...CONNECTED, listId: list.id, listName: "Clientes" };
  const missed = { status: "paused", cause: "missed", scheduledAt: minutesAgo(180), started: false } as const;
  const server = fakeServer(
    world({
      lists: [list],
      campaigns: [
        campaign({ ...of, name: "Pausada antes", status: "paused", states: { sent: 1, pending: 2 } }),
        campaign({ ...of, name: "Com falhas", status: "partially_completed", states: { read: 1, error: 2 } }),
        campaign({ ...of, ...missed, name: "Perdida", people: 3, actions: ["confirm", "cancel"] }),
      ],
    }),
  );
  server.on("POST /api/campaigns/{id}/resume", ({ params: { id } }) => changeCampaign(server, id, HELD));
  server.on("POST /api/campaigns/{id}/confirm", ({ params: { id } }) => changeCampaign(server, id, HELD));
  resends(server, { ...HELD, states: { pending: 2 } });
  await renderApp("/campaigns");
  const said = (text: string) => expect.element(page.getByText(text, { exact: true })).toBeVisible();
  await button("Continuar", card("Pausada antes")).click();
  await said("Pausada antes: o envio continua quando a conexão puder enviar");
  await button("Confirmar", card("Perdida")).click();
  await button("Enviar agora", asked).click();
  await said("Perdida: o envio começa quando a conexão puder enviar");
  await button("Reenviar falhas (2)", card("Com falhas")).click();
  await button("Reenviar", asked).click();
  await said("Com falhas (reenvio) criada: o envio começa quando a conexão puder enviar");
});

test("a campaign that stands still for its connection can be paused all the same, from its menu", async () => {
  const waits = campaign({
    ...CONNECTED,
    ...HELD,
    name: "Natal",
    actions: ["pause", "cancel"],
    states: { pending: 2 },
  });
  const server = fakeServer(world({ campaigns: [waits] }));
  server.on("POST /api/campaigns/{id}/pause", ({ params: { id } }) =>
    changeCampaign(server, id, { status: "paused", cause: "user", connectionCause: null }),
  );
  await renderApp("/campaigns");
  await expect.element(button("Pausar", card("Natal"))).not.toBeInTheDocument();
  await button("Mais ações de Natal", card("Natal")).click();
  await pick("Pausar");
  await shows("Natal: envio pausado");
  await expect.element(button("Continuar", card("Natal"))).toBeVisible();
});

test("cancelling asks with how many get nothing, also where messages may already be on their way @decision 10", async () => {
  const sending = { name: "Black Friday", status: "sending", ...CONNECTED } as const;
  const server = fakeServer(
    world({ campaigns: [campaign({ ...sending, states: { sent: 612, pending: 638 } })] }),
  );
  await renderApp("/campaigns");
  const question = async (text: string) => {
    await press("Mais ações de Black Friday");
    await pick("Cancelar envio");
    await expect
      .element(page.getByRole("alertdialog", { name: "Cancelar o envio de Black Friday?" }))
      .toBeVisible();
    await expect.element(asked).toMatchTextContent(text);
    await expect.element(asked).toMatchTextContent("As 612 mensagens já enviadas continuam no histórico.");
    await expect.element(button("Voltar", asked)).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    await expect.element(asked).not.toBeInTheDocument();
  };
  await question("638 pessoas não recebem a mensagem.");
  server.world.campaigns = [campaign({ ...sending, states: { sent: 612, pending: 636, waiting: 2 } })];
  await renderApp("/campaigns");
  await question("638 pessoas não recebem a mensagem, a não ser que ela já tenha saído.");
  expect(server.requests("POST /api/campaigns/{id}/cancel")).toEqual([]);
});

test("a draft is deleted only after being asked @decision 10", async () => {
  const server = fakeServer(world({ campaigns: [campaign({ name: "Sobra", status: "draft" })] }));
  deletes(server);
  await renderApp("/campaigns");
  await press("Mais ações de Sobra");
  await pick("Excluir rascunho");
  await expect.element(page.getByRole("alertdialog", { name: "Excluir o rascunho Sobra?" })).toBeVisible();
  expect(server.requests("DELETE /api/campaigns/{id}")).toEqual([]);
  await button("Excluir", asked).click();
  await expect.element(page.getByRole("heading", { name: "Nenhuma campanha encontrada" })).toBeVisible();
});

test("failures stand there in the product's lines and can all be copied @spec 8.5 @decision 32", async () => {
  const { people, lines } = withPeople({ error: 30 }, { name: "Falhou" });
  const server = fakeServer(world(people));
  server.on("GET /api/campaigns/{id}/failures", () => new Response(`${lines.join("\n")}\n`));
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await renderApp("/campaigns");
  const shown = page.getByRole("textbox", { name: "Falhas de envio de Falhou" });
  await expect.element(shown).toHaveValue(lines.slice(0, 20).join("\n"));
  expect(lines[0]).toBe("Falha ao enviar mensagem para 5531900000000: este número não tem WhatsApp");
  await pressAfter(button("copiar todas"), () => {});
  await expect.element(page.getByText("Copiado!")).toBeVisible();
  expect(copied.mock.lastCall?.[0].trim().split("\n")).toHaveLength(30);
});

test("failures are sent again as a campaign of their own, after being asked", async () => {
  const states = { read: 5, error: 14 };
  const eyes = campaign({
    ...CONNECTED,
    name: "Óculos",
    status: "partially_completed",
    states,
    resendable: 12,
  });
  const server = fakeServer(world({ campaigns: [eyes] }));
  resends(server, { status: "sending", states: { pending: 12 } });
  await renderApp("/campaigns");
  await button("Reenviar falhas (12)", card("Óculos")).click();
  await expect.element(page.getByRole("alertdialog", { name: "Reenviar para 12 pessoas?" })).toBeVisible();
  await expect
    .element(asked)
    .toMatchTextContent("Quem já recebeu em outro reenvio, ou não quer campanhas, também não.");
  await button("Reenviar", asked).click();
  await expect.element(asked).not.toBeInTheDocument();
  await count(page.getByRole("article"), 2);
  await expect.element(page.getByRole("article").first()).toMatchTextContent("Reenvio de falhas");
  expect(server.requests("POST /api/campaigns/{id}/resend-failures").map(({ query }) => query)).toEqual([
    { through: 1 },
  ]);
});

test("a change made elsewhere appears by itself", async () => {
  const live = campaign({
    ...CONNECTED,
    name: "Ao vivo",
    status: "sending",
    states: { sent: 1, pending: 9 },
  });
  const server = fakeServer(world({ campaigns: [live] }));
  await renderApp("/campaigns");
  await expect.element(card("Ao vivo")).toMatchTextContent("Em Andamento");
  changeCampaign(server, live.id, { status: "paused", cause: "user", progress: null });
  await server.publish("campaigns", live.id);
  await expect.element(card("Ao vivo")).toMatchTextContent("Pausada");
});

test("a day is typed by keyboard as it is meant, and the two of a period the wrong way round are turned", async () => {
  const [from, to] = [
    page.getByLabelText("De", { exact: true }),
    page.getByLabelText("Até", { exact: true }),
  ];
  const shown = async (de: string, ate: string) => {
    await expect.poll(() => location.search).toBe(`?de=${de}&ate=${ate}`);
    await expect.element(from).toHaveValue(de);
    await expect.element(to).toHaveValue(ate);
  };
  const focus = async (field: typeof from) => (await field.findElement()).focus();
  fakeServer(world({ campaigns: [campaign({ name: "Aqui", states: { read: 1 } })] }));
  await renderApp("/campaigns?de=2026-11-20&ate=2026-11-25");
  await shown("2026-11-20", "2026-11-25");
  await focus(to);
  await userEvent.keyboard("12122026");
  await shown("2026-11-20", "2026-12-12");
  await to.fill("2026-10-10");
  await focus(from);
  await shown("2026-10-10", "2026-11-20");
  await renderApp("/campaigns?de=2026-11-20&ate=2026-11-20");
  await to.fill("2026-11-11");
  await focus(status);
  await shown("2026-11-11", "2026-11-20");
  await from.fill("2026-12-12");
  await focus(status);
  await shown("2026-11-20", "2026-12-12");
});

test("26.15 a campaign that is over is archived and brought back, and deleted after a question that says what is lost", async () => {
  const gone = { status: "partially_completed", states: { read: 1, sent: 2, error: 1 } } as const;
  const server = fakeServer(
    world({
      campaigns: [
        campaign({ ...CONNECTED, name: "Fica", states: { read: 1 } }),
        campaign({ ...CONNECTED, ...gone, name: "Vai" }),
      ],
    }),
  );
  server.on("POST /api/campaigns/{id}/archive", ({ params: { id } }) =>
    changeCampaign(server, id, { archivedAt: minutesAgo(0) }),
  );
  server.on("POST /api/campaigns/{id}/unarchive", ({ params: { id } }) =>
    changeCampaign(server, id, { archivedAt: null }),
  );
  deletes(server);
  await renderApp("/campaigns");
  const choose = async (entry: string) => {
    await button("Mais ações de Vai", card("Vai")).click();
    await pick(entry);
  };
  const leaves = (name: string) => expect.element(card(name)).not.toBeInTheDocument();
  await choose("Arquivar");
  await leaves("Vai");
  await press("Desfazer");
  await expect.element(card("Vai")).toBeVisible();
  await choose("Arquivar");
  await leaves("Vai");
  await status.selectOptions("Arquivadas");
  await expect.poll(() => location.search).toContain("arquivadas=true");
  await leaves("Fica");
  await choose("Desarquivar");
  await shows("Nenhuma campanha está arquivada.");
  await press("Ver todas");
  await choose("Excluir campanha");
  await expect.element(page.getByRole("alertdialog", { name: "Excluir a campanha Vai?" })).toBeVisible();
  await expect
    .element(asked)
    .toMatchTextContent(
      "O texto e o que aconteceu com 4 pessoas se perdem, também nas conversas. As mensagens enviadas continuam no WhatsApp de quem recebeu e contam no uso do mês. As falhas não podem mais ser reenviadas.",
    );
  await button("Excluir", asked).click();
  await leaves("Vai");
  await expect.element(card("Fica")).toBeVisible();
});
