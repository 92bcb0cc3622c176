import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { createCampaign, fill, lastLook, preview, savesCampaigns } from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contactList } from "./support/rows.ts";
import { button, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const LINE = "Responda SAIR para não receber mais";
const line = page.getByRole("checkbox", { name: `Acrescentar «${LINE}»` });
const answer = page.getByRole("form", { name: "Resposta a quem pede para sair" });
const words = answer.getByLabelText("Texto da resposta");

function office(campaigns: ReturnType<typeof campaign>[] = []) {
  const server = fakeServer(
    world({
      connections: [connection({ name: "Matriz" })],
      lists: [contactList({ name: "Clientes", count: 3 })],
      campaigns,
    }),
  );
  savesCampaigns(server);
  return server;
}

test("the line about leaving is off until chosen, then previewed, counted and sent", async () => {
  const server = office();
  await renderApp("/campaigns/new");
  await fill("Natal", "Clientes (3)");
  await expect.element(line).not.toBeChecked();
  await shows("30 de 4.096 caracteres");
  await line.click();
  await shows("67 de 4.096 caracteres");
  await expect.element(preview()).toMatchTextContent(LINE);
  await line.click();
  await expect.element(preview()).not.toMatchTextContent(LINE);
  await line.click();
  await press("Criar Campanha");
  await expect.element(lastLook()).toMatchTextContent(LINE);
  await button("Criar Campanha", lastLook()).click();
  await expect.poll(() => location.pathname).toBe("/campaigns");
  await expect.element(page.getByRole("article", { name: "Natal" })).toMatchTextContent(LINE);
  const [request] = server.requests("POST /api/campaigns");
  expect(request?.body).toMatchObject({ text: "Oi, {nome}! *40%* até domingo.", leaveHint: true });
});

test("«Reutilizar» keeps the line", async () => {
  const old = campaign({ name: "Natal", leaveHint: true });
  const server = office([old]);
  await renderApp(`/campaigns/new?reutilizar=${old.id}`);
  await expect.element(line).toBeChecked();
  await fill("Ano novo", "Clientes (3)");
  await createCampaign();
  await expect.poll(() => server.requests("POST /api/campaigns").at(-1)?.body.leaveHint).toBe(true);
});

test("the answer to those who leave is the account's own, and the standard one once emptied", async () => {
  const server = fakeServer();
  const usual = server.world.optOutConfirmation;
  server.on("PUT /api/settings/opt-out-confirmation", ({ body: { text } }) => {
    server.world.optOutConfirmation = text || usual;
    return { text: server.world.optOutConfirmation };
  });
  await renderApp("/settings");
  await expect.element(words).toHaveValue(usual);
  await words.fill("a".repeat(501));
  await button("Salvar alterações", answer).click();
  await expect.element(words).toHaveAccessibleDescription("Use no máximo 500 caracteres.");
  await words.fill("Até logo, {nome}!");
  await expect.element(answer).toMatchTextContent("Alterações não salvas");
  await button("Salvar alterações", answer).click();
  await expect.poll(() => server.world.optOutConfirmation).toBe("Até logo, {nome}!");
  await expect.element(answer).not.toMatchTextContent("Alterações não salvas");
  const refused = server.refuse("PUT /api/settings/opt-out-confirmation", "unavailable");
  await words.fill("");
  await button("Salvar alterações", answer).click();
  await expect.element(answer).toMatchTextContent("As alterações não foram salvas.");
  refused.stop();
  await button("Salvar alterações", answer).click();
  await expect.element(words).toHaveValue(usual);
});
