import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { button } from "./support/screen.ts";
import { answerTalks, arrives, field, log, scrollTo, talk, thread } from "./support/talks.ts";
import { world } from "./support/world.ts";

beforeEach(() => page.viewport(1440, 700));

/** One conversation, opened at its last message. */
async function open(texts: readonly string[]) {
  const matriz = connection();
  const server = fakeServer(world({ connections: [matriz] }));
  const otavio = talk(server, { connectionId: matriz.id, name: "Otávio", texts, ended: 1 });
  answerTalks(server);
  await renderApp("/chat");
  await expect.element(begins(texts.length)).toBeInViewport();
  return { server, otavio };
}

const many = (count: number, after: (at: number) => string = () => "") =>
  Array.from({ length: count }, (_, at) => `mensagem ${at + 1}${after(at)}`);
const exactly = (text: string) => log().getByText(text, { exact: true });
const begins = (place: number) => log().getByText(new RegExp(`^mensagem ${place}\\b`));
const toEnd = () => button("Ir para o fim da conversa");

test("the newest hundred are in view, older ones come on scrolling up and nothing jumps @spec 9.10 @decision 15", async () => {
  const { server } = await open(many(250));
  const older = () =>
    server.requests("GET /api/chats/{id}/messages").filter(({ query }) => query.older !== undefined).length;
  const drawn = () => log().getByRole("article").elements().length;
  expect(older()).toBe(0);
  expect(drawn()).toBeLessThan(100);
  for (const [before, mark] of [
    [150, "mensagem 153"],
    [50, "mensagem 53"],
  ] as const) {
    scrollTo(60);
    await expect.element(exactly(`mensagem ${before}`)).toBeInTheDocument();
    await expect.element(exactly(mark)).toBeInViewport();
    expect(drawn()).toBeLessThan(100);
  }
  expect(older()).toBe(2);
  scrollTo(0);
  await expect.element(exactly("mensagem 1")).toBeInViewport();
  await toEnd().click();
  await expect.element(exactly("mensagem 250")).toBeInViewport();
});

test("what arrives appears by itself: at the end where one is there, else behind a mark @decision 15", async () => {
  const { server, otavio } = await open(many(60));
  await arrives(server, otavio, "a sessenta e um");
  await expect.element(log().getByText("a sessenta e um")).toBeInViewport();
  await expect.poll(() => otavio.unread).toBe(0);

  scrollTo(900);
  const reading = exactly("mensagem 20");
  await expect.element(reading).toBeInViewport();
  const before = reading.element().getBoundingClientRect().toJSON();
  await arrives(server, otavio, "a sessenta e dois");
  await arrives(server, otavio, "a sessenta e três");
  const pill = button("2 novas mensagens");
  await expect.element(pill).toBeVisible();
  expect(reading.element().getBoundingClientRect().toJSON()).toEqual(before);
  expect(otavio.unread).toBe(2);
  await expect.element(thread(/Otávio/)).toMatchTextContent("2 mensagens não lidas");
  await pill.click();
  await expect.element(log().getByText("a sessenta e três")).toBeInViewport();
  await expect.element(pill).not.toBeInTheDocument();
  await expect.poll(() => otavio.unread).toBe(0);
});

test("at the end one stays there when the message field grows and when the window shrinks", async () => {
  await open(many(60));
  await field().fill("uma\nduas\ntrês\nquatro\ncinco\nseis");
  await expect.element(exactly("mensagem 60")).toBeInViewport({ ratio: 1 });
  await page.viewport(900, 450);
  await expect.element(exactly("mensagem 60")).toBeInViewport({ ratio: 1 });
  await expect.element(toEnd()).not.toBeInTheDocument();
});
