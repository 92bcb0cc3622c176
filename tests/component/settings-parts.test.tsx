import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { holdClock, inTime } from "./support/held-clock.ts";
import { renderApp } from "./support/render-app.tsx";
import { apiKey, connection, minutesAgo } from "./support/rows.ts";
import { button, press, pressSays, shows, texts } from "./support/screen.ts";
import { world } from "./support/world.ts";

const KEY = "rcd_abc_a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d2";

function withKeys() {
  const server = fakeServer();
  server.on("POST /api/settings/api-keys", ({ body: { name, scope } }) => {
    const made = apiKey({ name, scope, createdAt: minutesAgo(0) });
    server.world.keys = [made];
    return { key: KEY, apiKey: made };
  });
  return server;
}

test("a name without a space stays inside the window that shows it", async () => {
  withKeys();
  await page.viewport(390, 844);
  await renderApp("/settings?aba=chaves");
  await press("Gerar nova chave");
  const opened = page.getByRole("dialog");
  await opened.getByLabelText("Nome").fill("Umapalavrasemespacos".repeat(3));
  await button("Gerar chave", opened).click();
  const title = opened.getByRole("heading", { name: /^Chave «Umapalavra/ });
  await expect.element(title).toBeVisible();
  expect(title.element().scrollWidth - title.element().clientWidth).toBe(0);
});

test("a key is shown once, with what it opens, and can be revoked @spec 2.56 @decision 16", async () => {
  const server = withKeys();
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const { queries } = await renderApp("/settings?aba=chaves");
  await shows("Nenhuma chave de API");
  await press("Gerar nova chave");
  const opened = page.getByRole("dialog");
  await button("Gerar chave", opened).click();
  await expect.element(opened.getByText("Informe o nome.")).toBeVisible();
  await opened.getByLabelText("Nome").fill("Painel da loja");
  await opened.getByRole("radio", { name: "Só ler" }).click();
  await opened.getByLabelText("Validade").selectOptions("90 dias");
  await button("Gerar chave", opened).click();
  await expect.element(opened.getByRole("heading", { name: "Chave «Painel da loja» gerada" })).toBeVisible();
  expect(server.requests("POST /api/settings/api-keys").map(({ body }) => body)).toMatchObject([
    { name: "Painel da loja", scope: "read", days: 90 },
  ]);
  await expect.element(opened.getByText("Copie a chave agora.")).toBeVisible();
  const field = opened.getByLabelText("Chave", { exact: true });
  await expect.element(field).toHaveAttribute("type", "password");
  await expect.element(field).toHaveFocus();
  await button("Mostrar a chave", opened).click();
  await expect.element(field).toHaveAttribute("type", "text");
  await expect.element(field).toHaveValue(KEY);
  await pressSays(button("Copiar chave", opened), "Copiado!");
  expect(copied).toHaveBeenCalledExactlyOnceWith(KEY);
  await userEvent.keyboard("{Escape}");
  await expect.element(opened).toBeVisible();
  await button("Já guardei a chave", opened).click();
  await expect.element(opened).not.toBeInTheDocument();
  await expect.element(page.getByText(KEY)).not.toBeInTheDocument();
  queries.clear();
  await revoke(server);
});

async function revoke(server: ReturnType<typeof withKeys>) {
  server.world.keys = server.world.keys.map((each) => ({ ...each, lastUsedAt: minutesAgo(1) }));
  server.on("DELETE /api/settings/api-keys/{id}", ({ params }) =>
    apiKey({ ...server.world.keys.find(({ id }) => id === params.id), revokedAt: minutesAgo(0) }),
  );
  await renderApp("/settings?aba=chaves");
  const row = page.getByRole("row", { name: /Painel da loja/ });
  await expect.element(row).toMatchTextContent("Só ler");
  await expect.element(row).toMatchTextContent("Ativa");
  await expect.element(row).toMatchTextContent(/(hoje|ontem) às/);
  expect(document.documentElement.outerHTML).not.toContain(KEY);
  await button("Revogar: Painel da loja", row).click();
  const question = page.getByRole("alertdialog", { name: "Revogar a chave «Painel da loja»?" });
  await expect.element(question.getByText(/Ela foi usada pela última vez/)).toBeVisible();
  await button("Revogar", question).click();
  await expect.element(row.getByText("Revogada")).toBeVisible();
  await expect.element(button("Revogar: Painel da loja", row)).not.toBeInTheDocument();
}

test("the state of every connection is there, with its cause, and moves by itself @spec 2.57 @decision 16", async () => {
  const server = fakeServer();
  await renderApp("/settings?aba=conexao");
  await shows("Nenhuma conexão encontrada");
  const away = connection({ name: "Unidade Savassi", state: "disconnected", cause: "logged_out" });
  server.world.connections = [connection({ name: "Matriz – Centro" }), away];
  await server.publish("connections");
  await shows("1 de 2 conexões conectadas");
  const list = page.getByRole("list", { name: "Estado das conexões" });
  const savassi = list.getByRole("listitem").filter({ hasText: "Unidade Savassi" });
  await expect.element(savassi).toMatchTextContent("Desconectado");
  await expect.element(savassi).toMatchTextContent("A sessão foi encerrada no celular.");
  Object.assign(away, { state: "connected", cause: null, campaigns: { ...away.campaigns, sending: 2 } });
  await server.publish("connections", away.id);
  await shows("2 de 2 conexões conectadas");
  await expect.element(savassi).toMatchTextContent("Enviando 2 campanhas");
  await page.getByRole("link", { name: "Gerenciar conexões" }).click();
  await expect.element(page.getByRole("heading", { level: 1, name: "Conexões WhatsApp" })).toBeVisible();
});

test("the month's messages stand against the limit, the months before in a table @spec 2.59,9.16 @decision 16", async () => {
  holdClock();
  const { usage } = world();
  const counted = { campaigns: 7, single: 2, total: 9, limit: 10 };
  const history = [{ month: "2026-10", total: 840 }];
  const server = fakeServer(world({ usage: { ...usage, ...counted, history } }));
  await renderApp("/settings?aba=uso");
  const bar = page.getByRole("progressbar", { name: "Uso do limite do mês" });
  await inTime(() => expect(bar.query()).not.toBeNull());
  expect(bar.element().getAttribute("aria-valuetext")).toBe("9 de 10 mensagens");
  expect(page.getByText(/1 mensagem resta neste mês/).query()).not.toBeNull();
  expect(page.getByText("90,0% do limite já foi usado.").query()).not.toBeNull();
  expect(texts(page.getByRole("definition"))).toEqual(["7", "2"]);
  const before = page.getByRole("table", { name: "Meses anteriores" }).getByRole("row");
  expect(texts(before)[1]).toBe("outubro de 2026840");
  server.world.usage.limit = 9;
  await vi.advanceTimersByTimeAsync(15_000);
  const reached = page.getByText("O limite do mês foi atingido.");
  await inTime(() => expect(reached.query()).not.toBeNull());
});
