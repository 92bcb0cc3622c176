import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import {
  chooseFile,
  confirmLook,
  createCampaign,
  file,
  lastLook,
  list,
  name,
  preview,
  savesCampaigns,
  storesPictures,
  text,
} from "./support/campaign-form.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { attachment, campaign, connection, contactList, uploaded } from "./support/rows.ts";
import { button, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const files = () => page.getByRole("group", { name: "Arquivos" });
const rows = () =>
  files()
    .getByRole("listitem")
    .elements()
    .map((row) => row.querySelector("b")?.textContent);
const bubbles = () => preview().element().querySelectorAll("[data-ui=bubble]").length;

async function opened(campaigns: Parameters<typeof world>[0] = {}) {
  const lists = [contactList({ name: "Clientes VIP", count: 3 })];
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })], lists, ...campaigns }));
  savesCampaigns(server);
  const { stored } = storesPictures(server);
  await renderApp("/campaigns/new");
  await name().fill("Com fotos");
  await text().fill("Veja só");
  await list().selectOptions("Clientes VIP (3)");
  const sent = () => {
    const one = server.world.campaigns.at(-1);
    return [one?.attachment, ...(one?.moreAttachments ?? [])].map((each) => stored.get(each?.id ?? 0));
  };
  return { server, sent };
}

const pictures = (...names: string[]) => names.map((called) => file(called));

test("several files chosen at once go out in order, each in its bubble", async () => {
  const { sent } = await opened();
  await chooseFile(pictures("um.png", "dois.png", "tres.png"));
  await expect.poll(rows).toEqual(["um.png", "dois.png", "tres.png"]);
  expect(bubbles()).toBe(3);
  await press("Criar Campanha");
  await expect.element(lastLook().getByText("3 mensagens em sequência")).toBeVisible();
  await expect.element(lastLook()).toMatchTextContent("9 mensagens (3 por pessoa)");
  await confirmLook();
  await shows("Campanha criada: o envio começa agora");
  expect(sent()).toEqual(["um.png", "dois.png", "tres.png"]);
});

test("a file moves by its buttons and the keyboard, which stays with it", async () => {
  const { sent } = await opened();
  await chooseFile(pictures("um.png", "dois.png", "tres.png"));
  await expect.poll(rows).toHaveLength(3);
  await press("Mover o arquivo 3 para cima");
  expect(rows()).toEqual(["um.png", "tres.png", "dois.png"]);
  await expect.element(button("Mover o arquivo 2 para cima")).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  expect(rows()).toEqual(["tres.png", "um.png", "dois.png"]);
  await expect.element(button("Mover o arquivo 1 para baixo")).toHaveFocus();
  await expect.element(button("Mover o arquivo 1 para cima")).toBeDisabled();
  await expect.element(files().getByRole("status")).toHaveTextContent("Arquivo 1 de 3");
  await press("Remover arquivo 2");
  expect(rows()).toEqual(["tres.png", "dois.png"]);
  await createCampaign();
  await shows("Campanha criada: o envio começa agora");
  expect(sent()).toEqual(["tres.png", "dois.png"]);
});

test("no more than five files are taken", async () => {
  await opened();
  await chooseFile(pictures("1.png", "2.png", "3.png", "4.png"));
  await expect.poll(rows).toHaveLength(4);
  await chooseFile(pictures("5.png", "6.png"));
  await expect.poll(rows).toHaveLength(5);
  await expect.element(button("Adicionar arquivo")).not.toBeInTheDocument();
  expect(rows()).not.toContain("6.png");
});

test("text beside a sound goes before it, in a message of its own", async () => {
  const { server } = await opened();
  server.on("POST /api/attachments", () =>
    uploaded({ id: 99, kind: "audio", mime: "audio/mpeg", seconds: 4 }),
  );
  await chooseFile(file("oi.mp3", "audio/mpeg"));
  await expect.element(files().getByText(/^O texto vai antes/)).toBeVisible();
  expect(bubbles()).toBe(2);
  await createCampaign();
  await shows("Campanha criada: o envio começa agora");
  const [{ body } = { body: null }] = server.requests("POST /api/campaigns");
  expect(body).toMatchObject({ text: "Veja só", attachmentId: null, moreAttachmentIds: [99] });
});

test("a copy of a campaign of several files has them all", async () => {
  const source = campaign({
    name: "Natal",
    attachment: attachment({ id: 5, kind: "document", name: "a.pdf" }),
    moreAttachments: [attachment({ id: 6, kind: "document", name: "b.pdf" })],
  });
  fakeServer(world({ connections: [connection({ name: "Matriz" })], campaigns: [source] }));
  await renderApp(`/campaigns/new?reutilizar=${source.id}`);
  await expect.poll(rows).toEqual(["a.pdf", "b.pdf"]);
});
