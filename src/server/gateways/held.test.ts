import { expect, test } from "vitest";
import { madeThere, webhookOf } from "../../../tests/support/calls-there.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { type ErrorAnswer, gatewaysFeature } from "../../../tests/support/gateways-feature.ts";
import type { Instance } from "../../contract/gateways.ts";
import { endRestoreLock, writeRestoreLock } from "../db/restore-lock.ts";

const database = await testDatabase();
const { db } = database;
const feature = await gatewaysFeature(database);

test("a held copy takes no webhook from its original, whatever a person does; released, it sets them", async () => {
  const { server, path, call, create } = await feature.owner();
  await create();
  await madeThere(server, "vendas");
  const elsewhere = await gatewaysFeature(database, { webhookUrl: "http://127.0.0.1:9" });
  const before = { loja: await webhookOf(server, "loja"), vendas: await webhookOf(server, "vendas") };
  await writeRestoreLock(db, new Date().toISOString());

  const moved = await call<Instance & ErrorAnswer>("PUT", `${path}/loja/webhook`, {
    url: "https://meu.br/w",
  });
  expect(moved).toMatchObject({ status: 424, body: { details: { cause: "restored_held" } } });
  expect((await call<Instance>("POST", `${path}/vendas/adopt`)).body).toMatchObject({ hook: "unset" });
  expect({ loja: await webhookOf(server, "loja"), vendas: await webhookOf(server, "vendas") }).toEqual(
    before,
  );

  await endRestoreLock(db);
  await elsewhere.gateways.setMissingHooks();
  for (const name of ["loja", "vendas"])
    expect((await webhookOf(server, name)).url).toContain("http://127.0.0.1:9/hooks/evolution/");
});

test("F26 a held copy deletes no instance of its original, and a forgotten server keeps its webhook", async () => {
  const { id, server, path, call, create } = await feature.owner();
  await create();
  const before = await webhookOf(server, "loja");
  await writeRestoreLock(db, new Date().toISOString());
  expect(await call<ErrorAnswer>("DELETE", `${path}/loja`)).toMatchObject({
    status: 409,
    body: { code: "restored_held" },
  });
  expect((await call("DELETE", `/api/gateways/${id}`)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await webhookOf(server, "loja")).toEqual(before);
  await endRestoreLock(db);
});
