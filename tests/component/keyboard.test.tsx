import { expect, test } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { button, count, main, press, pressKey, shows } from "./support/screen.ts";
import { walk } from "./support/walk.ts";
import { workingWorld } from "./support/working-world.ts";
import { person } from "./support/world.ts";

function working() {
  return fakeServer({ ...workingWorld(), me: person() });
}

async function visit(place: string, words: string) {
  await renderApp(place);
  await expect
    .poll(() =>
      page
        .getByText(words)
        .elements()
        .some((each) => each.checkVisibility()),
    )
    .toBe(true);
  await expect.poll(() => document.querySelector("[data-ui~=sk]")).toBeNull();
  await expect.poll(() => document.body.textContent).not.toContain("Carregando...");
}

const SCREENS = [
  ["/", "Campanhas Recentes"],
  ["/campaigns", "Óculos prontos"],
  ["/campaigns/calendar?mes=2026-11", "Conflitos"],
  ["/campaigns/new", "Pré-visualização"],
  ["/contacts", "Clientes Savassi"],
  ["/contacts/pessoas", "Pessoa 1"],
  ["/chat", "Oi! Vale para óculos de sol?"],
  ["/settings", "Seus dados"],
] as const;

test("Tab goes to everything that can be used, and it is seen where one is, in light and dark", async () => {
  working();
  const errors: Record<string, string[]> = {};
  for (const [place, words] of SCREENS) {
    await visit(place, words);
    const found = await walk();
    if (found.length > 0) errors[place] = found;
  }
  expect(errors).toEqual({});
});

test("the first Tab offers the way past the menu", async () => {
  working();
  await visit("/campaigns", "Óculos prontos");
  (document.activeElement as HTMLElement | null)?.blur();
  await userEvent.tab();
  const skip = page.getByRole("link", { name: "Ir para o conteúdo" });
  await expect.element(skip).toHaveFocus();
  await expect.element(skip).toBeInViewport();
  await userEvent.keyboard("{Enter}");
  await expect.element(main()).toHaveFocus();
  await userEvent.tab();
  expect(main().element().querySelector(":focus")).not.toBeNull();
});

const WINDOWS = [
  ["/contacts", "Importar"],
  ["/contacts", "Exportar"],
  ["/contacts", "Novo Contato"],
  ["/contacts", "Descadastrados (2)"],
  ["/contacts", "Excluir Lista: Clientes Savassi"],
  ["/campaigns", "Reenviar falhas (5)"],
  ["/settings", "Excluir conta"],
  ["/settings?aba=chaves", "Gerar nova chave"],
  ["/settings?aba=chaves", "Revogar: Painel"],
] as const;

async function leaving(within: Element, act: () => Promise<void>): Promise<boolean> {
  let left = false;
  const note = ({ relatedTarget }: FocusEvent) => {
    left ||= !(relatedTarget instanceof Node && within.contains(relatedTarget));
  };
  within.addEventListener("focusout", note as EventListener);
  await act();
  within.removeEventListener("focusout", note as EventListener);
  return left;
}

test("windows keep the keyboard, and give it back to what opened them", async () => {
  working();
  const opened = page.getByRole("dialog").or(page.getByRole("alertdialog"));
  for (const [place, name] of WINDOWS) {
    await renderApp(place);
    const opener = button(name).first();
    await pressKey(opener, "Enter");
    const holdsFocus = () => opened.query()?.contains(document.activeElement);
    await expect.poll(holdsFocus, { message: name }).toBe(true);
    expect(await leaving(opened.element(), () => commands.keys("Tab", 8)), name).toBe(false);
    expect(await leaving(opened.element(), () => commands.keys("Shift+Tab", 12)), name).toBe(false);
    expect(holdsFocus(), name).toBe(true);
    await userEvent.keyboard("{Escape}");
    await expect.element(opened).not.toBeInTheDocument();
    await expect.element(opener).toHaveFocus();
  }
});

const MENUS = [
  ["/contacts", /^Menu da conta/],
  ["/campaigns", "Mais ações de Rascunho de Natal"],
  ["/whatsapp/connections", "Ações de Unidade Savassi"],
] as const;

test("menus are gone through by arrows", async () => {
  await commands.emulateMedia({ forcedColors: "active" });
  working();
  for (const [place, name] of MENUS) {
    await renderApp(place);
    await pressKey(button(name), "ArrowDown");
    const entries = () => [...document.querySelectorAll("[role=menu] [role^=menuitem]")];
    const at = (index: number) =>
      expect.poll(() => document.activeElement === entries().at(index), { message: String(name) });
    await at(0).toBe(true);
    expect(getComputedStyle(entries()[0] as Element).outlineStyle, String(name)).toBe("solid");
    await userEvent.keyboard("{End}");
    await at(-1).toBe(true);
    if (entries().length > 1) {
      await userEvent.keyboard("{ArrowUp}");
      await at(-1).toBe(false);
    }
    await userEvent.keyboard("{Escape}");
    await expect.element(button(name)).toHaveFocus();
  }
});

function noteMotion() {
  const moved = new Set<string>();
  const note = () => {
    for (const each of document.getAnimations()) {
      const { activeDuration } = each.effect?.getComputedTiming() ?? {};
      if (!(Number(activeDuration) > 10)) continue;
      const target = each.effect instanceof KeyframeEffect ? each.effect.target : null;
      const what = each instanceof CSSTransition ? each.transitionProperty : each.id;
      moved.add(`${target?.tagName} ${target?.className} ${what}`);
    }
  };
  for (const begins of ["transitionrun", "animationstart"]) document.addEventListener(begins, note, true);
  const stop = () => {
    for (const begins of ["transitionrun", "animationstart"])
      document.removeEventListener(begins, note, true);
  };
  return { moved: () => [...moved], stop };
}

test("nothing moves for who asked for stillness", async () => {
  const server = working();
  server.on("DELETE /api/opt-outs/{phone}", () => ({ success: true, undo: "selo" }));
  const { moved, stop } = noteMotion();
  for (const [place, words] of SCREENS) {
    await visit(place, words);
    for (const each of main().getByRole("button").elements())
      if (each.checkVisibility()) await userEvent.hover(each, { timeout: 1_000 }).catch(() => undefined);
    expect(moved(), place).toEqual([]);
  }
  const opened = page.getByRole("dialog");
  await visit("/contacts", "Clientes Savassi");
  await press("Importar");
  await expect.element(opened).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await press(/^Menu da conta/);
  await expect.element(page.getByRole("menu")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await press(/^Descadastrados/);
  await press(/^Permitir de novo/);
  await shows("pode receber campanhas de novo");
  await userEvent.keyboard("{Escape}");
  await userEvent.keyboard("{Control>}k{/Control}");
  await expect.element(opened).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await page.viewport(390, 844);
  await press(/^Abrir menu/);
  await expect.element(page.getByRole("dialog", { name: "Menu" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await count(opened, 0);
  expect(moved()).toEqual([]);
  stop();
});
