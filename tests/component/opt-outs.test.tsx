import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { formatPhone } from "../../src/domain/phone-written.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { contact, contactList, minutesAgo, optOut } from "./support/rows.ts";
import { button, dialog, press, shows } from "./support/screen.ts";
import { type World, world } from "./support/world.ts";

const RAFAELA = "5531987654321";

const opened = () => dialog("Quem não quer receber campanhas");

function people(given: Partial<World> = {}) {
  const server = fakeServer(world(given));
  const { world: state } = server;
  const mark = (phone: string, optedOut: boolean) => {
    for (const person of state.lists.flatMap(({ first }) => first))
      if (person.phone === phone) Object.assign(person, { optedOut: optedOut || undefined });
    void server.publish("contacts");
  };
  server.on("POST /api/opt-outs", ({ body }) => {
    if (body.phone === "98765") throw refuse("invalid_fields", { fields: { phone: "Faltam dígitos" } });
    const left = optOut(0, { phone: RAFAELA, name: "Rafaela", at: minutesAgo(0) });
    state.optOuts = [left, ...state.optOuts];
    mark(left.phone, true);
    return { ...left, reversible: true };
  });
  server.on("DELETE /api/opt-outs/{phone}", ({ params, query }) => {
    const left = state.optOuts.find(({ phone }) => `+${phone}` === params.phone);
    if (!left) throw refuse("not_found");
    if (query.at !== left.at) throw refuse("undo_too_late");
    state.optOuts = state.optOuts.filter((each) => each !== left);
    mark(left.phone, false);
    return { success: true, undo: "selo" };
  });
  return server;
}

test("a number is left out of campaigns by hand, shown on its contact, and let in again", async () => {
  const { seq: _, ...rafaela } = contact(0, { name: "Rafaela", phone: RAFAELA });
  const list = contactList({ name: "Contato manual - Rafaela", count: 1, first: [rafaela] });
  const server = people({ lists: [list] });
  await renderApp("/contacts");
  const card = page.getByRole("article", { name: "Contato manual - Rafaela" });
  await expect.element(card).toBeVisible();
  await press("Descadastrados");
  await expect.element(opened().getByText("Ninguém pediu para sair.")).toBeVisible();
  const field = opened().getByLabelText("Não enviar campanhas para");
  await field.fill("98765");
  await button("Adicionar", opened()).click();
  await expect.element(opened().getByText("Faltam dígitos")).toBeVisible();
  await field.fill("(31) 98765-4321");
  await button("Adicionar", opened()).click();
  const row = opened().getByRole("listitem").filter({ hasText: "Rafaela" });
  await expect.element(row.getByText("Adicionado à mão")).toBeVisible();
  await expect.element(field).toHaveValue("");
  expect(server.requests("POST /api/opt-outs").at(-1)?.body).toEqual({ phone: "(31) 98765-4321" });
  await userEvent.keyboard("{Escape}");
  await expect.element(card.getByText("Não quer campanhas")).toBeVisible();
  await press("Descadastrados (1)");
  const allow = button("Permitir de novo: Rafaela", opened());
  await expect.element(allow).toBeEnabled();
  const held = server.hold("GET /api/opt-outs");
  await allow.click();
  await shows("Rafaela pode receber campanhas de novo");
  await expect.element(allow).toBeDisabled();
  held.release();
  await expect.element(opened().getByText("Ninguém pediu para sair.")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(card.getByText("Não quer campanhas")).not.toBeInTheDocument();
});

test("a press on an old list does not let in a person who opted out again", async () => {
  const left = optOut(0, { phone: RAFAELA, at: minutesAgo(60) });
  const server = people({ optOuts: [left] });
  await renderApp("/contacts");
  await press("Descadastrados (1)");
  const allow = button(/^Permitir de novo/, opened());
  await expect.element(allow).toBeVisible();
  const shown = left.at;
  left.at = minutesAgo(59);
  await allow.click();
  await expect
    .element(opened().getByRole("alert"))
    .toMatchTextContent("+55 31 98765-4321 saiu de novo depois que você abriu a lista.");
  await expect.element(allow).toBeEnabled();
  expect(server.requests("DELETE /api/opt-outs/{phone}").map(({ params, query }) => [params, query])).toEqual(
    [[{ phone: `+${RAFAELA}` }, { at: shown }]],
  );
});

test("a foreign number is let in again, but no local number with the same digits", async () => {
  const phones = ["33612345678", "51987654321", "5551987654321"];
  const server = people({ optOuts: phones.map((phone, n) => optOut(n, { phone })) });
  await renderApp("/contacts");
  await press("Descadastrados (3)");
  const entry = (phone: string) =>
    opened()
      .getByRole("listitem")
      .filter({ hasText: formatPhone(phone) });
  const [french = "", peruvian = "", local = ""] = phones;
  await expect.element(entry(peruvian)).toBeVisible();
  server.world.optOuts = server.world.optOuts.filter(({ phone }) => phone !== peruvian);
  await button(/^Permitir de novo/, entry(peruvian)).click();
  await shows("+51 987 654 321 pode receber campanhas de novo");
  await expect.element(entry(peruvian)).not.toBeInTheDocument();
  await button(/^Permitir de novo/, entry(french)).click();
  await expect.element(entry(french)).not.toBeInTheDocument();
  await expect.element(entry(local)).toBeVisible();
  expect(server.requests("DELETE /api/opt-outs/{phone}").map(({ params }) => params.phone)).toEqual([
    "+51987654321",
    "+33612345678",
  ]);
});
