import { expect, test } from "vitest";
import { instancesOf } from "./instance-rows.ts";

function countedRows(names: readonly unknown[]) {
  const read: unknown[] = [];
  const rows = names.map((name) => ({
    name,
    get connectionStatus() {
      read.push(name);
      return "open";
    },
  }));
  return { rows, read };
}

test.each([
  ["2.x", (name: string): object => ({ name })],
  ["1.8", (name: string): object => ({ instance: { instanceName: name } })],
])("%s: of all instances that a server tells of, though one was asked for, that one is found", (_, row) => {
  const rows = ["antiga", "loja", "loja-2"].map((name) => row(name));
  for (const answer of [rows, { instances: rows }])
    expect(instancesOf("loja").parse(answer)).toMatchObject([{ name: "loja" }]);
  expect(instancesOf("loja").parse(row("loja"))).toMatchObject([{ name: "loja" }]);
  expect(
    instancesOf()
      .parse(rows)
      .map(({ name }) => name),
  ).toEqual(["antiga", "loja", "loja-2"]);
});

test("of ten thousand of them no other is read, nor any that is none", () => {
  const { rows, read } = countedRows([
    "loja",
    ...Array.from({ length: 9_998 }, (_, nth) => `outra-${nth}`),
    7,
  ]);
  expect(instancesOf("loja").parse(rows)).toMatchObject([{ name: "loja", storedState: "open" }]);
  expect(new Set(read)).toEqual(new Set(["loja"]));
  expect(instancesOf().parse(rows)).toHaveLength(9_999);
  expect(read).not.toContain(7);
});
