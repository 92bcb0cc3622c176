import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { CampaignInput } from "../../src/contract/campaigns.ts";
import type { ContactField } from "../../src/contract/contact-fields.ts";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, connection, contact, contactList } from "./support/rows.ts";
import { button, press, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const text = page.getByRole("textbox", { name: "Texto", exact: true });
const choice = page.getByLabelText("Quem não tem Data {data}");

const DATE: ContactField = { id: 1, key: "data", label: "Data", kind: "date" };
type Texts = Record<string, string>;

async function clinic(fields = [DATE], texts: readonly Texts[] = [{ data: "20/12/2026" }, {}]) {
  const line = connection({ name: "Matriz" });
  const contacts = [contact(0, { name: "Ana" }), contact(1, { name: "Bia" })];
  const list = contactList({
    name: "Pacientes",
    count: 2,
    first: contacts.map(({ seq: _, ...each }) => each),
  });
  const server = fakeServer(
    world({ connections: [line], lists: [list], contacts: { [list.id]: contacts }, fields }),
  );
  server.on("POST /api/audience/count", ({ body: { variables } }) => {
    const strict = variables.some(({ fallback }) => fallback === null);
    const items = contacts.map(({ phone, name }, at) => ({ phone, name, texts: texts[at] ?? {} }));
    const gets = strict ? items.slice(0, 1) : items;
    return {
      sources: [{ key: `list:${list.id}`, name: list.name, people: 2 }],
      twice: 0,
      without: strict ? [{ key: "missing", name: null, people: 1 }] : [],
      gets: gets.length,
      landLines: 0,
      missing: Object.fromEntries(variables.map(({ key }) => [key, 1])),
      items: gets,
    };
  });
  const made: CampaignInput[] = [];
  server.on("POST /api/campaigns", ({ body }) => {
    made.push(body);
    const { inPeriod: _, ...saved } = campaign({ name: body.name });
    return saved;
  });
  await renderApp("/campaigns/new");
  await page.getByLabelText("Nome da campanha").fill("Consultas");
  await page.getByLabelText("Lista de contatos").selectOptions("Pacientes (2)");
  return made;
}

test("a field is inserted at the caret by keyboard, previewed for each person, and decided before «Criar Campanha»", async () => {
  const made = await clinic();
  await text.fill("Dia , {nome}");
  await userEvent.keyboard("{Home}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}");
  (button("Inserir campo").element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("menuitem", { name: "Sobrenome {sobrenome}" })).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(page.getByRole("menuitem", { name: "Data {data}" })).toHaveFocus();
  await expect.element(page.getByRole("menuitem", { name: "Data {data}" })).toBeInViewport();
  await userEvent.keyboard("{Enter}");
  await expect.element(text).toHaveValue("Dia {data}, {nome}");
  await expect.element(text).toHaveFocus();
  await shows("1 pessoa não tem este valor.");
  await shows("Dia 20/12/2026, Ana");

  await press("Criar Campanha");
  await expect.element(choice).toHaveFocus();
  await shows("Escolha o que fazer com quem não tem este valor.");
  expect(made).toEqual([]);

  await choice.selectOptions("Deixar de fora quem não tem");
  const ledger = page.getByRole("region", { name: "Quem recebe e quem fica de fora" });
  await expect.element(ledger.getByRole("listitem").filter({ hasText: "Sem Data" })).toMatchTextContent("−1");
  await expect.element(ledger).toMatchTextContent("Recebem1");
  await expect.element(button("Próximo contato")).not.toBeInTheDocument();
  await choice.selectOptions("Usar outro texto");
  await press("Próximo contato");
  await press("Criar Campanha");
  await shows("Preencha este campo.");
  await page.getByLabelText("Texto para quem não tem Data").fill("em breve");
  await shows("Dia em breve, Bia");
  await press("Criar Campanha");
  const look = page.getByRole("alertdialog");
  await expect.element(look.getByText("Dia 20/12/2026, Ana")).toBeVisible();
  await button("Criar Campanha", look).click();
  await expect.poll(() => made).toMatchObject([{ variables: [{ key: "data", fallback: "em breve" }] }]);
  expect(made[0]).not.toHaveProperty("keepPlaceholders");
});

test("another sender's spelling of a field is replaced by one press", async () => {
  await clinic();
  await text.fill("Dia {{data}}");
  await press(/^Trocar/);
  await expect.element(text).toHaveValue("Dia {data}");
  await expect.element(choice).toBeVisible();
});

test("the surname stands in the menu without any field, and is decided like one", async () => {
  const made = await clinic([], [{ sobrenome: "Rocha" }, {}]);
  await text.fill("Sra. [Sobrenome]");
  await press(/^Trocar/);
  await expect.element(text).toHaveValue("Sra. {sobrenome}");
  await text.fill("Sra. ");
  await press("Inserir campo");
  await page.getByRole("menuitem", { name: "Sobrenome {sobrenome}" }).click();
  await expect.element(text).toHaveValue("Sra. {sobrenome}");
  await shows("Sra. Rocha");
  await page
    .getByLabelText("Quem não tem Sobrenome {sobrenome}")
    .selectOptions("Deixar de fora quem não tem");
  await shows("1 de 1");
  await press("Criar Campanha");
  await button("Criar Campanha", page.getByRole("alertdialog")).click();
  await expect.poll(() => made).toMatchObject([{ variables: [{ key: "sobrenome", fallback: null }] }]);
});
