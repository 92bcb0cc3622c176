import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { Segment, SegmentRule } from "../../src/contract/audiences.ts";
import { refuse } from "./support/endpoints.ts";
import { type FakeServer, fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { campaign, contactField, contactList, knownPerson, segment } from "./support/rows.ts";
import { button, dialog, pick, press, pressKey, shows } from "./support/screen.ts";
import { world } from "./support/world.ts";

const editor = () => page.getByRole("dialog", { name: /^(Novo|Editar) segmento$/ });
const about = (place: string) => editor().getByLabelText(`Sobre o quê, condição ${place}`, { exact: true });
const testOf = (place: string) => editor().getByLabelText(`Teste da condição ${place}`, { exact: true });
const value = (place: string) => editor().getByLabelText(`Valor da condição ${place}`, { exact: true });

function clinic(segments: Segment[] = []) {
  const vip = contactList({ name: "VIP", count: 4 });
  const old = campaign({ name: "Loja reformada" });
  const server = fakeServer(
    world({
      lists: [vip],
      people: [1, 2, 3].map((n) => knownPerson(n)),
      fields: [
        contactField({ key: "exame", label: "Exame", kind: "date" }),
        contactField({ key: "castrado", label: "Castrado", kind: "boolean" }),
      ],
      campaigns: [old],
      segments,
    }),
  );
  return { server, vip, old };
}

function savesSegments(server: FakeServer) {
  const saved: { name: string; rule: SegmentRule }[] = [];
  server.on("POST /api/segments", ({ body }) => {
    saved.push(body);
    const made = segment(body);
    server.world.segments = [...server.world.segments, made];
    return made;
  });
  server.on("PUT /api/segments/{id}", ({ params: { id }, body }) => {
    saved.push(body);
    const made = segment({ id, ...body });
    server.world.segments = server.world.segments.map((each) => (each.id === id ? made : each));
    return made;
  });
  return saved;
}

async function openEditor() {
  await renderApp("/contacts/pessoas");
  await press("Segmentos");
  await button("Novo segmento", dialog("Segmentos")).click();
  await expect.element(editor()).toBeVisible();
}

test("a segment is made of conditions and a group of them, counted while it is written, and used at once", async () => {
  const { server, vip, old } = clinic();
  const saved = savesSegments(server);
  await renderApp("/campaigns/new");
  await press("Lista ou segmento");
  await button("Novo segmento", dialog("Enviar também para")).click();
  await editor().getByLabelText("Nome do segmento").fill("Exame vencido");
  await about("1").selectOptions("Exame");
  await testOf("1").selectOptions("foi há mais dias que");
  await shows("Complete as condições para contar.");
  await value("1").fill("365");
  await expect.element(editor()).toMatchTextContent("3 pessoas");
  await pressKey(button("Grupo de condições", editor()), "Enter");
  await expect.element(editor().getByLabelText("Grupo 2: Cumprem")).toHaveFocus();
  await about("2.1").selectOptions("Lista");
  await testOf("2.1").selectOptions("não está na lista");
  await value("2.1").selectOptions("VIP (4)");
  await press("Condição em Grupo 2");
  await expect.element(about("2.2")).toHaveFocus();
  await about("2.2").selectOptions("Campanha");
  await testOf("2.2").selectOptions("recebeu e não leu");
  await value("2.2").selectOptions("Loja reformada");
  await expect.element(editor()).toMatchTextContent("ou");
  await button("Salvar segmento", editor()).click();
  await shows("Segmento «Exame vencido» salvo");
  await expect
    .element(page.getByRole("region", { name: "Quem recebe e quem fica de fora" }))
    .toMatchTextContent("Segmento Exame vencido");
  const rule: SegmentRule = {
    match: "all",
    items: [
      { on: "field", key: "exame", test: "older_days", value: 365 },
      {
        match: "any",
        items: [
          { on: "list", test: "not_in", listId: vip.id },
          { on: "campaign", test: "unread", campaignId: old.id },
        ],
      },
    ],
  };
  expect(saved).toEqual([{ name: "Exame vencido", rule }]);
});

test("errors stand at their condition: ours before it is sent, the server's after", async () => {
  const { server } = clinic();
  savesSegments(server);
  await openEditor();
  await about("1").selectOptions("Entrada nos contatos");
  await press("Grupo de condições");
  await about("2.1").selectOptions("Castrado");
  await button("Salvar segmento", editor()).click();
  await expect.element(editor().getByLabelText("Nome do segmento")).toHaveFocus();
  await expect.element(value("1")).toHaveAccessibleDescription("Use um número inteiro de 1 a 3.650.");
  await expect.element(value("2.1")).toHaveAccessibleDescription("Preencha este campo.");
  await editor().getByLabelText("Nome do segmento").fill("Novos");
  await value("1").fill("7");
  await value("2.1").selectOptions("Sim");
  server.on("POST /api/segments", () => {
    throw refuse("invalid_fields", { fields: { "rule.items.1.items.0.value": "Valor inválido." } });
  });
  await button("Salvar segmento", editor()).click();
  await expect.element(value("2.1")).toHaveAccessibleDescription("Valor inválido.");
  await expect.element(value("2.1")).toHaveFocus();
  await expect.element(value("1")).not.toHaveAccessibleDescription();
  await value("2.1").selectOptions("Não");
  await value("1").fill("0");
  await expect.element(value("1")).toHaveAccessibleDescription("Use um número inteiro de 1 a 3.650.");
  await expect.element(value("2.1")).not.toHaveAccessibleDescription();
  await value("1").fill("7");
  server.on("POST /api/segments", () => {
    throw refuse("invalid_fields", { fields: { name: "Já existe um segmento com este nome." } });
  });
  await button("Salvar segmento", editor()).click();
  await expect
    .element(editor().getByLabelText("Nome do segmento"))
    .toHaveAccessibleDescription("Já existe um segmento com este nome.");
});

test("a segment is opened as it was stored, changed, and asked about before it is left unsaved", async () => {
  const rule: SegmentRule = {
    match: "any",
    items: [
      { on: "field", key: "exame", test: "at_least", value: "2026-02-07" },
      { match: "all", items: [{ on: "reply", test: "last_days", days: 30 }] },
    ],
  };
  const { server } = clinic([segment({ name: "Recentes", rule })]);
  const saved = savesSegments(server);
  await renderApp("/contacts/pessoas");
  await press("Segmentos");
  await press("Mais ações do segmento Recentes");
  await pick("Editar");
  await expect.element(testOf("1")).toHaveValue("at_least");
  await expect.element(value("1")).toHaveValue("07/02/2026");
  await expect.element(value("2.1")).toHaveValue("30");
  await value("2.1").fill("60");
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("alertdialog")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await button("Tirar condição 1", editor()).click();
  await button("Salvar segmento", editor()).click();
  await expect
    .poll(() => saved)
    .toEqual([
      {
        name: "Recentes",
        rule: {
          match: "any",
          items: [{ match: "all", items: [{ on: "reply", test: "last_days", days: 60 }] }],
        },
      },
    ]);
});

test("a segment whose field is gone says so at the condition, and is not saved with it", async () => {
  const rule: SegmentRule = {
    match: "all",
    items: [{ on: "field", key: "peso", test: "filled", value: null }],
  };
  const { server } = clinic([segment({ name: "Pesados", rule, broken: true })]);
  const saved = savesSegments(server);
  await renderApp("/contacts/pessoas");
  await press("Segmentos");
  await shows("Precisa de conserto: usa algo que foi excluído.");
  await press("Mais ações do segmento Pesados");
  await pick("Editar");
  await button("Salvar segmento", editor()).click();
  await expect.element(about("1")).toHaveAccessibleDescription("Campo excluído");
  expect(saved).toEqual([]);
});

test("deleting says which campaign still needs the segment, and otherwise takes it out of the list", async () => {
  const { server } = clinic([segment({ name: "Sem resposta" })]);
  await renderApp("/contacts/pessoas");
  await press("Segmentos");
  await press("Mais ações do segmento Sem resposta");
  await pick("Excluir");
  const asked = page.getByRole("alertdialog", { name: "Excluir o segmento «Sem resposta»?" });
  server.on("DELETE /api/segments/{id}", () => {
    throw refuse("segment_in_use", { details: { name: "Natal" } });
  });
  await button("Excluir", asked).click();
  await expect.element(asked).toMatchTextContent("A campanha «Natal» ainda vai usar este segmento.");
  server.on("DELETE /api/segments/{id}", () => {
    server.world.segments = [];
    return { success: true };
  });
  await button("Excluir", asked).click();
  await expect.element(dialog("Segmentos")).toMatchTextContent("Nenhum segmento ainda.");
});
