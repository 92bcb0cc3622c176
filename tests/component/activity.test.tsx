import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { fakeServer } from "./support/fake-server.ts";
import { renderApp } from "./support/render-app.tsx";
import { auditEvent, minutesAgo } from "./support/rows.ts";
import { count, press, texts } from "./support/screen.ts";
import { world } from "./support/world.ts";

test("what a person and a program did stands there, newest first, and can be narrowed to one subject", async () => {
  const audit = [
    auditEvent({
      kind: "account_created",
      browser: "Chrome, Linux",
      address: "127.0.0.1",
      at: minutesAgo(9),
    }),
    auditEvent({ kind: "key_created", subject: "Sistema de pedidos" }),
    auditEvent({ kind: "campaign_cancelled", subject: "Natal" }),
    auditEvent({ kind: "list_deleted", subject: "Clientes", details: { contacts: 2 } }),
    auditEvent({ kind: "list_duplicated", subject: "Clientes (cópia)", details: { from: "Clientes" } }),
    auditEvent({ kind: "list_renamed", subject: "Clientes 2026", details: { from: "Clientes" } }),
    auditEvent({
      kind: "opt_out_undone",
      actor: "key",
      keyName: "Sistema de pedidos",
      address: "127.0.0.1",
      browser: null,
      subject: "…3055",
    }),
  ];
  const server = fakeServer(world({ audit }));
  await renderApp("/settings?aba=atividade");
  await expect.element(page.getByRole("heading", { name: "Atividade" })).toBeVisible();
  const list = page.getByRole("list", { name: "O que foi feito" }).getByRole("listitem");
  await count(list, 7);
  const said = [
    /^Saída desfeita: o número …3055 volta a receber campanhas.*Programa com a chave «Sistema de pedidos» · 127\.0\.0\.1/,
    /^Lista renomeada: «Clientes 2026»\s*antes «Clientes»/,
    /^Lista «Clientes \(cópia\)» criada como cópia\s*de «Clientes»/,
    /^Lista «Clientes» excluída\s*2 contatos/,
    /^Campanha «Natal» cancelada/,
    /^Chave de API «Sistema de pedidos» gerada/,
    /^Conta criada\s*Você · Chrome, Linux · 127\.0\.0\.1\s*(hoje|ontem) às/,
  ];
  for (const [at, words] of said.entries()) expect(texts(list)[at]).toMatch(words);

  const filter = page.getByLabelText("Mostrar");
  await filter.selectOptions("Campanhas");
  await count(list, 1);
  await filter.selectOptions("Conexões e robôs");
  const nothing = page.getByRole("heading", { name: "Nada disto aconteceu no último ano" });
  await expect.element(nothing).toBeVisible();
  const held = server.hold("GET /api/audit", ({ query }) => query.group === "data");
  await filter.selectOptions("Contatos e dados");
  await held.asked;
  await expect.element(nothing).not.toBeInTheDocument();
  held.release();
  await count(list, 4);
  await filter.selectOptions("Conexões e robôs");
  await press("Ver tudo");
  await count(list, 7);
});
