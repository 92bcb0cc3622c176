import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { uploadInPieces } from "../../src/web/api/upload-pieces.ts";
import { chooseFile, list, name, savesCampaigns, text } from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contactList } from "./support/rows.ts";
import { button, count, press, shows } from "./support/screen.ts";
import { attach, field, openChat, PICTURE, sendButton, someTalks, thread, written } from "./support/talks.ts";
import { world } from "./support/world.ts";

const MB = 1024 * 1024;
const ID = "3145728-11111111-1111-4111-8111-111111111111";
const LOST = "Sem conexão; o envio continua quando ela voltar.";

/** Keeps what arrives, as the server does. */
function takesPieces(server: FakeServer) {
  const kept = { bytes: 0, pieces: new Blob() };
  const place = () => ({ id: ID, offset: kept.pieces.size, bytes: kept.bytes });
  server.on("POST /api/attachments/uploads", ({ body }) => {
    kept.bytes = body.bytes;
    kept.pieces = new Blob();
    return place();
  });
  server.on("GET /api/attachments/uploads/{id}", place);
  server.on("PUT /api/attachments/uploads/{id}", ({ query, body }) => {
    if (query.offset !== kept.pieces.size)
      throw refuse("upload_offset", { details: { offset: kept.pieces.size } });
    kept.pieces = new Blob([kept.pieces, body]);
    return place();
  });
  server.on("POST /api/attachments/uploads/{id}/complete", () => PICTURE);
  server.on("DELETE /api/attachments/uploads/{id}", () => undefined);
  return kept;
}

async function open() {
  const talks = someTalks();
  const kept = takesPieces(talks.server);
  await openChat();
  return { ...talks, kept };
}

const large = () =>
  new File(
    ["a", "b", "c"].map((letter) => letter.repeat(MB)),
    "armação.png",
    { type: "image/png" },
  );

const bar = () => page.getByRole("progressbar", { name: "Envio do arquivo" });
const atPiece =
  (n: number) =>
  ({ query }: { query: { offset: number } }) =>
    query.offset === n * MB;
const offsets = (server: FakeServer) =>
  server.requests("PUT /api/attachments/uploads/{id}").map(({ query }) => query.offset / MB);

test("a large file goes in pieces and shows how far it is", async () => {
  const { server, kept } = await open();
  const held = server.hold("PUT /api/attachments/uploads/{id}", atPiece(1));
  await attach(large());
  await held.asked;
  await expect.element(bar()).toHaveAttribute("aria-valuenow", "33");
  await shows("33%");
  await shows("Enviando arquivo...");
  held.release();
  await shows(PICTURE.name === "" ? "armação.png" : PICTURE.name);
  await count(bar(), 0);
  expect(await kept.pieces.text()).toBe(await large().text());
  expect(server.requests("POST /api/attachments")).toEqual([]);
  await expect.poll(() => server.requests("DELETE /api/attachments/uploads/{id}")).toHaveLength(1);
});

test("a lost connection is said, and the upload goes on by itself from where the server has it", async () => {
  const { server, kept, ana } = await open();
  const lost = [
    server.drop("PUT /api/attachments/uploads/{id}", atPiece(1)),
    server.drop("GET /api/attachments/uploads/{id}"),
  ];
  await attach(large());
  await shows(LOST);
  await shows("33%");
  await field().fill("Esta armação?");
  await sendButton().click();
  await thread(/Bruno/).click();
  kept.pieces = large().slice(0, 1.5 * MB);
  for (const each of lost) each.stop();
  dispatchEvent(new Event("online"));
  await expect
    .poll(() => written(server))
    .toEqual([{ to: ana.id, text: "Esta armação?", attachmentId: PICTURE.id }]);
  expect(offsets(server)).toEqual([0, 1, 1.5, 2.5]);
  expect(await kept.pieces.text()).toBe(await large().text());
});

test("cancelling ends the upload, and the text stays", async () => {
  const { server } = await open();
  const held = server.hold("PUT /api/attachments/uploads/{id}");
  await attach(large());
  await held.asked;
  await field().fill("Esta armação?");
  (button("Cancelar").element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(field()).toHaveFocus();
  await count(bar(), 0);
  await expect.poll(() => server.requests("DELETE /api/attachments/uploads/{id}")).toHaveLength(1);
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
  await expect.element(field()).toHaveValue("Esta armação?");
  await count(button("Remover arquivo"), 0);
  held.release();
});

test("a lost connection can be cancelled as well, and a refusal at the end is said", async () => {
  const { server } = await open();
  const lost = server.drop("PUT /api/attachments/uploads/{id}");
  await attach(large());
  await shows(LOST);
  await button("Cancelar").click();
  await count(bar(), 0);
  lost.stop();
  server.refuse("POST /api/attachments/uploads/{id}/complete", "attachment_program");
  await attach(large());
  await shows(/Programas não são enviados/);
  await count(bar(), 0);
});

function alone() {
  const server = fakeServer();
  return { server, kept: takesPieces(server) };
}

const named = { name: "a.png" };

test("pauses grow from one second to thirty while nothing arrives", async () => {
  const { server } = alone();
  const away = [
    server.drop("PUT /api/attachments/uploads/{id}"),
    server.drop("GET /api/attachments/uploads/{id}"),
  ];
  const pauses: number[] = [];
  const wait = async (ms: number) => {
    pauses.push(ms / 1_000);
    if (pauses.length === 7) for (const each of away) each.stop();
  };
  expect(await uploadInPieces(large(), named, {}, wait)).toEqual(PICTURE);
  expect(pauses).toEqual([1, 2, 4, 8, 15, 30, 30]);
});

test("pieces that the server forgot are sent again, and not for ever", async () => {
  const { server, kept } = alone();
  let forgets = 1;
  const forgotten = server.refuse(
    "PUT /api/attachments/uploads/{id}",
    "not_found",
    ({ query }) => query.offset === MB && forgets-- > 0,
  );
  expect(await uploadInPieces(large(), named, {})).toEqual(PICTURE);
  expect(await kept.pieces.text()).toBe(await large().text());
  forgotten.stop();
  const always = server.refuse("PUT /api/attachments/uploads/{id}", "not_found");
  await expect(uploadInPieces(large(), named, {})).rejects.toMatchObject({ code: "not_found" });
  expect(always.met).toHaveLength(3);
});

test("a late piece moves the offset, and the upload follows it", async () => {
  const { server, kept } = alone();
  let late = true;
  server.refuse("PUT /api/attachments/uploads/{id}", "internal", ({ query }) => {
    if (late && query.offset === MB) {
      late = false;
      kept.pieces = large().slice(0, 1.25 * MB);
    }
    return false;
  });
  await uploadInPieces(large(), named, {});
  expect(offsets(server)).toEqual([0, 1, 1.25, 2.25]);
  expect(await kept.pieces.text()).toBe(await large().text());
});

test("a campaign that waits for a file which is then cancelled is not created without it", async () => {
  const lists = [contactList({ name: "Clientes VIP", count: 3 })];
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })], lists }));
  takesPieces(server);
  savesCampaigns(server);
  const held = server.hold("PUT /api/attachments/uploads/{id}", atPiece(1));
  await renderApp("/campaigns/new");
  await name().fill("Com foto");
  await text().fill("Veja só");
  await list().selectOptions("Clientes VIP (3)");
  await chooseFile(large());
  await expect.element(bar()).toHaveAttribute("aria-valuenow", "33");
  await press("Criar Campanha");
  await expect.element(button("Criando...")).toBeDisabled();
  await button("Cancelar", page.getByRole("group", { name: "Arquivo" })).click();
  await expect.element(button("Criar Campanha")).toBeEnabled();
  await count(bar(), 0);
  await count(page.getByRole("dialog"), 0);
  expect(server.requests("POST /api/campaigns")).toEqual([]);
  held.release();
});

test("only a small file goes at once", async () => {
  const { server } = await open();
  await attach();
  await expect.poll(() => server.requests("POST /api/attachments")).toHaveLength(1);
  expect(server.requests("POST /api/attachments/uploads")).toEqual([]);
});
