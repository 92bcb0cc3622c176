import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { formatPhone } from "../../src/domain/phone-written.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { contact, contactList, optOut } from "./support/rows.ts";
import { count, dialog, press } from "./support/screen.ts";
import { world } from "./support/world.ts";

const ROW_PX = 61;

test("the empty message never shows before the answer", async () => {
  const people = Array.from({ length: 40 }, (_, seq) => contact(seq));
  const list = contactList({
    name: "Clientes",
    count: 40,
    first: people.slice(0, 3).map(({ seq: _, ...each }) => each),
  });
  const server = fakeServer(world({ lists: [list], contacts: { [list.id]: people } }));
  await renderApp("/contacts");
  await press(/^\+37 contatos/);
  const opened = dialog("Clientes");
  await opened.getByRole("searchbox").fill("ninguém");
  await expect.element(opened.getByText("Nada encontrado para «ninguém».")).toBeVisible();
  const late = server.hold(
    "GET /api/contact-lists/{id}/contacts",
    ({ query }) => query.search === "Pessoa 3",
  );
  await opened.getByRole("searchbox").fill("Pessoa 3");
  await late.asked;
  await expect.element(opened.getByText("Carregando").first()).toBeInTheDocument();
  await expect.element(opened.getByText(/Nada encontrado/)).not.toBeInTheDocument();
  late.release();
  await expect.element(opened.getByText("Pessoa 3", { exact: true })).toBeVisible();
});

test("a person who moves to another page during a refetch is listed once", async () => {
  const server = fakeServer(world({ optOuts: Array.from({ length: 150 }, (_, n) => optOut(n)) }));
  await renderApp("/contacts");
  await press("Descadastrados (150)");
  const opened = dialog("Quem não quer receber campanhas");
  const box = opened.getByRole("region", { name: "Pessoas que não querem receber campanhas" });
  const number = (place: number) => opened.getByText(formatPhone(String(5_511_900_000_000 + place)));
  (await box.findElement()).scrollTop = 98 * ROW_PX;
  await expect.element(number(99)).toBeInViewport();
  await expect.element(number(100)).toBeInViewport();
  // The first page comes late: until then its last row is also the first of the second page.
  const late = server.hold("GET /api/opt-outs", ({ query }) => query.skip === 0);
  server.world.optOuts.unshift(optOut(1, { phone: "5531987650001" }));
  await server.publish("contacts");
  await late.asked;
  await count(number(99), 2);
  late.release();
  await expect.element(opened.getByRole("listitem").first()).toHaveAttribute("aria-setsize", "151");
  await count(number(99), 1);
  box.element().scrollTop = 0;
  await expect.element(number(0)).toBeInViewport();
  await expect.element(number(99)).not.toBeInTheDocument();
});

test("what is typed while a search begins is not taken back by it", async () => {
  await renderApp("/contacts");
  const search = page.getByRole("searchbox");
  const input = await search.findElement();
  const { replaceState } = history;
  history.replaceState = (...address) => {
    history.replaceState = replaceState;
    history.replaceState(...address);
    input.focus();
    document.execCommand("insertText", false, " maria");
  };
  await search.fill("ana");
  await expect.poll(() => location.search).toBe("?busca=ana+maria");
  await expect.element(search).toHaveValue("ana maria");
});
