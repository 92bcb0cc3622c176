import { startVitest, type Vitest } from "vitest/node";
import { STOPPED } from "../tests/component/support/stopped.ts";

export type Failure = { file: string; messages: string[] };

/**
 * Files to run once more, in another browser: those of a page that Chromium stopped drawing. Empty if
 * anything else failed as well.
 */
export function stoppedFiles(failures: Failure[]): string[] {
  const stopped = ({ messages }: Failure) => messages.some((message) => message.includes(STOPPED));
  return failures.every(stopped) ? [...new Set(failures.map(({ file }) => file))] : [];
}

function failuresOf({ state }: Vitest): Failure[] {
  const found = state.getUnhandledErrors().map((error) => ({ file: "", messages: [String(error)] }));
  const add = (file: string, errors: readonly { message: string }[]) => {
    if (errors.length > 0) found.push({ file, messages: errors.map(({ message }) => message) });
  };
  for (const file of state.getTestModules()) {
    add(file.moduleId, file.errors());
    for (const suite of file.children.allSuites()) add(file.moduleId, suite.errors());
    for (const test of file.children.allTests("failed")) add(file.moduleId, test.result().errors ?? []);
  }
  return found;
}

async function failures(files: string[]): Promise<Failure[]> {
  return failuresOf(await startVitest("test", files, { config: "vitest.component.config.ts", watch: false }));
}

async function main(files: string[]): Promise<void> {
  const again = stoppedFiles(await failures(files));
  if (again.length > 0) {
    process.stdout.write(
      `\nChromium stopped drawing a page: ${again.length} file(s) run again, in a new browser.\n`,
    );
    process.exitCode = 0;
    await failures(again);
  }
  process.exit();
}

if (import.meta.main) await main(process.argv.slice(2));
