import fs from "node:fs";
import path from "node:path";
import { namePattern, type Row } from "./conformance-table.ts";

type Ran = { file: string; name: string; passed: boolean };

type VitestReport = {
  testResults: {
    name: string;
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[];
  }[];
};

export function fromVitest({ testResults }: VitestReport, root: string): Ran[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: path.relative(root, name),
      name: [...ancestorTitles, title].join(" > "),
      passed: status === "passed",
    })),
  );
}

type Suite = {
  title: string;
  file: string;
  suites?: Suite[];
  specs: { title: string; ok: boolean; tests: { status: string }[] }[];
};
type PlaywrightReport = { config: { rootDir: string }; suites: Suite[] };

export function fromPlaywright({ config, suites }: PlaywrightReport, root: string): Ran[] {
  const walk = (suite: Suite, above: string[]): Ran[] => [
    ...suite.specs.map(({ title, ok, tests }) => ({
      file: path.relative(root, path.join(config.rootDir, suite.file)),
      name: [...above, title].join(" > "),
      passed: ok && tests.length > 0 && tests.every(({ status }) => status !== "skipped"),
    })),
    ...(suite.suites ?? []).flatMap((inner) => walk(inner, [...above, inner.title])),
  ];
  return suites.flatMap((file) => walk(file, []));
}

export function proofFaults(rows: Row[], ran: Ran[]): string[] {
  const byFile = Map.groupBy(ran, ({ file }) => file);
  return rows.flatMap(({ id, proofs }) =>
    proofs.flatMap(({ file, name }) => {
      const wanted = namePattern(name);
      const meant = (byFile.get(file) ?? []).filter((one) => wanted.test(one.name));
      if (meant.length === 0) return [`${id}: did not run: ${file} › ${name}`];
      return meant.filter(({ passed }) => !passed).map((one) => `${id}: did not pass: ${file} › ${one.name}`);
    }),
  );
}

export function readResults(folder: string, root: string): Ran[] {
  const read = <T>(name: string) => JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")) as T;
  return [
    ...fromVitest(read<VitestReport>("vitest.json"), root),
    ...fromPlaywright(read<PlaywrightReport>("playwright.json"), root),
  ];
}
