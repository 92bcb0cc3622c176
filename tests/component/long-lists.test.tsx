import { expect, test } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";
import { formatPhone } from "../../src/domain/phone-written.ts";
import type { EndpointKey } from "../../src/web/api/call.ts";
import type { Call } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import {
  campaign,
  chat,
  connection,
  contact,
  contactList,
  delivery,
  message,
  minutesAgo,
  optOut,
} from "./support/rows.ts";
import { button, count, dialog, press } from "./support/screen.ts";
import { scrollTo as scrollLogTo } from "./support/talks.ts";
import { world } from "./support/world.ts";

const PEOPLE = 100_000;
const ROW_PX = 53;
const LEFT_ROW_PX = 61;
const MOST = 100;

const many = <Row,>(rows: number, make: (n: number) => Row) =>
  Array.from({ length: rows }, (_, n) => make(n));
const frame = () => new Promise(requestAnimationFrame);

function countRows(row: string) {
  let most = document.querySelectorAll(row).length;
  const look = () => {
    most = Math.max(most, document.querySelectorAll(row).length);
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  return { most: () => most };
}

/** Until the box rests there: rows that come may move it. */
async function scrollTo(box: Locator, top: number) {
  const element = await box.findElement();
  const wanted = Math.min(top, element.scrollHeight - element.clientHeight);
  for (let calm = 0; calm < 4; calm++) {
    if (Math.abs(element.scrollTop - wanted) > 1) {
      element.scrollTop = wanted;
      calm = 0;
    }
    await frame();
  }
}

const inView = (item: Locator) => expect.element(item).toBeInViewport();

async function key(box: Locator, name: string) {
  (await box.findElement()).focus();
  await userEvent.keyboard(`{${name}}`);
}

async function walkThrough(box: Locator, person: (name: string) => Locator) {
  await inView(person("Pessoa 0"));
  await userEvent.wheel(box, { delta: { y: 600 }, times: 15 });
  await expect.element(person("Pessoa 0")).not.toBeInTheDocument();
  for (let part = 1; part <= 9; part += 4) {
    const place = (part * PEOPLE) / 10;
    await scrollTo(box, place * ROW_PX - 80);
    await inView(person(`Pessoa ${place}`));
  }
  await key(box, "End");
  await inView(person(`Pessoa ${PEOPLE - 1}`));
  await key(box, "Home");
  await inView(person("Pessoa 0"));
}

type Lost<K extends EndpointKey> = { server: FakeServer; key: K; isLost: (call: Call<K>) => boolean };

async function loseAPage<K extends EndpointKey>(
  box: Locator,
  { server, key, isLost }: Lost<K>,
  person: (name: string) => Locator,
) {
  await inView(person("Pessoa 0"));
  const lost = server.drop(key, isLost);
  const there = 75_050 * ROW_PX;
  await scrollTo(box, there);
  const error = page.getByRole("dialog").getByRole("alert");
  await expect.element(error).toBeVisible();
  expect(box.element().scrollTop).toBe(there);
  lost.stop();
  await button("Tentar novamente", error).click();
  await inView(person("Pessoa 75052"));
  await expect.element(error).not.toBeInTheDocument();
  expect(box.element().scrollTop).toBe(there);
  await scrollTo(box, 0);
}

test("a hundred thousand people of a campaign are scrolled through with at most a hundred rows in the page @spec 2.40", async () => {
  const inverno = campaign({ name: "Inverno", states: { read: PEOPLE } });
  const deliveries = { [inverno.id]: many(PEOPLE, (seq) => delivery(seq)) };
  const server = fakeServer(world({ campaigns: [inverno], deliveries }));
  await renderApp(`/campaigns?detalhes=${inverno.id}`);
  const details = dialog("Detalhes dos Envios");
  const person = (name: string) => details.getByText(name, { exact: true });
  const counted = countRows("[data-ui~=deliveries] tbody tr:not([class*=details_space])");
  await expect.element(details.getByRole("table")).toHaveAttribute("aria-rowcount", String(PEOPLE + 1));
  const box = details.getByRole("region", { name: "Envios" });
  const isLost = ({ query }: Call<"GET /api/campaigns/{id}/deliveries">) => query.after === 74_999;
  await loseAPage(box, { server, key: "GET /api/campaigns/{id}/deliveries", isLost }, person);
  await walkThrough(box, person);
  await details.getByPlaceholder("Buscar por nome ou telefone...").fill("Pessoa 77777");
  await expect.element(details.getByRole("table")).toHaveAttribute("aria-rowcount", "2");
  await inView(person("Pessoa 77777"));
  expect(counted.most()).toBeGreaterThan(5);
  expect(counted.most()).toBeLessThanOrEqual(MOST);
});

test("100,000 contacts open from their card, scroll and search with at most 100 rows rendered @decision 24", async () => {
  const people = many(PEOPLE, (seq) => contact(seq));
  const list = contactList({
    name: "Clientes de todas as lojas",
    count: PEOPLE,
    first: people.slice(0, 3).map(({ seq: _, ...each }) => each),
  });
  const server = fakeServer(world({ lists: [list], contacts: { [list.id]: people } }));
  await renderApp("/contacts");
  await press(/^\+99\.997 contatos/);
  const opened = dialog("Clientes de todas as lojas");
  const person = (name: string) => opened.getByText(name, { exact: true });
  const counted = countRows("[class*=list-dialog_list-people] li");
  const box = opened.getByRole("region", { name: "Contatos da lista" });
  const isLost = ({ query }: Call<"GET /api/contact-lists/{id}/contacts">) => query.after === 74_999;
  await loseAPage(box, { server, key: "GET /api/contact-lists/{id}/contacts", isLost }, person);
  await walkThrough(box, person);
  await expect.element(opened.getByRole("listitem").first()).toHaveAttribute("aria-setsize", String(PEOPLE));
  const search = opened.getByPlaceholder("Buscar por nome ou telefone...");
  await search.fill("Pessoa 7777");
  await expect.element(person("Pessoa 77779")).toBeVisible();
  await expect.element(opened.getByRole("listitem").first()).toHaveAttribute("aria-setsize", "11");
  await search.fill("ninguém");
  await expect.element(opened.getByText("Nada encontrado para «ninguém».")).toBeVisible();
  expect(counted.most()).toBeGreaterThan(5);
  expect(counted.most()).toBeLessThanOrEqual(MOST);
  await userEvent.keyboard("{Escape}{Escape}");
  await expect.element(opened).not.toBeInTheDocument();
  await expect.element(button(/^\+99\.997 contatos/)).toHaveFocus();
});

test("a hundred thousand people who want no campaigns are scrolled through and searched, at most a hundred rows at a time", async () => {
  const server = fakeServer(world({ optOuts: many(PEOPLE, (n) => optOut(n)) }));
  server.on("DELETE /api/opt-outs/{phone}", ({ params }) => {
    server.world.optOuts = server.world.optOuts.filter(({ phone }) => `+${phone}` !== params.phone);
    void server.publish("contacts");
    return { success: true, undo: "selo" };
  });
  await renderApp("/contacts");
  await press("Descadastrados (100.000)");
  const opened = dialog("Quem não quer receber campanhas");
  const number = (place: number) => opened.getByText(formatPhone(String(5_511_900_000_000 + place)));
  const counted = countRows("[class*=opt-outs-dialog_left-rows] li");
  const box = opened.getByRole("region", { name: "Pessoas que não querem receber campanhas" });
  await inView(number(0));
  const first = opened.getByRole("listitem").first();
  await expect.element(first).toHaveAttribute("aria-setsize", String(PEOPLE));
  await scrollTo(box, 50_000 * LEFT_ROW_PX);
  await inView(number(50_001));
  await key(box, "End");
  await inView(number(PEOPLE - 1));
  (await opened.getByRole("listitem").last().getByRole("button").findElement()).focus();
  await userEvent.keyboard("{Home}");
  await inView(number(0));
  await expect.element(box).toHaveFocus();

  await scrollTo(box, 50_000 * LEFT_ROW_PX);
  const allow = (phone: string) => button(`Permitir de novo: ${formatPhone(phone)}`, opened);
  await key(allow("5511900050002"), "Enter");
  await expect.poll(() => server.requests("DELETE /api/opt-outs/{phone}").length).toBe(1);
  await expect.element(first).toHaveAttribute("aria-setsize", String(PEOPLE - 1));
  await expect.element(number(50_002)).not.toBeInTheDocument();
  await inView(number(50_003));
  await expect.element(allow("5511900050003")).toHaveFocus();

  await opened.getByRole("searchbox").fill("90009999");
  await count(opened.getByRole("listitem"), 10);
  await inView(number(99_990));
  expect(counted.most()).toBeGreaterThan(5);
  expect(counted.most()).toBeLessThanOrEqual(MOST);
});

test("a conversation without end never puts more than a hundred messages into the page", async () => {
  const line = connection({ name: "Matriz" });
  const talk = chat({ connectionId: line.id });
  const messages = many(2_000, (n) =>
    message({
      fromMe: n % 3 === 0,
      text: `Mensagem ${n}${"\nmais uma linha".repeat(n % 4)}`,
      at: minutesAgo(n),
    }),
  ).toReversed();
  const server = fakeServer(world({ connections: [line], chats: [talk], messages: { [talk.id]: messages } }));
  await renderApp(`/chat?conversa=${talk.id}`);
  const log = page.getByRole("log", { name: "Mensagens" });
  const said = (place: number) => log.getByText(new RegExp(`^Mensagem ${place}\\b`));
  await inView(said(0));
  const counted = countRows("[role=log] article");
  const pages = () =>
    server.requests("GET /api/chats/{id}/messages").filter(({ query }) => query.older !== undefined).length;
  for (let nth = 1; nth <= 6; nth++) {
    const drawn = () => {
      // One page at a time: scrolled again once its answer is there, the next one would come as well.
      if (pages() < nth) scrollLogTo(0);
      return said(nth * 100 + 3).elements().length;
    };
    await expect.poll(drawn).toBe(1);
  }
  await userEvent.wheel(log, { delta: { y: 500 }, times: 10 });
  expect(counted.most()).toBeGreaterThan(5);
  expect(counted.most()).toBeLessThanOrEqual(MOST);
  await press("Ir para o fim da conversa");
  await inView(said(0));
});

test("a list of conversations without end never puts more than a hundred into the page", async () => {
  const line = connection({ name: "Matriz" });
  const chats = many(500, (n) =>
    chat({
      connectionId: line.id,
      name: `Conversa ${n}`,
      last: { text: "Oi", kind: "text", fromMe: false, source: null, at: minutesAgo(n) },
    }),
  );
  fakeServer(world({ connections: [line], chats }));
  await renderApp("/chat");
  const list = page.getByRole("navigation", { name: "Conversas" });
  await expect.element(list.getByText("Conversa 0", { exact: true })).toBeVisible();
  const counted = countRows("[data-ui~=threads] li");
  await expect
    .poll(() => {
      list.element().scrollTop = 1_000_000;
      return list.getByText("Conversa 499", { exact: true }).query();
    })
    .not.toBeNull();
  expect(counted.most()).toBeLessThanOrEqual(MOST);
});
