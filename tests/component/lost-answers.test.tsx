import { expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { ListedCampaign } from "../../src/contract/campaigns.ts";
import { losable } from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contactList, delivery } from "./support/rows.ts";
import { button, count, pick, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const question = () => page.getByRole("alertdialog");
const card = (name: string) => page.getByRole("article", { name });
const gone = (locator: Locator) => expect.element(locator).not.toBeInTheDocument();
const LOST = "O servidor não respondeu.";

async function confirm(verb: string) {
  await button(verb, question()).click();
  await gone(question());
}

const change = (server: FakeServer, id: number, changes: Partial<ListedCampaign>) => {
  const { campaigns } = server.world;
  server.world.campaigns = campaigns.map((each) => (each.id === id ? { ...each, ...changes } : each));
};

/** Another window is first: each answer is the refusal. */
function overtake(
  server: FakeServer,
  action: "pause" | "resume" | "confirm" | "cancel",
  made: (row: ListedCampaign) => Partial<ListedCampaign> & { life: string },
) {
  server.on(`POST /api/campaigns/{id}/${action}`, ({ params: { id } }) => {
    const row = server.world.campaigns.find((each) => each.id === id) ?? campaign();
    const { life, ...changes } = made(row);
    change(server, id, changes);
    throw refuse("campaign_wrong_state", { details: { life } });
  });
}

test("a list whose deletion was not heard of is deleted when that is pressed again", async () => {
  const clientes = contactList({ name: "Clientes", count: 3 });
  const server = fakeServer(world({ lists: [clientes] }));
  const answers = losable(server, "DELETE /api/contact-lists/{id}", () => {
    if (server.world.lists.length === 0) throw refuse("not_found");
    server.world.lists = [];
    return { contacts: 3 };
  });
  answers.lost = true;
  await renderApp("/contacts");
  await press("Excluir Lista: Clientes");
  await button("Excluir", question()).click();
  await expect.element(question().getByRole("alert")).toMatchTextContent(LOST);
  answers.lost = false;
  await confirm("Excluir");
  await shows("Lista «Clientes» excluída; os 3 contatos continuam em «Todas as pessoas»");
  await shows("Nenhuma lista de contatos");
});

test("a draft that another window has deleted is deleted, and a campaign that it has cancelled is cancelled", async () => {
  const draft = campaign({ name: "Natal", status: "draft" });
  const paused = campaign({ name: "Páscoa", status: "paused", states: { pending: 2 } });
  const server = fakeServer(world({ campaigns: [draft, paused] }));
  await renderApp("/campaigns");
  const ask = async (name: string, what: string) => {
    await press(`Mais ações de ${name}`);
    await pick(what);
  };
  server.on("DELETE /api/campaigns/{id}", () => {
    server.world.campaigns = [paused];
    throw refuse("not_found");
  });
  await ask("Natal", "Excluir rascunho");
  await confirm("Excluir");
  await shows("Rascunho Natal excluído");
  await gone(card("Natal"));

  overtake(server, "cancel", () => ({ status: "cancelled", life: "cancelled" }));
  await ask("Páscoa", "Cancelar envio");
  await confirm("Cancelar envio");
  await shows("Páscoa: envio cancelado");
  await expect.element(card("Páscoa")).toMatchTextContent("Cancelada");
});

test("a campaign that another window has paused, continued or confirmed is so", async () => {
  const made = (name: string, given: Partial<ListedCampaign>) =>
    campaign({ name, status: "paused", states: { pending: 2 }, ...given });
  const campaigns = [
    made("Natal", { status: "sending" }),
    made("Páscoa", {}),
    made("Outono", {}),
    made("Inverno", { cause: "missed", actions: ["confirm", "cancel"] }),
    made("Verão", { cause: "restored", scheduledAt: new Date(Date.now() + 86_400_000).toISOString() }),
  ];
  const server = fakeServer(world({ campaigns, connections: [connection({ name: "Matriz" })] }));
  await renderApp("/campaigns");
  overtake(server, "pause", () => ({ status: "paused", cause: "user", life: "paused" }));
  await button("Pausar", card("Natal")).click();
  await shows("Natal: envio pausado");
  await expect.element(card("Natal")).toMatchTextContent("Pausada");

  overtake(server, "resume", ({ name }) => {
    if (name === "Páscoa") return { status: "sending", cause: null, life: "sending" };
    if (name === "Outono") return { status: "paused", cause: "connection", life: "sending" };
    return { status: "scheduled", cause: null, life: "scheduled" };
  });
  await button("Continuar", card("Páscoa")).click();
  await expect.element(page.getByText("Páscoa: o envio continua", { exact: true })).toBeVisible();
  await button("Continuar", card("Outono")).click();
  await shows("Outono: o envio continua quando a conexão puder enviar");
  await button("Continuar", card("Verão")).click();
  await shows("Verão: o envio espera de novo pela hora marcada");
  await expect.element(card("Verão")).toMatchTextContent("Agendada");

  overtake(server, "confirm", () => ({ status: "sending", cause: null, life: "starting" }));
  await button("Confirmar", card("Inverno")).click();
  await confirm("Enviar agora");
  await shows("Inverno: o envio começou");
});

test("a doubt that another window has decided alike is decided, and one decided otherwise says so", async () => {
  const natal = campaign({ name: "Natal", status: "partially_completed", states: { uncertain: 4 } });
  natal.connectionId = connection().id;
  const doubts = [0, 1, 2, 3].map((seq) => delivery(seq, { status: "uncertain" }));
  const server = fakeServer(world({ campaigns: [natal], deliveries: { [natal.id]: doubts } }));
  const decided = (action: string) => (call: { params: { seq: number } }) => {
    server.world.deliveries[natal.id] = doubts.filter(({ seq }) => seq > call.params.seq);
    throw refuse("delivery_already_resolved", { details: { action } });
  };
  const place = "POST /api/campaigns/{id}/deliveries/{seq}" as const;
  server.on(`${place}/mark-sent`, decided("mark_sent"));
  server.on(`${place}/ignore`, decided("ignore"));
  server.on(`${place}/resend`, decided("resend"));
  await renderApp(`/campaigns?detalhes=${natal.id}&status=uncertain`);
  const decide = async (seq: number, what: string) => {
    await count(page.getByRole("dialog").getByRole("button", { name: /^Resolver o envio/ }), 4 - seq);
    await press(`Resolver o envio para Pessoa ${seq}`);
    await pick(what);
  };
  await decide(0, "Marcar como enviado");
  await shows("Envio para Pessoa 0 marcado como enviado");
  await decide(1, "Ignorar");
  await shows("Envio para Pessoa 1 ignorado");
  await decide(2, "Reenviar mesmo assim");
  await confirm("Reenviar mesmo assim");
  await shows("A mensagem para Pessoa 2 será enviada de novo");
  server.on(`${place}/ignore`, decided("mark_sent"));
  await decide(3, "Ignorar");
  await shows("Este envio já foi resolvido.");
});

test("a question answered in another window closes", async () => {
  const [filial, matriz] = [connection({ name: "Filial" }), connection({ name: "Matriz" })];
  const states = { read: 1, error: 3 };
  const ended = campaign({ name: "Óculos", status: "partially_completed", states });
  const server = fakeServer(world({ campaigns: [ended], connections: [filial, matriz] }));
  await renderApp("/campaigns");
  await press("Reenviar falhas (3)");
  await expect.element(question()).toMatchTextContent("Reenviar para 3 pessoas?");
  change(server, ended.id, { resendable: 0, actions: ["reuse", "archive", "delete"] });
  server.world.campaigns.push(campaign({ name: "Óculos (reenvio)", status: "sending" }));
  await server.publish("campaigns");
  await gone(question());
  await count(page.getByRole("article"), 2);
  await gone(button("Reenviar falhas (3)"));

  await renderApp("/whatsapp/connections");
  await press("Ações de Filial");
  await pick("Desconectar");
  await expect.element(question()).toMatchTextContent("Desconectar Filial?");
  const cause = "disconnected_by_user";
  Object.assign(filial, { desired: "disconnected", state: "disconnected", cause });
  await server.publish("connections");
  await gone(question());
  await expect.element(button("Ações de Filial")).toHaveFocus();
});

test("what was agreed to stays to be read when its answer is lost, and is done once", async () => {
  const states = { read: 1, error: 3 };
  const ended = campaign({ name: "Óculos", status: "partially_completed", states });
  const server = fakeServer(world({ campaigns: [ended] }));
  const resent = campaign({ name: "Óculos (reenvio)", status: "sending" });
  const answers = losable(server, "POST /api/campaigns/{id}/resend-failures", () => {
    if (!server.world.campaigns.includes(resent)) server.world.campaigns.push(resent);
    change(server, ended.id, { resendable: 0, actions: ["reuse", "archive", "delete"] });
    const { inPeriod: _, ...made } = resent;
    return made;
  });
  answers.lost = true;
  await renderApp("/campaigns");
  await press("Reenviar falhas (3)");
  await button("Reenviar", question()).click();
  await expect.element(question().getByRole("alert")).toMatchTextContent(LOST);
  await gone(page.getByText("Reenviar falhas (3)"));
  await expect.element(question()).toMatchTextContent("Reenviar para 3 pessoas?");
  answers.lost = false;
  await confirm("Reenviar");
  await count(page.getByRole("article"), 2);
});
