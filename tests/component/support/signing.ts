import { expect } from "vitest";
import { type Locator, page } from "vitest/browser";
import type { Me } from "../../../src/contract/accounts.ts";
import type { EndpointKey } from "../../../src/web/api/call.ts";
import { refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { button } from "./screen.ts";

export const PASSWORD = "uma frase de senha longa";

export function letIn(server: FakeServer, ...people: readonly Me[]): void {
  const { world } = server;
  server.on("POST /api/login", ({ body }) => {
    const me = people.find(({ email }) => email === body.email);
    if (!me || body.password !== PASSWORD) throw refuse("login_failed");
    world.me = me;
    return me;
  });
  server.on("POST /api/logout", () => {
    world.me = null;
  });
}

export async function logIn(email: string, password = PASSWORD): Promise<void> {
  await page.getByLabelText("E-mail").fill(email);
  await page.getByLabelText("Senha", { exact: true }).fill(password);
  await button("Entrar").click();
}

export const sessionEnded = () =>
  expect
    .element(page.getByText("Sua sessão terminou. Entre de novo para continuar de onde parou."))
    .toBeVisible();

/** The page learns it from a press that sends `key`. */
export async function endSession(server: FakeServer, key: EndpointKey, pressed: Locator): Promise<void> {
  await expect.element(pressed).toBeEnabled();
  server.world.me = null;
  const refused = server.refuse(key, "unauthenticated");
  await pressed.click();
  await sessionEnded();
  refused.stop();
}

export async function fillSignUp(email?: string): Promise<void> {
  const field = (label: string) => page.getByLabelText(label, { exact: true });
  await field("Nome completo").fill("Rui Lima");
  if (email !== undefined) await page.getByLabelText("E-mail").fill(email);
  await field("Senha").fill(PASSWORD);
  await field("Confirmar senha").fill(PASSWORD);
  await page.getByRole("checkbox").click();
}
