import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contactList, uploaded } from "./support/rows.ts";
import { button, main, pressKey } from "./support/screen.ts";
import { world } from "./support/world.ts";

test("a campaign that leaves the list, by what is pressed in it or elsewhere, leaves the keyboard on the page", async () => {
  const running = { status: "sending", states: { sent: 2, pending: 8 } } as const;
  const server = fakeServer(
    world({ campaigns: [campaign({ ...running, name: "Natal" }), campaign({ ...running, name: "Páscoa" })] }),
  );
  const pause = (name: string) => {
    const { inPeriod: _, ...paused } = campaign({ ...running, name, status: "paused" });
    server.world.campaigns = server.world.campaigns.filter((each) => each.name !== name);
    return paused;
  };
  server.on("POST /api/campaigns/{id}/pause", () => pause("Natal"));
  await renderApp("/campaigns?filtro=sending");
  const card = (name: string) => page.getByRole("article", { name });
  await pressKey(button("Pausar", card("Natal")), "Enter");
  await expect.element(card("Natal")).not.toBeInTheDocument();
  await expect.element(main()).toHaveFocus();

  (
    await card("Páscoa")
      .getByRole("link", { name: /Ver Detalhes/ })
      .findElement()
  ).focus();
  pause("Páscoa");
  await server.publish("campaigns");
  await expect.element(card("Páscoa")).not.toBeInTheDocument();
  await expect.element(main()).toHaveFocus();
});

test("all lists are shown again, and one is deleted elsewhere, without the keyboard falling out of the page", async () => {
  const list = contactList({ name: "Clientes VIP", count: 3 });
  const server = fakeServer(world({ lists: [list] }));
  await renderApp(`/contacts?lista=${list.id}`);
  await pressKey(button("Mostrar todas as listas"), "Enter");
  await expect.element(page.getByText("1 lista, 3 contatos")).toBeVisible();
  await expect.element(main()).toHaveFocus();

  (await button("Excluir Lista: Clientes VIP").findElement()).focus();
  server.world.lists = [];
  await server.publish("contacts");
  await expect.element(page.getByText("Nenhuma lista de contatos")).toBeVisible();
  await expect.element(main()).toHaveFocus();
});

/** The page opens the system's chooser by this input. */
async function choose(name: string, file: File) {
  await pressKey(button(name), "Enter");
  const input = document.querySelector<HTMLInputElement>("input[type=file]");
  if (!input) throw new Error("the page has no file input");
  await userEvent.upload(input, file);
}

test("a file that was picked by keyboard is said by the button that changes it, which has the keyboard", async () => {
  await renderApp("/contacts");
  await pressKey(button("Importar").first(), "Enter");
  await choose(
    "Escolher arquivo",
    new File(["Nome;Telefone\nAna;31 90234-1187\n"], "clientes.csv", { type: "text/csv" }),
  );
  await expect.element(button("Trocar")).toHaveFocus();
  await expect.element(button("Trocar")).toHaveAccessibleDescription("clientes.csv");
});

test("a picture that was chosen by keyboard is followed by what can be done then, whether it was taken or not", async () => {
  const server = fakeServer();
  server.on("POST /api/attachments", () => {
    throw refuse("image_unsupported");
  });
  await renderApp("/campaigns/new");
  await choose("Escolher arquivo", new File(["BM"], "foto.bmp", { type: "image/bmp" }));
  await expect.element(button("Escolher arquivo")).toHaveFocus();
  await expect
    .element(button("Escolher arquivo"))
    .toHaveAccessibleDescription(/^Use uma imagem JPG, PNG ou WebP/);
  server.on("POST /api/attachments", ({ body }) => uploaded({ bytes: body.size }));
  await choose("Escolher arquivo", new File(["png"], "foto.png", { type: "image/png" }));
  await expect.element(button("Remover arquivo")).toHaveFocus();
});
