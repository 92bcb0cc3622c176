import { expect, test } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import type { ListedCampaign } from "../../src/contract/campaigns.ts";
import type { ShownDelivery } from "../../src/domain/campaign.ts";
import { changePerson, settlesDoubts, withPeople } from "./support/campaign-people.ts";
import type { Call } from "./support/endpoints.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { minutesAgo } from "./support/rows.ts";
import { button, count, dialog, pick } from "./support/screen.ts";
import { world } from "./support/world.ts";

const details = dialog("Detalhes dos Envios");
const people = details.getByRole("row").filter({ hasText: "+55" });
const person = (name: string) => details.getByText(name, { exact: true });
const resolve = (name: string) => button(`Resolver o envio para ${name}`, details);
const entries = () =>
  page
    .getByRole("menuitem")
    .elements()
    .map(({ textContent }) => textContent);
const ALL = ["Reenviar mesmo assim", "Marcar como enviado", "Ignorar"];
const SETTLED = { status: "skipped", resolvable: false } as const;

async function openDoubts(
  states: Partial<Record<ShownDelivery, number>>,
  given: Partial<ListedCampaign> = {},
  more = "&status=uncertain",
) {
  const { made, people: held } = withPeople(states, given);
  const server = fakeServer(world(held));
  settlesDoubts(server);
  await renderApp(`/campaigns?detalhes=${made.id}${more}`);
  await expect.element(details).toBeVisible();
  return { server, id: made.id };
}

test("doubtful messages are settled by hand, and sending again warns first @decision 9,11", async () => {
  const { server, id } = await openDoubts({ read: 5, uncertain: 3 });
  await expect.element(details).toMatchTextContent("A verificar: o WhatsApp não confirmou este envio.");
  await resolve("Pessoa 5").click();
  await expect.poll(entries).toEqual(ALL);
  await pick("Marcar como enviado");
  await expect.element(button("Enviado 1", details)).toBeVisible();
  await count(people, 2);

  await resolve("Pessoa 6").click();
  await pick("Ignorar");
  await expect.element(button("Ignorado 1", details)).toBeVisible();
  await count(people, 1);

  const asked = page.getByRole("alertdialog", { name: "Reenviar mesmo assim?" });
  const ask = async () => {
    await resolve("Pessoa 7").click();
    await pick("Reenviar mesmo assim");
    await expect.element(asked).toMatchTextContent("recebe a mesma mensagem duas vezes");
  };
  await ask();
  const doubt = server.world.deliveries[id]?.[7];
  if (!doubt) throw new Error("Pessoa 7 is missing");
  doubt.at = minutesAgo(0);
  await button("Reenviar mesmo assim", asked).click();
  await expect.element(asked).toMatchTextContent("Este envio já foi resolvido.");
  await button("Cancelar", asked).click();
  await ask();
  await button("Reenviar mesmo assim", asked).click();
  await expect.element(asked).not.toBeInTheDocument();
  await expect.element(button("Pendente 1", details)).toBeVisible();
});

test.for<[facts: Partial<ListedCampaign>, offered: string[]]>([
  [{ status: "cancelled" }, ALL.slice(1)],
  [{ status: "partially_completed" }, ALL],
  [{ status: "partially_completed", connectionId: null }, ALL.slice(1)],
])(
  "a doubt of what was cancelled, or has lost its connection, is not offered to be sent again: %s",
  async ([facts, offered]) => {
    await openDoubts({ uncertain: 1 }, facts);
    await resolve("Pessoa 0").click();
    await expect.poll(entries).toEqual(offered);
  },
);

test("a filtered list moves and is read on, also where changes come faster than its answers", async () => {
  const { server, id } = await openDoubts({ uncertain: 230 });
  await expect.element(person("Pessoa 0")).toBeVisible();
  const key = "GET /api/campaigns/{id}/deliveries";
  const before = server.requests(key).length;
  const nth = (wanted: number) =>
    server.hold(key, (call: Call<typeof key>) => server.requests(key).indexOf(call) === before + wanted);
  const [first, second, third] = [nth(0), nth(1), nth(2)];
  const ignored = async (seq: number) => {
    await changePerson(server, id, seq, SETTLED);
    await expect.element(button(`Ignorado ${seq + 1}`, details)).toBeVisible();
  };
  await ignored(0);
  await first.asked;
  await ignored(1);
  first.release();
  await expect.element(person("Pessoa 0")).not.toBeInTheDocument();
  await second.asked;
  const box = await details.getByRole("region", { name: "Envios" }).findElement();
  box.scrollTo(0, box.scrollHeight);
  expect((await third.asked).query.after).toBeGreaterThan(0);
  third.release();
  await expect
    .poll(() => {
      box.scrollTo(0, box.scrollHeight);
      return person("Pessoa 229").query() !== null;
    })
    .toBe(true);
  second.release();
});

test("a menu stays with the person it was opened for while others leave the list", async () => {
  const { server, id } = await openDoubts({ uncertain: 3 });
  await resolve("Pessoa 1").hover();
  await commands.mouse("down");
  await expect.element(page.getByRole("menuitem", { name: "Ignorar" })).toBeVisible();
  await changePerson(server, id, 0, SETTLED);
  await expect.element(person("Pessoa 0")).not.toBeInTheDocument();
  // The menu moves with its row: the press ends over an entry that was not pressed.
  await page.getByRole("menuitem", { name: "Marcar como enviado" }).hover();
  await commands.mouse("up");
  await userEvent.click(page.getByRole("menuitem", { name: "Ignorar" }));
  await expect.element(person("Pessoa 1")).not.toBeInTheDocument();
  await expect.element(person("Pessoa 2")).toBeVisible();
  expect(server.requests("POST /api/campaigns/{id}/deliveries/{seq}/mark-sent")).toEqual([]);
});
