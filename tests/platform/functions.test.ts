import { expect, test } from "vitest";
import { longFunctions, packedSpreads } from "../../scripts/functions.ts";

const lines = (count: number) => Array.from({ length: count }, (_, at) => `  step(${at});`).join("\n");

test("a function over the bound is found by its name and line; one at the bound is not", () => {
  expect(longFunctions("a.ts", `function short() {\n${lines(58)}\n}\n`)).toEqual([]);
  expect(longFunctions("a.ts", `\nconst long = () => {\n${lines(59)}\n};\n`)).toEqual([
    { line: 2, name: "long", lines: 61 },
  ]);
  expect(longFunctions("a.ts", `class A {\n  run() {\n${lines(60)}\n  }\n}\n`)).toEqual([
    expect.objectContaining({ name: "run", lines: 62 }),
  ]);
});

test("lines of a SQL text and of the returned element do not count", () => {
  expect(longFunctions("a.ts", `function read() {\n  return sql\`\n${lines(80)}\`;\n}\n`)).toEqual([]);
  const element = `<ul>\n${"    <li />\n".repeat(80)}  </ul>`;
  expect(longFunctions("a.tsx", `function List() {\n  return (\n  ${element}\n  );\n}\n`)).toEqual([]);
  expect(longFunctions("a.tsx", `const List = () => (\n  ${element}\n);\n`)).toEqual([]);
});

test("a literal that is spread in place is found; a spread of a value or of a choice is not", () => {
  expect(packedSpreads("a.tsx", `const a = <Row {...{ b, c }} />;`)).toEqual([1]);
  expect(packedSpreads("a.ts", `\nconst a = { ...{ b, c }, d };`)).toEqual([2]);
  expect(packedSpreads("a.tsx", `const a = <Row {...b} {...(c ? { c } : {})} />;`)).toEqual([]);
});
