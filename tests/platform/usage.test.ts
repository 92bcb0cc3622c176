import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { COMPILED, withoutOurs } from "../support/server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-usage-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** A command without npm and without a usable environment: any work before the arguments are read fails. */
function run(file: string, ...args: string[]) {
  const env = { ...withoutOurs(process.env), ...COMPILED, RECADO_DATA: path.join(folder, "nada") };
  const ended = spawnSync(process.execPath, [path.join(ROOT, file), ...args], {
    cwd: ROOT,
    encoding: "utf8",
    env,
  });
  return { code: ended.status, output: ended.stdout, errors: ended.stderr };
}

test.each([
  ["account", "src/server/commands/cli.ts", ["list", "--help"]],
  ["backup", "src/server/commands/backup-cli.ts", ["--help"]],
  ["restore", "src/server/commands/restore-cli.ts", ["-h"]],
  ["lost-key", "src/server/commands/lost-key-cli.ts", ["--help"]],
  ["announce", "src/server/commands/announce-cli.ts", ["--help"]],
  ["sbom", "scripts/sbom.ts", ["--help"]],
  ["demo", "tests/demo/main.ts", ["--help"]],
])("%s: --help prints the usage, with exit code 0", (name, file, args) => {
  expect(run(file, ...args)).toEqual({
    code: 0,
    output: expect.stringMatching(new RegExp(`^Us[eo]: npm run ${name}\\b`)),
    errors: "",
  });
  expect(fs.existsSync(path.join(ROOT, "--help"))).toBe(false);
});

test("sbom writes to its path, and explains why it cannot", () => {
  const file = path.join(folder, "lista.json");
  expect(run("scripts/sbom.ts", file)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /lista\.json: componentes: \d{3,}; licenças que não combinam com a nossa: 0\.\n$/,
    ),
    errors: "",
  });
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toMatchObject({ bomFormat: "CycloneDX" });
  const nowhere = path.join(folder, "nao", "x");
  expect(run("scripts/sbom.ts", nowhere)).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(
      new RegExp(`^Não é possível gravar ${nowhere}: esse lugar não existe \\(.*\\)\\.\n$`),
    ),
  });
});

test.each([["--port=abc"], ["--porta=1"]])("demo %s is refused in words", (option) => {
  expect(run("tests/demo/main.ts", option)).toEqual({
    code: 1,
    output: "",
    errors: "Uso: npm run demo [-- --port 3000]\nA porta é um número de 1 a 65535.\n",
  });
});
