import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "../../../../tests/support/sending.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import { renderMessage } from "../../../domain/message-text.ts";
import { typed, type Variable } from "../../../domain/variables.ts";
import { ownerOf } from "../../db/owner.ts";
import { audienceOf } from "../sending.ts";
import { startNext } from "./audience.ts";

const { db, database } = await testDatabase();

async function withFields(variables: Variable[], people: object[]) {
  const accountId = await makeAccount(db);
  const connectionId = await makeConnection(db, accountId);
  const campaignId = await makeCampaign(db, accountId, { people: people.length, connectionId });
  const kinds = { dia: "date", valor: "number", socio: "boolean", pet: "text", lote: "text" } as const;
  for (const [seq, [key, kind]] of Object.entries(kinds).entries())
    await sql`insert into contact_field (account_id, key, label, kind, seq)
      values (${accountId}::uuid, ${key}, ${key}, ${kind}, ${seq})`.execute(db);
  for (const [at, fields] of people.entries())
    await sql`update person set fields = ${JSON.stringify(fields)}::jsonb
      where account_id = ${accountId}::uuid and phone = ${5_511_900_000_000 + at}`.execute(db);
  await sql`update campaign set variables = ${JSON.stringify(variables.map((each) => typed(each, kinds)))}::jsonb where id = ${campaignId}`.execute(
    db,
  );
  const frozen = async () =>
    (
      await sql<{
        vars: object | null;
        status: number;
        error: string | null;
      }>`select vars, status, error from delivery
      where campaign_id = ${campaignId} order by seq`.execute(db)
    ).rows;
  return { accountId, campaignId, frozen };
}

test("values are frozen at the start, written in Portuguese, or as the text that was chosen without one", async () => {
  const keys = ["dia", "valor", "socio", "pet", "lote"];
  const it = await withFields(
    keys.map((key) => ({ key, fallback: `sem ${key}` })),
    [
      { dia: "2026-12-20", valor: 1234.5, socio: true, pet: "Rex 2026-12-20", lote: "2026-01-05" },
      { valor: -1234567, socio: false },
      { valor: 0.25 },
      { valor: 1e21, pet: "{nome}" },
    ],
  );
  expect(await startNext(database)).toMatchObject({ campaignId: it.campaignId, total: 4 });
  const none = { dia: "sem dia", valor: "sem valor", socio: "sem socio", pet: "sem pet", lote: "sem lote" };
  const vars = [
    { dia: "20/12/2026", valor: "1.234,5", socio: "sim", pet: "Rex 2026-12-20", lote: "2026-01-05" },
    { ...none, valor: "-1.234.567", socio: "não" },
    { ...none, valor: "0,25" },
    { ...none, valor: "1.000.000.000.000.000.000.000", pet: "{nome}" },
  ];
  expect(await it.frozen()).toEqual(vars.map((each) => ({ vars: each, status: 0, error: null })));
  await sql`update person set fields = '{}' where account_id = ${it.accountId}::uuid`.execute(db);
  expect((await it.frozen()).map((row) => row.vars)).toEqual(vars);
});

test("people without a needed value are skipped with their reason and counted once, also when they opted out", async () => {
  const it = await withFields(
    [{ key: "pet", fallback: null }],
    [{ pet: "Rex" }, {}, { dia: "2026-12-20" }, { pet: "Bob" }],
  );
  for (const phone of [5_511_900_000_001, 5_511_900_000_003])
    await sql`insert into opt_out (account_id, phone, source) values (${it.accountId}::uuid, ${phone}, 'manual')`.execute(
      db,
    );
  await startNext(database);
  expect(await it.frozen()).toEqual([
    { vars: { pet: "Rex" }, status: DELIVERY.pending, error: null },
    { vars: {}, status: DELIVERY.skipped, error: "missing_value" },
    { vars: {}, status: DELIVERY.skipped, error: "missing_value" },
    { vars: { pet: "Bob" }, status: DELIVERY.skipped, error: "opted_out" },
  ]);
  expect(await readLedger(db, it.campaignId)).toMatchObject({
    total: 4,
    counters: [1, 0, 0, 3, 0, 0, 0, 0, 0, 0],
  });
});

test("a campaign without fields freezes no values", async () => {
  const it = await withFields([], [{ pet: "Rex" }]);
  await startNext(database);
  expect(await it.frozen()).toEqual([{ vars: null, status: 0, error: null }]);
});

const NAMES: readonly [name: string, first: string, surname: string | null][] = [
  ["Ana Beatriz Rocha", "Ana", "Beatriz Rocha"],
  ["Ana", "Ana", null],
  ["", "", null],
  ["Dr. João Silva", "Dr. João", "Silva"],
  ["DRA ANA", "DRA ANA", null],
  ["Dr.", "Dr.", null],
  ["Dona Lúcia do Prado", "Dona Lúcia", "do Prado"],
  ["IRMÃ Dulce Lopes", "IRMÃ Dulce", "Lopes"],
  ["Drica Moraes", "Drica", "Moraes"],
  ["Silva, João", "Silva", "João"],
  ["Ana Rocha,", "Ana", "Rocha"],
  ["⭐ Ana Paula", "Ana", "Paula"],
  ["Ana Rocha ⭐ 2", "Ana", "Rocha"],
  ["Ana 🌻", "Ana", null],
  ["12 Ana", "Ana", null],
  ["Zé $& {pet} \\1", "Zé", "{pet}"],
  ["Ana Rocha & Filhos", "Ana", "Rocha & Filhos"],
  ["Ana - Rocha", "Ana", "Rocha"],
  ["Ângela D'Ávila-Ñandu", "Ângela", "D'Ávila-Ñandu"],
  ["李 小龍", "李", "小龍"],
  ["Иван Петров", "Иван", "Петров"],
  ["sem nome", "", null],
  ["(NÃO INFORMADO)", "", null],
  ["não se aplica", "", null],
  ["Sem Medo Silva", "Sem", "Medo Silva"],
  ["12/10/2020 Ana Lima", "", null],
  ["http://exemplo.com.br Ana Lima", "", null],
  ["ana@exemplo.com.br", "", null],
  ["Ana Lima <ana@exemplo.com.br>", "Ana", "Lima"],
  ["João da Silva 123.456.789-09", "João", "da Silva"],
  ["João da Silva - CPF: 12345678909", "João", "da Silva"],
  ["João da Silva ***.456.789-**", "João", "da Silva"],
  ["12.345.678 João da Silva", "João", "da Silva"],
  ["(31) 98765-4321 Ana Lima", "Ana", "Lima"],
  ["+55 31 98765-4321", "", null],
];

test.each(NAMES)("{primeiro_nome} of «%s» is «%s»", (name, first) => {
  expect(renderMessage("{primeiro_nome}", name, "")).toBe(first);
});

test("the surname is what follows that, previewed, counted and frozen alike, with its text or left out without one", async () => {
  for (const fallback of [null, "de Tal"]) {
    const it = await withFields(
      [
        { key: "sobrenome", fallback },
        { key: "pet", fallback: "sem pet" },
      ],
      NAMES.map((_, at) => (at === 0 ? { pet: "Rex", sobrenome: "não é campo" } : {})),
    );
    for (const [at, [name]] of NAMES.entries())
      await sql`update person set name = ${name} where account_id = ${it.accountId}::uuid
        and phone = ${5_511_900_000_000 + at}`.execute(db);
    const { rows } = await sql<{ id: number }>`select list_id as id from campaign
      where id = ${it.campaignId}`.execute(db);
    const { missing, items } = await audienceOf(ownerOf(db, it.accountId)).count({
      connectionId: null,
      listId: rows[0]?.id ?? 0,
      audience: null,
      variables: [typed({ key: "sobrenome", fallback: "x" }, {})],
    });
    const lacking = NAMES.filter(([, , surname]) => surname === null).length;
    expect(missing).toEqual({ sobrenome: lacking });
    expect(items.map(({ texts }, at) => [NAMES[at]?.[0], texts.sobrenome ?? null])).toEqual(
      NAMES.map(([name, , surname]) => [name, surname]),
    );
    await startNext(database);
    const frozen = await it.frozen();
    expect(frozen.map(({ vars }) => vars)).toEqual(
      NAMES.map(([, , surname], at) => {
        const text = surname ?? fallback;
        return { pet: at === 0 ? "Rex" : "sem pet", ...(text === null ? {} : { sobrenome: text }) };
      }),
    );
    expect(frozen.filter(({ error }) => error === "missing_value")).toHaveLength(
      fallback === null ? lacking : 0,
    );
  }
});
