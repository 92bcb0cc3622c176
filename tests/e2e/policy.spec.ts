import { expect, type Page } from "@playwright/test";
import { signUpUnseen } from "./support/person.ts";
import { test } from "./support/product.ts";

/* A violation is not visible on the screen, so its event is recorded. */

async function refusals(page: Page): Promise<string[]> {
  const seen: string[] = [];
  await page.exposeFunction("tellRefusal", (what: string) => void seen.push(what));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const report = `${location.pathname}: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`;
      (window as unknown as { tellRefusal(what: string): void }).tellRefusal(report);
    });
  });
  return seen;
}

const PUBLIC = [
  "/login",
  "/signup",
  "/esqueci-a-senha",
  "/nova-senha",
  "/confirmar-email",
  "/termos",
  "/nao-existe",
];
const SIGNED_IN = [
  "/",
  "/contacts",
  "/campaigns",
  "/campaigns/new",
  "/baileys",
  "/whatsapp/connections",
  "/chat",
  "/instances",
  "/chatbot",
  "/criar-robo",
  "/settings",
];

async function visit(page: Page, place: string): Promise<void> {
  await page.goto(place);
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  await expect(page.getByText("Carregando...")).toHaveCount(0);
}

test("no screen asks for anything that its security policy refuses, and what it refuses is heard of", async ({
  page,
}) => {
  const seen = await refusals(page);
  for (const place of PUBLIC) await visit(page, place);
  await signUpUnseen(page);
  for (const place of SIGNED_IN) await visit(page, place);
  await page.getByRole("button", { name: /^Menu da conta/ }).click();
  await page.getByRole("menuitemradio", { name: "Escuro" }).click();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog").first()).toBeVisible();
  await page.keyboard.press("Escape");
  expect(seen).toEqual([]);

  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    const picture = document.createElement("img");
    picture.src = "https://elsewhere.example/a.png";
    document.body.append(picture);
  });
  await expect
    .poll(() => seen.map((one) => one.split(" ")[1]).toSorted())
    .toEqual(["img-src", "script-src-elem"]);
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
});
