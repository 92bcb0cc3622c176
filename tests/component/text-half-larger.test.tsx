import { afterEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { button, dialog, press } from "./support/screen.ts";
import {
  AS_IT_COMES,
  FAR,
  HALF_AS_LARGE_AGAIN,
  letTextBe,
  numbersUncovered,
  PEOPLE,
  roomFor,
  there,
} from "./support/text-size.ts";
import { FINISHED, workingWorld } from "./support/working-world.ts";

afterEach(() => letTextBe(AS_IT_COMES));

test("who has their browser show all text larger gets it so, in a layout and in rows that have room for it", async () => {
  fakeServer(workingWorld());
  await letTextBe(HALF_AS_LARGE_AGAIN);
  await renderApp(`/campaigns?detalhes=${FINISHED}`);
  await there(`${PEOPLE} tr[aria-rowindex]`);
  expect(getComputedStyle(document.body).fontSize).toBe("21px");
  await roomFor(498, PEOPLE, "tr[aria-rowindex]");

  await renderApp("/contacts");
  await expect.element(button(/^Abrir menu/)).toBeVisible();
  await press(/^\+477 contatos/);
  await expect.element(dialog("Clientes Savassi").getByText("Pessoa 2", { exact: true })).toBeVisible();
  await roomFor(480, FAR, "li");

  await renderApp("/chat");
  await there("[data-ui~=threads] li");
  await roomFor(document.querySelectorAll("[data-ui~=threads] li").length, "[data-ui~=threads] ul", "li");
});

test("numbers of lists are not covered by what stands beside them with text half as large again", async () => {
  await page.viewport(390, 844);
  await letTextBe(HALF_AS_LARGE_AGAIN);
  await numbersUncovered();
});
