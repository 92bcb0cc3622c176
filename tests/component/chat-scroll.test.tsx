import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { button } from "./support/screen.ts";
import { answerTalks, arrives, field, hidePage, log, scrollTo, talk, thread } from "./support/talks.ts";
import { world } from "./support/world.ts";

beforeEach(() => page.viewport(1440, 700));

async function open(texts: readonly string[], more: { apart?: number; unread?: number } = {}) {
  const matriz = connection();
  const server = fakeServer(world({ connections: [matriz] }));
  const otavio = talk(server, { connectionId: matriz.id, name: "Otávio", texts, ended: 1, ...more });
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

async function frames() {
  for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
}

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

test("scrolling up is not undone by a redraw", async () => {
  await open(many(60));
  const movedBy = async ({ by, awaited, grown }: { by: number; awaited: boolean; grown: number }) => {
    const box = log().element();
    const last = () => begins(60).element();
    box.scrollTop = box.scrollHeight;
    await frames();
    const end = last().getBoundingClientRect().top;
    box.scrollTop -= by;
    if (awaited) await frames();
    const article = last().closest("article");
    if (article && grown > 0) article.style.marginBottom = `${grown}px`;
    for (const hidden of [true, false]) {
      hidePage(hidden);
      await Promise.resolve();
    }
    await frames();
    return last().getBoundingClientRect().top - end;
  };
  expect(await movedBy({ by: 0, awaited: false, grown: 0 })).toBe(0);
  expect(await movedBy({ by: 30, awaited: true, grown: 0 })).toBe(30);
  // Place is kept to the fraction of a pixel by which a line of a day, measured as it is drawn, differs.
  expect(await movedBy({ by: 400, awaited: false, grown: 50 })).toBeCloseTo(400, 0);
});

test("at the end one stays there when the message field grows and when the window shrinks", async () => {
  await open(many(60));
  await field().fill("uma\nduas\ntrês\nquatro\ncinco\nseis");
  await expect.element(exactly("mensagem 60")).toBeInViewport({ ratio: 1 });
  await page.viewport(900, 450);
  await expect.element(exactly("mensagem 60")).toBeInViewport({ ratio: 1 });
  await expect.element(toEnd()).not.toBeInTheDocument();
});

/** Says where a message moved otherwise than the scroll. */
async function readUp(whole: number) {
  const box = log().element();
  const place = box.getBoundingClientRect();
  const inView = () =>
    [...box.querySelectorAll<HTMLElement>("article")]
      .map((element) => ({ element, ...element.getBoundingClientRect().toJSON() }))
      .filter(({ top, bottom }) => bottom > place.top && top < place.bottom);
  const errors: string[] = [];
  const seen = new Set<string | undefined>();
  for (let step = 0; step < 1_000 && (box.scrollTop > 0 || seen.size < whole); step++) {
    const shown = inView();
    for (const { element } of shown) seen.add(element.dataset.key);
    const covered = shown.some(({ top, bottom }) => top < place.bottom - 200 && bottom > place.top + 200);
    if (!covered) errors.push(`a hole at step ${step}`);
    const by = Math.min(300, box.scrollTop);
    box.scrollTop -= by;
    await frames();
    const moved = (shown[0]?.element.getBoundingClientRect().top ?? Number.NaN) - shown[0]?.top;
    if (box.scrollTop > 0 && !(Math.abs(moved - by) <= 1)) errors.push(`step ${step}: ${by} became ${moved}`);
  }
  return { errors, seen: seen.size, top: box.scrollTop };
}

test("reading up through messages of all heights each stands where it stood, and nowhere is a hole", async () => {
  const { server, otavio } = await open(many(120, (at) => "\nmais".repeat(at % 3 ? 0 : 25)));
  expect(await readUp(120)).toEqual({ errors: [], seen: 120, top: 0 });
  await arrives(server, otavio, "mais uma");
  await expect.element(button("1 nova mensagem")).toBeVisible();
  await expect.element(begins(1)).toBeInViewport();
});

test("reading up past lines of days, and past the one above new messages, nothing jumps", async () => {
  await open(many(90), { apart: 1_440, unread: 40 });
  expect(await readUp(90)).toEqual({ errors: [], seen: 90, top: 0 });
});

test("in a window made narrower, what was read before stays in place when read up again", async () => {
  await open(many(90, (at) => " e mais".repeat((at % 5) * 12)));
  expect(await readUp(90)).toEqual({ errors: [], seen: 90, top: 0 });
  await toEnd().click();
  await expect.element(begins(90)).toBeInViewport();
  await page.viewport(900, 700);
  await expect.element(begins(90)).toBeInViewport();
  expect(await readUp(90)).toEqual({ errors: [], seen: 90, top: 0 });
});
