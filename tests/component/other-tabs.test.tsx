import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { makeSession } from "../../src/web/api/session.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { press } from "./support/screen.ts";
import { person } from "./support/world.ts";

/* The journey with two tabs is tests/e2e/other-tabs.spec.ts. */

test("account and theme are the same in every tab as soon as one changes them", async () => {
  const server = fakeServer();
  await renderApp("/settings");
  const here = page.getByRole("form", { name: "Perfil" });
  const name = here.getByLabelText("Nome completo");
  const zone = here.getByRole("combobox", { name: "Fuso horário" });
  const company = here.getByLabelText("Empresa");
  await company.fill("Horizonte Ltda.");
  const change = (given: { name: string; timeZone?: string }) => {
    if (!server.world.me) throw new Error("signed out");
    server.world.me = { ...server.world.me, ...given };
    return server.world.me;
  };
  const profiles = new BroadcastChannel("recado-profile");
  profiles.postMessage(change({ name: "Ótica Aurora", timeZone: "America/Rio_Branco" }));
  await expect.element(page.getByRole("banner")).toMatchTextContent("Ótica Aurora");
  await expect.element(name).toHaveValue("Ótica Aurora");
  await expect.element(zone).toHaveValue("Horário do Acre · Rio Branco");
  await expect.element(company).toHaveValue("Horizonte Ltda.");
  profiles.close();

  change({ name: "Ótica Boreal" });
  await server.publish("account");
  await expect.element(page.getByRole("banner")).toMatchTextContent("Ótica Boreal");
  await expect.element(name).toHaveValue("Ótica Boreal");
  await expect.element(company).toHaveValue("Horizonte Ltda.");

  const chosen = (newValue: string | null) =>
    window.dispatchEvent(new StorageEvent("storage", { key: "recado-theme", newValue }));
  const theme = () => document.documentElement.dataset.theme;
  chosen("dark");
  await expect.poll(theme).toBe("dark");
  await press(/^Menu da conta/);
  await expect.element(page.getByRole("menuitemradio", { name: "Escuro" })).toBeChecked();
  chosen(null);
  await expect.poll(theme).toBeUndefined();
});

test("saving the profile and choosing a theme announce it to the other tabs", async () => {
  const profiles = new BroadcastChannel("recado-profile");
  const heard = new Promise((resolve) => {
    profiles.onmessage = ({ data }) => data.name === "Ótica Aurora" && resolve(data.name);
  });
  await renderApp("/settings");
  const form = page.getByRole("form", { name: "Perfil" });
  await form.getByLabelText("Nome completo").fill("Ótica Aurora");
  await form.getByRole("button", { name: "Salvar alterações" }).click();
  await heard;
  profiles.close();
  await press(/^Menu da conta/);
  await page.getByRole("menuitemradio", { name: "Escuro" }).click();
  await expect.poll(() => localStorage.getItem("recado-theme")).toBe("dark");
});

test("a tab that opens during another tab's login shows the user of that login", async () => {
  const [before, after] = [person(), person()];
  const server = fakeServer();
  const late = Promise.withResolvers<void>();
  let signedIn = before;
  server.on("GET /api/me", async () => {
    const me = signedIn;
    await late.promise;
    return me;
  });
  const session = makeSession(() => undefined);
  const [loginTab, thirdTab] = [
    new BroadcastChannel("recado-session"),
    new BroadcastChannel("recado-session"),
  ];
  const heard: unknown[] = [];
  thirdTab.onmessage = ({ data }) => heard.push(data);
  const loaded = session.load();
  await expect.poll(() => server.requests("GET /api/me")).toHaveLength(1);
  signedIn = after;
  loginTab.postMessage(after.id);
  await expect.poll(() => heard).toEqual([after.id]);
  late.resolve();
  expect(await loaded).toMatchObject({ id: after.id });
  await expect.poll(() => heard).toEqual([after.id, after.id]);
  session.forget();
  loginTab.close();
  thirdTab.close();
});
