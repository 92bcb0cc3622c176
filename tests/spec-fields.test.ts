import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { piecesOf } from "../scripts/conformance-table.ts";
import { Me } from "../src/contract/accounts.ts";
import { Agent } from "../src/contract/agents.ts";
import { Connection, Device } from "../src/contract/connections.ts";
import { Instance, NewInstance } from "../src/contract/gateways.ts";
import { testDatabase } from "./support/database.ts";

/* docs/glossary.md says where each field of the specification's entities is; checks that all are listed and
   exist. */

const { db } = await testDatabase();
const docs = path.join(import.meta.dirname, "..", "docs");
const read = (page: string) => fs.readFileSync(path.join(docs, page), "utf8");

const types = { Agent, Connection, Device, Instance, Me, NewInstance };
const answered = Object.entries(types).flatMap(([name, { shape }]) =>
  Object.keys(shape).map((field) => `${name}.${field}`),
);

const plain = (text: string) => text.replaceAll(/\s*\([^)]*\)|\s*\{[^}]*\}/g, "").trim();

const specified = piecesOf(read("spec/product-spec.md"))
  .filter(({ heading, text }) => heading === "3. Entities and their fields" && text.includes(" | "))
  .map(({ text }) => text.split(" | "))
  .map(([entity = "", fields = ""]) => [
    plain(entity),
    plain(fields)
      .split(/[,;] (?:added locally: )?/)
      .map((field) => `${plain(entity)}.${field}`),
  ]) as [string, string[]][];

const mapped = new Map(
  Array.from(
    read("glossary.md").matchAll(/^\| ([\w ]+\.\w+) \| `([^`]+)` \|/gm),
    ([, from = "", to = ""]) => [from, to],
  ),
);

test("the specification has its thirteen entities", () => {
  expect(specified).toHaveLength(13);
  expect([...mapped.keys()].toSorted()).toEqual(specified.flatMap(([, fields]) => fields).toSorted());
});

test("there are no roles: no column grants permissions", async () => {
  const { rows } = await sql`select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_name ~ 'role|admin|permission'`.execute(db);
  expect(rows).toEqual([]);
  expect(answered.filter((field) => /role|admin|permission/i.test(field))).toEqual([]);
});

test.each(specified)("every field of %s is where the glossary says", async (_entity, fields) => {
  const columns = await sql<{ name: string }>`select table_name || '.' || column_name as name
    from information_schema.columns where table_schema = 'public'`.execute(db);
  const there = new Set([...columns.rows.map(({ name }) => name), ...answered]);
  const lost = fields.filter((field) => !there.has(mapped.get(field) ?? ""));
  expect(lost).toEqual([]);
});
