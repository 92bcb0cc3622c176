import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = [
  "tests/component/looks",
  "tests/faults",
  "tests/platform",
  "tests/webhooks",
  "src/server/sending",
  "tests",
];

const PROJECTS = ["apart", "phones", "together"];

function placeInRun(file: string): number {
  const at = LONG.findIndex((folder) => file.startsWith(`${folder}/`));
  return at < 0 ? LONG.length : at;
}

/** Without it a fresh checkout ends with one busy worker. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    // Files that share a process come last and together: another kind in between would end it.
    const place = (file: TestSpecification) =>
      placeInRun(path.relative(root, file.moduleId)) +
      PROJECTS.indexOf(file.project.name) * (LONG.length + 1);
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
