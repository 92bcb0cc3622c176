import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection } from "./support/rows.ts";
import { answerTalks, shown, talk } from "./support/talks.ts";
import { world } from "./support/world.ts";

const ADDRESS = "https://drive.exemplo.com.br/_pedido_/nota_fiscal_final.pdf";
const TEXT = [
  "> citado *aqui*",
  "Compre `já`:",
  "",
  "- item um",
  "- item dois",
  "* item três",
  "",
  "1. primeiro",
  "2. segundo",
  `Veja: ${ADDRESS}`,
  "Ou escreva: _ana_b_@exemplo.com.br_",
].join("\n");
const DRAWN = [
  "citado aqui",
  "Compre já:",
  "",
  "item um",
  "item dois",
  "item três",
  "",
  "1. primeiro",
  "2. segundo",
  `Veja: ${ADDRESS}`,
  "Ou escreva: ana_b_@exemplo.com.br",
].join("\n");

async function inspect(where: string): Promise<void> {
  const drawn = () => document.querySelector(where);
  const texts = (css: string) => [...(drawn()?.querySelectorAll(css) ?? [])].map((each) => each.textContent);
  await expect.poll(() => texts("blockquote strong")).toEqual(["aqui"]);
  expect(texts("ul > li")).toEqual(["item um", "item dois", "item três"]);
  expect(texts("ol > li")).toEqual(["1. primeiro", "2. segundo"]);
  expect(texts("code")).toEqual(["já"]);
  const link = drawn()?.querySelector("a");
  expect(link?.textContent).toBe(ADDRESS);
  expect(link?.getAttribute("href")).toBe(ADDRESS);
  expect(link?.rel).toBe("noopener noreferrer");
  expect(link?.target).toBe("_blank");
  const email = drawn()?.querySelector<HTMLAnchorElement>("em > a");
  expect([email?.getAttribute("href"), email?.target]).toEqual(["mailto:ana_b_@exemplo.com.br", ""]);
  const selection = getSelection();
  selection?.selectAllChildren(drawn() ?? document.body);
  expect(selection?.toString().trim()).toBe(DRAWN);
}

test("MS03 MS05 a message is drawn, copied and pressed as in WhatsApp, in the chat and in the preview", async () => {
  const matriz = connection();
  const server = fakeServer(world({ connections: [matriz] }));
  talk(server, { connectionId: matriz.id, name: "Ana", texts: [TEXT, ""], ended: 2 });
  answerTalks(server);
  await renderApp("/chat");
  await shown("Mensagem que só o celular mostra");
  await inspect("[role=log] [data-ui~=said]");

  await renderApp("/campaigns/new");
  await page.getByRole("textbox", { name: "Texto" }).fill(TEXT);
  await inspect("[aria-label='Pré-visualização'] [data-ui~=said]");
});
