import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refuseOtherMajor, startFailure } from "./embedded-postgres.ts";

const FULL =
  "Não há espaço no disco de /dados/postgres, e sem ele o banco de dados não inicia. Libere ao menos 100 MB e tente de novo.";

test.each([
  [
    "what initdb says",
    'FATAL:  could not extend file "base/1/2691": No space left on device\nPANIC:  …',
    2e6,
    FULL,
  ],
  ["a server that could not even write its log", "exit 1\n", 0, FULL],
  ["a quota", "could not write to file: Disk quota exceeded", 1e9, FULL],
  [
    "any other error is passed on unchanged",
    "exit 1\nFATAL:  bogus data in lock file",
    1e9,
    "exit 1\nFATAL:  bogus data in lock file",
  ],
])("a database that does not start for want of room says so: %s", (_, said, free, words) => {
  expect(startFailure("/dados/postgres", said, free).message).toBe(words);
});

test("27.10 F12 the folder of another PostgreSQL is refused in words, before its server is started", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-major-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  fs.writeFileSync(path.join(folder, "PG_VERSION"), "18\n");
  refuseOtherMajor(folder, "18");
  expect(() => refuseOtherMajor(folder, "19")).toThrow(
    /é do PostgreSQL 18, e o desta versão do Recado é o 19, que não o abre\. Nada foi alterado\. .*npm run backup/,
  );
});

test("what is free is asked of the folder's own disk", () => {
  expect(startFailure(`${import.meta.dirname}/postgres`, "exit 1").message).toBe("exit 1");
});

/** Interrupts the whole group, like Ctrl-C, faster than this process could. */
const WATCHER = 'until [ -e "$0" ]; do sleep 0.02; done; kill -INT 0';

/** `watched`: the file that triggers the interrupt. */
function program(folder: string, onSignal: string, then: string, watched = "") {
  const text = `
    import { spawn } from "node:child_process";
    import { startEmbeddedPostgres } from ${JSON.stringify(path.join(import.meta.dirname, "embedded-postgres.ts"))};
    process.on("SIGINT", () => ${onSignal});
    if (${JSON.stringify(watched)}) spawn("sh", ["-c", ${JSON.stringify(WATCHER)}, ${JSON.stringify(watched)}], { stdio: "ignore" });
    const [dataFolder, runFolder] = process.argv.slice(1);
    await startEmbeddedPostgres({ dataFolder, runFolder, log: console }).then(
      (database) => ${then},
      (error) => console.log(error.message),
    );`;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", text, folder, path.join(folder, "run")],
    { detached: true, stdio: ["ignore", "pipe", "inherit"] },
  );
  const output = { text: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output.text += piece;
  });
  return { output, ended: once(child, "close"), interrupt: () => process.kill(-(child.pid ?? 0), "SIGINT") };
}

function lives(pid: number): boolean {
  try {
    return !fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-interrupted-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.chmodSync(folder, 0o755);
  fs.mkdirSync(path.join(folder, "run"));
  return folder;
}

test("Ctrl-C while the database is being made is said in a line, not by what initdb says of it", async () => {
  const folder = newFolder();
  // Before this file exists initdb only probes the machine.
  const made = path.join(folder, "postgres.new", "global", "pg_control");
  const { output, ended } = program(folder, "undefined", "database.stop()", made);
  await ended;
  expect(output.text).toBe("Interrompido enquanto o banco de dados era criado: nada ficou pela metade.\n");
  expect(fs.existsSync(path.join(folder, "postgres"))).toBe(false);
});

test("a command that ends in the middle takes the database with it that it has started", async () => {
  const folder = newFolder();
  const { output, ended, interrupt } = program(folder, "process.exit(1)", "console.log(database.pid())");
  await expect.poll(() => output.text, { timeout: 60_000 }).toMatch(/^\d+\n$/);
  const server = Number(output.text);
  interrupt();
  await ended;
  await expect.poll(() => lives(server), { timeout: 30_000 }).toBe(false);
});
