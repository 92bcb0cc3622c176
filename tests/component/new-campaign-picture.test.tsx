import { expect, test } from "vitest";
import { page } from "vitest/browser";
import {
  chooseFile,
  confirmLook,
  createCampaign,
  file,
  list,
  name,
  savesCampaigns,
  storesPictures,
  text,
} from "./support/campaign-form.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contactList } from "./support/rows.ts";
import { button, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const sending = () => page.getByText("Enviando arquivo...");
const picture = () => page.getByRole("group", { name: "Arquivo" });
const created = () => shows("Campanha criada: o envio começa agora");
const waits = () => expect.element(button("Criando...")).toBeDisabled();

async function withPictureOnItsWay() {
  const lists = [contactList({ name: "Clientes VIP", count: 3 })];
  const server = fakeServer(world({ connections: [connection({ name: "Matriz" })], lists }));
  const answers = savesCampaigns(server);
  const pictures = storesPictures(server);
  const heldPicture = async (called: string) => {
    const held = server.hold("POST /api/attachments");
    await chooseFile(file(called));
    await expect.element(sending()).toBeVisible();
    const answer = (lost: boolean) => () => {
      pictures.lost = lost;
      held.release();
    };
    return { arrive: answer(false), fail: answer(true) };
  };
  await renderApp("/campaigns/new");
  await name().fill("Com foto");
  await text().fill("Veja só");
  await list().selectOptions("Clientes VIP (3)");
  const sent = () => server.world.campaigns.map(({ attachment }) => pictures.stored.get(attachment?.id ?? 0));
  const named = (id: number) => pictures.stored.get(id);
  return { server, answers, heldPicture, sent, named, ...(await heldPicture("foto.png")) };
}

test("a campaign created while its picture is on its way goes out with it", async () => {
  const { server, sent, arrive } = await withPictureOnItsWay();
  await press("Criar Campanha");
  await waits();
  expect(server.requests("POST /api/campaigns")).toHaveLength(0);
  arrive();
  await confirmLook();
  await created();
  expect(sent()).toEqual(["foto.png"]);
});

test("a draft saved while its picture is on its way keeps it", async () => {
  const { server, sent, arrive } = await withPictureOnItsWay();
  await press("Salvar Rascunho");
  await expect.element(button("Salvando...")).toBeDisabled();
  expect(server.requests("POST /api/campaigns")).toHaveLength(0);
  arrive();
  await shows("Rascunho salvo");
  expect(sent()).toEqual(["foto.png"]);
});

test("nothing goes out when the picture it waits for is not taken, and nothing typed is lost", async () => {
  const { server, sent, heldPicture, fail } = await withPictureOnItsWay();
  await press("Criar Campanha");
  await waits();
  fail();
  await expect.element(picture().getByRole("alert")).toBeVisible();
  await expect.element(button("Escolher arquivo")).toHaveFocus();
  await expect.element(text()).toHaveValue("Veja só");
  // The late upload must not move the focus.
  const other = await heldPicture("outra.png");
  await press("Criar Campanha");
  await waits();
  (await text().findElement()).focus();
  other.fail();
  await expect.element(picture().getByRole("alert")).toBeVisible();
  await expect.element(button("Criar Campanha")).toBeEnabled();
  await expect.element(text()).toHaveFocus();
  expect(server.requests("POST /api/campaigns")).toHaveLength(0);
  const again = await heldPicture("foto.png");
  again.arrive();
  await expect.element(sending()).not.toBeInTheDocument();
  await createCampaign();
  await created();
  expect(sent()).toEqual(["foto.png"]);
});

test("a picture chosen after another follows it, also when it was still on its way", async () => {
  const { server, named, heldPicture, arrive } = await withPictureOnItsWay();
  arrive();
  await shows("foto.png");
  const second = await heldPicture("outra.png");
  await press("Criar Campanha");
  await waits();
  second.arrive();
  await confirmLook();
  await created();
  const [campaign] = server.world.campaigns;
  const names = [campaign?.attachment, ...(campaign?.moreAttachments ?? [])].map((one) =>
    named(one?.id ?? 0),
  );
  expect(names).toEqual(["foto.png", "outra.png"]);
});

test("a test asked for while the picture is on its way takes it along, and stays when it is not taken", async () => {
  const { server, heldPicture, arrive } = await withPictureOnItsWay();
  const asked = server.drop("POST /api/campaigns/test").met;
  await press("Enviar teste");
  await expect.element(page.getByRole("heading", { name: "Enviar teste" })).toHaveFocus();
  const form = page.getByRole("form", { name: "Enviar teste" });
  await button("Enviar teste", form).click();
  await expect.element(button("Enviando...", form)).toBeDisabled();
  expect(asked).toEqual([]);
  arrive();
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]?.body.attachmentId).toEqual(expect.any(Number));

  const second = await heldPicture("outra.png");
  await button("Enviar teste", form).click();
  await expect.element(button("Enviando...", form)).toBeDisabled();
  second.fail();
  await expect.element(form.getByText("Corrija a mensagem antes de enviar o teste.")).toBeVisible();
  expect(asked).toHaveLength(1);
});

test("a picture that the server keeps no more is said to be gone, at its place, and nothing goes out without it", async () => {
  const { server, sent, heldPicture, arrive } = await withPictureOnItsWay();
  arrive();
  await shows("foto.png");
  server.on("POST /api/campaigns", () => {
    throw refuse("not_found", { details: { field: "attachmentId" } });
  });
  await createCampaign();
  await expect
    .element(picture().getByRole("alert"))
    .toHaveTextContent("O servidor não guarda mais este arquivo. Escolha-o de novo.");
  await expect.element(button("Remover arquivo")).toHaveFocus();
  savesCampaigns(server);
  await press("Remover arquivo");
  (await heldPicture("foto.png")).arrive();
  await expect.element(sending()).not.toBeInTheDocument();
  await createCampaign();
  await created();
  expect(sent()).toEqual(["foto.png"]);
});

test("created as another campaign than one saved before, it waits for its picture all the same", async () => {
  const { answers, sent, heldPicture, arrive } = await withPictureOnItsWay();
  answers.lost = true;
  arrive();
  await expect.element(sending()).not.toBeInTheDocument();
  await createCampaign();
  const failed = page.getByRole("alert").filter({ hasText: "Não foi possível criar a campanha." });
  await expect.element(failed).toBeVisible();
  answers.lost = false;
  await text().fill("Veja só esta");
  await createCampaign();
  await shows("Esta campanha já foi salva na tentativa anterior.");
  await press("Remover arquivo");
  const other = await heldPicture("outra.png");
  await press("Criar como outra campanha");
  await waits();
  other.arrive();
  await confirmLook();
  await created();
  expect(sent()).toEqual(["foto.png", "outra.png"]);
});
