import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests of whole products take many times what a test of one feature takes. The last one to begin should be a short one. */
const LONG = ["tests/faults", "tests/platform", "tests/webhooks", "src/server/sending", "tests"];

/** The place of a file in the run, the first 0. */
function placeInRun(file: string): number {
  const at = LONG.findIndex((folder) => file.startsWith(`${folder}/`));
  return at < 0 ? LONG.length : at;
}

/** Vitest takes a class here. Without it a fresh checkout begins with the longest source text, and ends with one worker busy. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    // Those that share processes come last and without a break: another kind between two of them would end theirs.
    const place = (file: TestSpecification) =>
      placeInRun(path.relative(root, file.moduleId)) + (file.project.config.isolate ? 0 : LONG.length + 1);
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
