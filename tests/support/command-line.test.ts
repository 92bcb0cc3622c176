import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..");

/** Calls node; answers how it ended and what it complained of. */
const call = (...args: readonly string[]) =>
  new Promise<[unknown, string]>((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT }, (error, _, complaint) =>
      resolve([error?.code ?? 0, complaint]),
    );
  });

test("fault runs of which none would be made are refused, not said to have found nothing", async () => {
  const refused = [2, "--from 9 comes after the last seed, --seed 4\n"];
  expect(await call("tests/faults/main.ts", "--all", "--from", "9", "--seed", "4")).toEqual(refused);
});

test("a screen that there is not is refused, and those that there are named, before anything is started", async () => {
  const [code, complaint] = await call("tests/demo/pictures.ts", "chats");
  expect([code, complaint]).toEqual([
    2,
    expect.stringMatching(/^no screen is called chats\n.*\nnames: .*\bchat,/),
  ]);
});

test.each(["many", "", "0", "NaN", "-3"])("«%s» is no number of runs", async (given) => {
  const program = `import { numberOf } from "./tests/support/command-line.ts"; numberOf({ runs: "${given}" }, "runs", 1)`;
  expect(await call("--input-type=module", "-e", program)).toEqual([2, "--runs is a number, 1 or more\n"]);
});
