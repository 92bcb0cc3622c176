import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests of whole products take many times longer than others; the last to begin should be short. */
const LONG = ["tests/faults", "tests/platform", "tests/webhooks", "src/server/sending", "tests"];

function placeInRun(file: string): number {
  const at = LONG.findIndex((folder) => file.startsWith(`${folder}/`));
  return at < 0 ? LONG.length : at;
}

/**
 * A Vitest sequencer. Without it a fresh checkout starts with the longest source text and ends with one busy
 * worker.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    // Files that share a process come last and together: a file of another kind in between would end that
    // process.
    const place = (file: TestSpecification) =>
      placeInRun(path.relative(root, file.moduleId)) + (file.project.config.isolate ? 0 : LONG.length + 1);
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
