import { execFile } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const ROOT = path.join(import.meta.dirname, "..", "..");

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

test("the simulator tells how it is called, and refuses in words what it does not know", async () => {
  const usage = "npm run simulator -- [--port 0]";
  expect(await call("simulators/main.ts", "--help")).toEqual([0, ""]);
  for (const [given, why] of [
    ["--speed", "Unknown option '--speed'"],
    ["--port=many", "--port is a whole number, up to 65535"],
  ] as const) {
    const [code, complaint] = await call("simulators/main.ts", given);
    expect([code, complaint.split("\n").slice(0, 2)]).toEqual([
      2,
      [expect.stringContaining(why), expect.stringContaining(usage)],
    ]);
  }
});

test.each(["many", "", "0", "NaN", "-3"])("«%s» is no number of runs", async (given) => {
  const program = `import { numberOf } from "./tests/support/command-line.ts"; numberOf({ runs: "${given}" }, "runs", 1)`;
  expect(await call("--input-type=module", "-e", program)).toEqual([2, "--runs is a number, 1 or more\n"]);
});
