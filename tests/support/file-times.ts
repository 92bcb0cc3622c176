import fs from "node:fs";
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const FOLDER = "node_modules/.cache/recado-times";

export function writeFileTimes(layer: string, msByFile: ReadonlyMap<string, number>): void {
  const times = [...msByFile].map(([file, ms]) => [path.relative(".", file), Math.round(ms)]);
  fs.mkdirSync(FOLDER, { recursive: true });
  fs.writeFileSync(path.join(FOLDER, `${layer}.json`), JSON.stringify(Object.fromEntries(times)));
}

/** Counts the import of a file too: many start a database or a product there. */
export class FileTimes implements Reporter {
  readonly #layer: string;
  readonly #times = new Map<string, number>();

  constructor(layer: string) {
    this.#layer = layer;
  }

  onTestModuleEnd(file: TestModule): void {
    const { collectDuration, setupDuration, duration } = file.diagnostic();
    this.#times.set(file.moduleId, collectDuration + setupDuration + duration);
  }

  onTestRunEnd(): void {
    writeFileTimes(this.#layer, this.#times);
  }
}
