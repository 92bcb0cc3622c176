import { expect } from "vitest";
import { type Locator, page, userEvent } from "vitest/browser";

export const button = (name: string | RegExp, within: Pick<typeof page, "getByRole"> = page) =>
  within.getByRole("button", { name, exact: true });

export const main = () => page.getByRole("main");
export const dialog = (name: string | RegExp) => page.getByRole("dialog", { name, exact: true });

export async function press(name: string | RegExp): Promise<void> {
  await button(name).first().click();
}

export async function pressKey(target: Locator, key: string): Promise<void> {
  const element = await target.findElement();
  element.focus();
  await userEvent.keyboard(`{${key}}`);
}

export async function pressAfter(target: Locator, act: () => void): Promise<void> {
  await expect.element(target).toBeEnabled();
  const element = await target.findElement();
  act();
  element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}

export const pick = (name: string) => page.getByRole("menuitem", { name, exact: true }).click();

export const shows = (text: string | RegExp) => expect.element(page.getByText(text).first()).toBeVisible();

export const count = (items: Locator, wanted: number) =>
  expect.poll(() => items.elements().length).toBe(wanted);

/** Presses, and sees words of the button that show for a moment. */
export async function pressSays(target: Locator, words: string): Promise<void> {
  const element = await target.findElement();
  let said = false;
  new MutationObserver(() => {
    said ||= element.checkVisibility() && element.textContent.includes(words);
  }).observe(element, { subtree: true, childList: true, characterData: true });
  await target.click();
  await expect.poll(() => said).toBe(true);
}

export const texts = (items: Locator) => items.elements().map((each) => each.textContent?.trim() ?? "");
