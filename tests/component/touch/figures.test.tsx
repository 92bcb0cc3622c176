import { expect, test } from "vitest";
import { cdp, type Locator, page } from "vitest/browser";
import { withFigures } from "../support/figures.ts";
import { renderApp } from "../support/render-app.tsx";
import { contactList } from "../support/rows.ts";
import { button, count } from "../support/screen.ts";

const figure = (name: string) => page.getByRole("region", { name, exact: true });
const gauge = page.getByRole("region", { name: /^Taxa de entrega (Todas|Esta)/ });
const activity = figure("Atividade de Mensagens");
const within = (place: Locator, css: string) => [...(place.query()?.querySelectorAll(css) ?? [])];
const FIRST = [1, 2, 3].map((n) => ({ name: `Pessoa ${n}`, phone: `553190234118${n}` }));

test("under a finger the figures that lead on are as high as a button", async () => {
  const { state } = withFigures();
  state.lists = [contactList({ name: "Clientes", count: 120, first: FIRST })];
  await page.viewport(390, 844);
  await renderApp("/");
  const links = gauge.getByRole("definition").getByRole("link");
  await count(links, 5);
  expect(matchMedia("(pointer: coarse)").matches).toBe(true);
  const boxes = links.elements().map((each) => each.getBoundingClientRect());
  for (const [place, box] of boxes.entries()) {
    expect(box.height).toBeGreaterThanOrEqual(39.5);
    const above = boxes[place - 1];
    if (above) expect(box.y).toBeGreaterThanOrEqual(above.y + above.height - 1);
  }
  await renderApp("/contacts");
  const rest = await button(/^\+117 contatos/).findElement();
  expect(rest.getBoundingClientRect().height).toBeGreaterThanOrEqual(40);
});

/** By the browser's own touch, at a place of this page. */
async function tap(x: number, y: number) {
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
  const point = { x: frame.x + x, y: frame.y + y };
  await cdp().send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
  await cdp().send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("a finger finds each of 90 days on a small telephone, and nothing runs over its edge", async () => {
  withFigures();
  await page.viewport(360, 780);
  await renderApp("/?dias=90");
  await expect.element(activity).toBeVisible();
  const names = within(activity, "[data-ui~=names] span").filter((each) => each.checkVisibility());
  expect(names.at(-1)?.textContent).toBe("hoje");
  const boxes = names.map((each) => each.getBoundingClientRect());
  for (const [place, box] of boxes.entries()) expect(box.left).toBeGreaterThan(boxes[place - 1]?.right ?? 0);
  expect(document.documentElement.scrollWidth).toBe(360);

  const scrub = await activity.getByRole("slider").findElement();
  scrub.scrollIntoView({ block: "center" });
  const box = scrub.getBoundingClientRect();
  await tap(box.x + (49.5 / 90) * box.width, box.y + box.height / 2);
  const bar = () =>
    within(activity, "[data-ui~=day-bar]")
      .map(({ textContent }) => textContent)
      .join();
  await expect.poll(bar).toContain("50 tentativas · 50 enviadas · 40 entregues");
  await button("Dia seguinte", activity).click();
  await expect.poll(bar).toContain("0 tentativas · 0 enviadas · 0 entregues");
});
