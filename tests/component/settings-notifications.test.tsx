import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { minutesAgo } from "./support/rows.ts";
import { button, count, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const TAB = "/settings?aba=notificacoes";

const box = (name: string) => page.getByRole("checkbox", { name });
const saved = () => page.getByText("Salvo", { exact: true });

function boxes(mail: Partial<FakeServer["world"]["notifications"]["mail"]> = {}): FakeServer {
  const { notifications } = world();
  const server = fakeServer(
    world({
      notifications: {
        ...notifications,
        browserCampaignStatus: true,
        browserNewMessage: true,
        mail: { ...notifications.mail, ...mail },
      },
    }),
  );
  server.on("PATCH /api/settings/notifications", ({ body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    server.world.notifications = { ...server.world.notifications, ...given };
    return server.world.notifications;
  });
  return server;
}

test("each box has the default of the product, and is kept at once @spec 2.58", async () => {
  const server = boxes();
  const { queries } = await renderApp(TAB);
  const names = {
    "Campanha concluída": true,
    "Problemas de entrega": true,
    "Atualizações da conta": true,
    "Ofertas e dicas": false,
    "Novidades do produto": false,
    "Mudanças no status das campanhas": true,
    "Novas mensagens recebidas": true,
  };
  await count(page.getByRole("checkbox"), 7);
  for (const [name, on] of Object.entries(names))
    if (on) await expect.element(box(name)).toBeChecked();
    else await expect.element(box(name)).not.toBeChecked();
  await box("Campanha concluída").click();
  await box("Ofertas e dicas").click();
  await count(saved(), 2);
  expect(server.requests("PATCH /api/settings/notifications").map(({ body }) => body)).toEqual([
    { emailCampaignCompleted: false },
    { emailMarketing: true },
  ]);
  queries.clear();
  await renderApp(TAB);
  await expect.element(box("Campanha concluída")).not.toBeChecked();
  await expect.element(box("Ofertas e dicas")).toBeChecked();
});

test("a box that could not be saved says so and shows what is kept", async () => {
  const server = boxes();
  const held = server.hold("PATCH /api/settings/notifications");
  const lost = server.drop("PATCH /api/settings/notifications");
  await renderApp(TAB);
  await box("Problemas de entrega").click();
  await shows("Salvando...");
  await expect.element(box("Problemas de entrega")).not.toBeChecked();
  held.release();
  await shows(/^Não foi salvo:/);
  await expect.element(box("Problemas de entrega")).toBeChecked();
  lost.stop();
  await box("Problemas de entrega").click();
  await expect.element(saved()).toBeVisible();
});

test("what became of a test e-mail is said; a mail server's refusal too", async () => {
  const server = boxes({ last: { subject: "Confirme o seu e-mail", at: minutesAgo(3), error: null } });
  let error: string | null = null;
  server.on("POST /api/settings/notifications/test", () => {
    const { notifications } = server.world;
    const last = { subject: "Mensagem de teste do Recado", at: minutesAgo(0), error };
    server.world.notifications = { ...notifications, mail: { ...notifications.mail, last } };
    return server.world.notifications;
  });
  await renderApp(TAB);
  await shows(/^Último e-mail: «Confirme o seu e-mail», enviado/);
  await press("Enviar e-mail de teste");
  await shows(/^Último e-mail: «Mensagem de teste do Recado», enviado (hoje|ontem) às/);
  error = "O servidor de e-mail recusou a mensagem. (550)";
  await press("Enviar e-mail de teste");
  const alert = page.getByRole("alert");
  await expect.element(alert).toMatchTextContent("não foi enviado");
  await expect.element(alert).toMatchTextContent("O servidor de e-mail recusou a mensagem. (550)");
});

test("without a mail server the screen says so and keeps the choices", async () => {
  boxes({ configured: false });
  await renderApp(TAB);
  await shows("Este servidor não envia e-mails.");
  await expect.element(button("Enviar e-mail de teste")).not.toBeInTheDocument();
  await box("Novidades do produto").click();
  await expect.element(saved()).toBeVisible();
  await expect.element(box("Novidades do produto")).toBeChecked();
});

test("the link at the foot of news ends them by one press, without signing in", async () => {
  const server = fakeServer(world({ me: null }));
  const link = { kind: "product" as const, email: "d…@exemplo.com.br", subscribed: true };
  server.on("GET /api/unsubscribe/{token}", ({ params: { token } }) => {
    if (token !== "selo") throw refuse("not_found");
    return link;
  });
  server.on("POST /api/unsubscribe/{token}", () => {
    link.subscribed = false;
    return link;
  });
  await renderApp("/descadastrar/selo");
  await expect
    .element(page.getByRole("heading", { name: "Parar de receber novidades do produto?" }))
    .toBeVisible();
  await shows(/@exemplo\.com\.br/);
  expect(server.requests("POST /api/unsubscribe/{token}")).toEqual([]);
  await press("Descadastrar");
  const done = page.getByRole("heading", { name: "Pronto, você não recebe mais estes e-mails." });
  await expect.element(done).toHaveFocus();
  expect(server.requests("POST /api/unsubscribe/{token}").map(({ params }) => params)).toEqual([
    { token: "selo" },
  ]);
  await renderApp("/descadastrar/nada");
  await expect.element(page.getByRole("heading", { name: "Este link não vale mais" })).toBeVisible();
});
