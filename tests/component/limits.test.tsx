import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { LIMITS, type LimitName } from "../../src/domain/limits.ts";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { connection, contactList } from "./support/rows.ts";
import { button, main, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const reached = (limit: LimitName, most: number) =>
  refuse("limit_reached", { details: { limit, most, used: most } });
const said = (what: string) => `Limite da conta atingido: ${what}. Fale com quem administra esta instalação.`;
const gone = (name: string) => expect.element(button(name)).not.toBeInTheDocument();

async function upload(file: File) {
  const input = document.querySelector("input[type=file]");
  if (!input) throw new Error("the page has no file input");
  await userEvent.upload(input, file);
}

test("27.6 what the operator has not opened to the account is said where it would be used, with a way on", async () => {
  const { notifications, mistral, ...state } = world();
  const server = fakeServer({
    ...state,
    mistral: { ...mistral, operatorClosed: true },
    notifications: { ...notifications, mail: { configured: true, closed: true, last: null } },
  });
  server.on("GET /api/gateways", () => ({ gateways: [], providedClosed: true }));
  await renderApp("/chatbot");
  await shows("Esta instalação tem uma chave do Mistral, que quem a administra não abriu");
  await expect.element(button("Cadastrar chave")).toBeVisible();
  await renderApp("/instances");
  await shows("Os servidores desta instalação não estão abertos para a sua conta");
  await expect.element(button("Cadastrar evolution")).toBeVisible();
  await renderApp("/settings?aba=notificacoes");
  await shows("Os avisos por e-mail não estão abertos para a sua conta.");
  await gone("Enviar e-mail de teste");
});

test("27.6 a limit is shown with its figure: numbers, people, campaigns, pictures", async () => {
  const server = fakeServer(
    world({ connections: [connection()], lists: [contactList({ name: "Clientes", count: 3 })] }),
  );
  server.on("POST /api/whatsapp/connect", () => {
    throw reached("numbers", 1);
  });
  server.on("POST /api/contact-import-drafts", () => {
    throw reached("people", 3);
  });
  server.on("POST /api/attachments", () => {
    throw reached("stored_bytes", 0);
  });
  await renderApp("/baileys");
  await page.getByLabelText("Número do WhatsApp").fill("+55 31 90777-3055");
  await press("Conectar");
  await expect.element(main().getByRole("alert")).toMatchTextContent(said("1 número"));

  await renderApp("/contacts");
  await press("Importar");
  const opened = page.getByRole("dialog");
  await expect.element(opened).toBeVisible();
  await upload(new File(["Nome;Telefone\nAna;31902341187\n"], "clientes.csv", { type: "text/csv" }));
  await button("Continuar", opened).click();
  await expect.element(opened.getByRole("alert")).toMatchTextContent(said("3 contatos nas listas"));

  await renderApp("/campaigns/new");
  await page.getByLabelText("Nome da campanha").fill("Oferta");
  await page.getByRole("textbox", { name: "Texto", exact: true }).fill("Oi, {nome}!");
  await upload(new File(["png"], "promo.png", { type: "image/png" }));
  await shows(said("0 GB de arquivos"));
});

test("27.6 a campaign beyond the limit is not created, and the form says why", async () => {
  const lists = [contactList({ name: "Clientes VIP", count: 3 })];
  const server = fakeServer(world({ connections: [connection()], lists }));
  server.on("POST /api/campaigns", () => {
    throw reached("waiting_campaigns", 0);
  });
  await renderApp("/campaigns/new");
  await page.getByLabelText("Nome da campanha").fill("Oferta");
  await page.getByRole("textbox", { name: "Texto", exact: true }).fill("Oi, {nome}!");
  await page.getByLabelText("Lista de contatos").selectOptions("Clientes VIP (3)");
  await press("Criar Campanha");
  await button("Criar Campanha", page.getByRole("alertdialog")).click();
  await shows(said("0 campanhas agendadas ou prestes a começar"));
  expect(location.pathname).toBe("/campaigns/new");
});

test("27.6 «Uso» shows every limit with what is used of it", async () => {
  const { usage, ...state } = world();
  const used: Partial<Record<LimitName, number>> = { lists: 1, people: 3 };
  const limits = usage.limits.map(({ name }) => ({
    name,
    most: name === "lists" ? 1 : LIMITS[name],
    used: used[name] ?? 0,
  }));
  fakeServer({ ...state, usage: { ...usage, limits } });
  await renderApp("/settings?aba=uso");
  const table = page.getByRole("table", { name: "Limites da conta" });
  for (const row of [
    "Listas de contatos 1 de 1",
    "Contatos em todas as listas 3 de 5.000.000",
    "Imagens guardadas 0,0 GB de 5,0 GB",
  ])
    await expect.element(table.getByRole("row", { name: row })).toBeVisible();
});
