import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { chat, connection, message, minutesAgo, optOut } from "./support/rows.ts";
import { button, count, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const WORDS = "Não quero mais receber mensagens";
const ANA = { name: "Ana Rocha", phone: "5531902340001" };
const BIA = { name: "Bia Lima", phone: "5531902340002" };

function asking() {
  const line = connection({ name: "Matriz" });
  const chats = [ANA, BIA].map((each, nth) =>
    chat({
      ...each,
      connectionId: line.id,
      asksToLeave: { text: WORDS, at: minutesAgo(nth + 1) },
      last: { text: WORDS, kind: "text", fromMe: false, source: null, at: minutesAgo(nth + 1) },
    }),
  );
  const undecided = [ANA, BIA].map(({ phone }, nth) =>
    optOut(0, {
      phone,
      source: "asked",
      text: WORDS,
      connectionName: line.name,
      at: chats[nth]?.asksToLeave?.at ?? "",
    }),
  );
  const messages = Object.fromEntries(chats.map(({ id }) => [id, [message({ text: WORDS })]]));
  const server = fakeServer(world({ connections: [line], chats, messages, undecided }));
  return { server, line, chats, left: decides(server) };
}

function decides(server: FakeServer) {
  const { world: state } = server;
  const decide = (number: string, at: string | undefined, optedOut: boolean) => {
    const phone = number.slice(1);
    const request = state.undecided.find((each) => each.phone === phone && each.at === at);
    if (!request) throw refuse("not_found");
    state.undecided = state.undecided.filter((each) => each !== request);
    state.chats = state.chats.map((each) =>
      each.phone === phone ? { ...each, optedOut, asksToLeave: null } : each,
    );
    return request;
  };
  server.on("POST /api/opt-outs/{phone}/confirm", ({ params, body }) => {
    const left = { ...decide(params.phone, body.at, true), source: "reply" as const };
    state.optOuts = [left, ...state.optOuts];
    return left;
  });
  let dismissed = optOut(0);
  server.on("DELETE /api/opt-outs/{phone}", ({ params, query }) => {
    dismissed = decide(params.phone, query.at, false);
    return { success: true, undo: "selo" };
  });
  server.on("POST /api/opt-outs/restore", () => {
    const { phone, text, at } = dismissed;
    state.undecided = [...state.undecided, dismissed];
    state.chats = state.chats.map((each) =>
      each.phone === phone ? { ...each, asksToLeave: { text: text ?? "", at } } : each,
    );
    return dismissed;
  });
  return () =>
    [...state.optOuts, ...state.undecided].map(({ phone, source }) => `${phone} ${source}`).toSorted();
}

test("OP02 a conversation whose other side may want to leave is marked, and both decisions are one press", async () => {
  const { line, chats, left } = asking();
  await renderApp(`/chat?conexao=${line.id}&conversa=${chats[0]?.id}`);
  const thread = (name: RegExp) =>
    page.getByRole("navigation", { name: "Conversas" }).getByRole("link", { name });
  const mark = page.getByRole("region", { name: "Quer sair?" });
  await expect.element(mark).toMatchTextContent(`Escreveu «${WORDS}»`);
  await expect.element(thread(/Ana Rocha/)).toMatchTextContent("Quer sair?");
  await button("Descadastrar", mark).click();
  await expect.element(mark).not.toBeInTheDocument();
  await shows("Não quer receber campanhas");
  await expect.element(thread(/Ana Rocha/)).not.toMatchTextContent("Quer sair?");
  expect(left()).toEqual([`${ANA.phone} reply`, `${BIA.phone} asked`]);

  await thread(/Bia Lima/).click();
  await pressKey(button("Não, continua recebendo", mark), "Enter");
  await expect.element(mark).not.toBeInTheDocument();
  await expect.element(page.getByRole("heading", { level: 2, name: "Bia Lima" })).toHaveFocus();
  expect(left()).toEqual([`${ANA.phone} reply`]);
  await press("Desfazer");
  await expect.element(mark).toBeVisible();
  expect(left()).toEqual([`${ANA.phone} reply`, `${BIA.phone} asked`]);
});

test("OP02 who may want to leave stands with their words where people are managed who left, and comes and goes by itself", async () => {
  await page.viewport(390, 844);
  const { left } = asking();
  await renderApp("/contacts");
  await press("Querem sair? (2)");
  const opened = page.getByRole("dialog");
  const list = opened.getByRole("list", { name: "Pessoas que talvez queiram sair" });
  await count(list.getByRole("listitem"), 2);
  await expect.element(list).toMatchTextContent(`Respondeu «${WORDS}» a Matriz`);
  await button(/^Descadastrar: .*0001$/, list).click();
  await count(list.getByRole("listitem"), 1);
  await button(/^Não, continua recebendo: .*0002$/, list).click();
  await expect.element(list).not.toBeInTheDocument();
  await expect
    .element(opened.getByRole("region", { name: "Pessoas que não querem receber campanhas" }))
    .toMatchTextContent(`Respondeu «${WORDS}»`);
  expect(left()).toEqual([`${ANA.phone} reply`]);
  await userEvent.keyboard("{Escape}");
  await expect.element(button(/^Querem sair/)).not.toBeInTheDocument();
  await expect.element(button("Descadastrados (1)")).toBeVisible();
});
