import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { writeFileTimes } from "./file-times.ts";

/** A Playwright reporter, which Playwright wants as a default export. */
export default class BrowserTimes implements Reporter {
  readonly #times = new Map<string, number>();

  onTestEnd({ location: { file } }: TestCase, { duration }: TestResult): void {
    this.#times.set(file, (this.#times.get(file) ?? 0) + duration);
  }

  onEnd(): void {
    writeFileTimes("browser", this.#times);
  }

  printsToStdio(): boolean {
    return false;
  }
}
