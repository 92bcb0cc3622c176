import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { agent, assistantLink, connection, optOut } from "./support/rows.ts";
import { button, dialog, pick, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const undo = button("Desfazer");
const left = dialog("Quem não quer receber campanhas");

function reversibleOptOuts(server: FakeServer) {
  const { world: state } = server;
  server.on("DELETE /api/opt-outs/{phone}", ({ params }) => {
    const removed = state.optOuts.find(({ phone }) => `+${phone}` === params.phone);
    state.optOuts = state.optOuts.filter((each) => each !== removed);
    void server.publish("contacts");
    return { success: true, undo: JSON.stringify(removed) };
  });
  server.on("POST /api/opt-outs/restore", ({ body }) => {
    const restored = JSON.parse(body.undo);
    state.optOuts = [restored, ...state.optOuts];
    void server.publish("contacts");
    return restored;
  });
  server.on("POST /api/opt-outs", ({ body }) => {
    const phone = `55${body.phone.replace(/\D/g, "")}`;
    const before = state.optOuts.find((each) => each.phone === phone);
    if (before) return { ...before, reversible: false };
    const added = { ...optOut(0), phone };
    state.optOuts = [added, ...state.optOuts];
    void server.publish("contacts");
    return { ...added, reversible: true };
  });
}

test("a person let into campaigns by mistake is opted out again, by one request and with the original words", async () => {
  const optOuts = [optOut(1, { source: "reply", text: "Sair.", connectionName: "Matriz" })];
  const server = fakeServer(world({ optOuts }));
  reversibleOptOuts(server);
  await renderApp("/contacts");
  await press("Descadastrados (1)");
  await expect.element(left.getByText("Respondeu «Sair.» a Matriz")).toBeVisible();
  await button(/^Permitir de novo/, left).click();
  await undo.hover();
  await expect.element(left.getByText("Ninguém pediu para sair.")).toBeVisible();
  expect(server.world.optOuts).toEqual([]);
  holdClock();
  const restore = server.hold("POST /api/opt-outs/restore");
  const { x, y, width, height } = undo.element().getBoundingClientRect();
  await undo.dblClick();
  await vi.advanceTimersByTimeAsync(1_000);
  const there = document.elementFromPoint(x + width / 2, y + height / 2);
  if (!there) throw new Error("nothing is there");
  await page.elementLocator(there).click();
  await expect.element(left).toBeVisible();
  restore.release();
  await inTime(() => expect(page.getByText("continua sem receber campanhas").query()).not.toBeNull());
  await inTime(() => expect(left.getByText("Respondeu «Sair.» a Matriz").query()).not.toBeNull());
  expect(server.requests("POST /api/opt-outs/restore")).toHaveLength(1);
  expect(server.world.optOuts).toEqual(optOuts);
});

test("a number entered by mistake is taken out again; one that stood there before is not offered to be", async () => {
  const server = fakeServer(world());
  reversibleOptOuts(server);
  await renderApp("/contacts");
  await press("Descadastrados");
  const add = async () => {
    await left.getByLabelText("Não enviar campanhas para").fill("31 98765-0001");
    await button("Adicionar", left).click();
  };
  await add();
  await expect.element(left.getByText("Adicionado à mão")).toBeVisible();
  await expect.element(undo).toBeVisible();
  for (const keys of ["{Alt>}t{/Alt}", "{Tab}", "{Tab}"]) await userEvent.keyboard(keys);
  await expect.element(undo).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(left.getByText("Ninguém pediu para sair.")).toBeVisible();
  await expect.poll(() => left.element().contains(document.activeElement)).toBe(true);
  expect(server.world.optOuts).toEqual([]);
  server.world.optOuts = [{ ...optOut(0), phone: "5531987650001" }];
  await server.publish("contacts");
  await expect.element(left.getByText("Adicionado à mão")).toBeVisible();
  await add();
  await expect.element(page.getByText("não recebe mais campanhas").last()).toBeVisible();
  await expect.element(undo).not.toBeInTheDocument();
});

test("the way back stays twice as long as a notice that only tells", async () => {
  const server = fakeServer(world());
  reversibleOptOuts(server);
  await renderApp("/contacts");
  await press("Descadastrados");
  await left.getByLabelText("Não enviar campanhas para").fill("31 98765-0001");
  holdClock();
  await button("Adicionar", left).click();
  await inTime(() => expect(undo.query()).not.toBeNull(), 10);
  await vi.advanceTimersByTimeAsync(9_000);
  await expect.element(undo).toBeVisible();
  await vi.advanceTimersByTimeAsync(2_500);
  await expect.element(undo).not.toBeInTheDocument();
});

test("an assistant that was taken away is there again as it was, and an error is said", async () => {
  const line = connection({ name: "Matriz" });
  const clara = agent({ name: "Clara" });
  const link = assistantLink({
    connectionId: line.id,
    agentId: clara.id,
    agentName: "Clara",
    active: false,
    pauseMinutes: 7,
  });
  const server = fakeServer(world({ connections: [line], agents: [clara], links: [link] }));
  server.world.mistral = { ...server.world.mistral, source: "account" };
  server.on("DELETE /api/connections/{id}/assistant", () => {
    server.world.links = [];
    void server.publish("agents");
    return { success: true, undo: "selo" };
  });
  server.on("POST /api/connections/{id}/assistant/restore", ({ params, body }) => {
    if (params.id !== line.id || body.undo !== "selo" || server.world.links.length > 0)
      throw refuse("undo_too_late");
    server.world.links = [link];
    void server.publish("agents");
    return link;
  });
  await renderApp("/whatsapp/connections");
  await press("Ações de Matriz");
  await pick("Assistente");
  const linked = dialog("Assistente").getByRole("region", { name: "Clara" });
  const remove = async () => {
    await button("Remover", linked).click();
    await undo.hover();
    await expect.element(linked).not.toBeInTheDocument();
    expect(server.world.links).toEqual([]);
  };
  await remove();
  await undo.click();
  await expect.element(linked.getByText("Inativo", { exact: true })).toBeVisible();
  await expect.element(linked.getByLabelText("Pausa do assistente")).toHaveValue("7");
  expect(server.world.links).toEqual([link]);
  await expect.element(undo).not.toBeInTheDocument();

  await remove();
  const since = { ...link, active: true, pauseMinutes: 30 };
  server.world.links = [since];
  await undo.click();
  await shows("Não dá mais para desfazer.");
  expect(server.world.links).toEqual([since]);
});

function threeLines() {
  const lines = ["Matriz", "Filial", "Centro"].map((name, place) =>
    connection({ name, isDefault: place === 0 }),
  );
  const server = fakeServer(world({ connections: lines }));
  const isDefault = (name: string) => {
    const chosen = server.world.connections.filter((each) => each.isDefault);
    return expect(chosen.map((each) => each.name)).toEqual([name]);
  };
  const choose = (id: number) => {
    server.world.connections = server.world.connections.map((each) => ({
      ...each,
      isDefault: each.id === id,
    }));
    void server.publish("connections");
  };
  server.on("POST /api/connections/{id}/default", ({ params, query }) => {
    const before = server.world.connections.find((each) => each.isDefault);
    if (query.insteadOf !== undefined && query.insteadOf !== before?.id) throw refuse("undo_too_late");
    choose(params.id);
    const chosen = server.world.connections.find(({ id }) => id === params.id);
    if (!chosen) throw refuse("not_found");
    return chosen;
  });
  return { server, isDefault, choose, third: lines[2]?.id ?? 0 };
}

test("the connection that was the default one is it again, and the focus keeps the way back open", async () => {
  const { isDefault } = threeLines();
  await renderApp("/whatsapp/connections");
  const menu = button("Ações de Filial");
  await expect.element(menu).toBeVisible();
  holdClock();
  await pressKey(menu, "Enter");
  await inTime(() => expect(page.getByRole("menuitem").elements().length).toBeGreaterThan(0));
  await pressKey(page.getByRole("menuitem", { name: "Tornar padrão" }), "Enter");
  await inTime(() => expect(page.getByText("Filial é a conexão padrão").query()).not.toBeNull());
  isDefault("Filial");
  await inTime(() => expect(document.activeElement).toBe(menu.element()));
  undo.element().focus();
  const notice = undo.element().closest("[data-sonner-toast]");
  await inTime(() => expect(notice?.getAttribute("data-expanded")).toBe("true"));
  for (let passed = 0; passed < 30_000; passed += 1_000) await vi.advanceTimersByTimeAsync(1_000);
  await expect.element(undo).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await inTime(() => expect(document.activeElement).toBe(menu.element()));
  await inTime(() => expect(page.getByText("Matriz é a conexão padrão").query()).not.toBeNull());
  isDefault("Matriz");
  await expect.element(undo).not.toBeInTheDocument();
});

test("a default connection chosen elsewhere since is not taken back, and the menu works as before", async () => {
  const { isDefault, choose, third } = threeLines();
  await renderApp("/whatsapp/connections");
  const menu = button("Ações de Filial");
  await menu.click();
  await pick("Tornar padrão");
  await expect.element(undo).toBeVisible();
  choose(third);
  await undo.click();
  const refused = page.getByText("Não dá mais para desfazer.");
  await expect.element(refused).toBeVisible();
  isDefault("Centro");
  await expect.element(menu).toHaveFocus();
  await refused.click();
  await menu.click();
  await expect.element(page.getByRole("menuitem", { name: "Tornar padrão" })).toBeVisible();
});
