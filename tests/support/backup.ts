import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll } from "vitest";
import type { Db } from "../../src/server/db/client.ts";
import { COMPILED, withoutOurs } from "./server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-backup-"));
  fs.chmodSync(folder, 0o755);
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const BY_SIGNAL = 128;

export type Ended = { code: number; output: string; errors: string };

export async function runProgram(
  program: "backup" | "restore" | "lost-key",
  args: string[],
  env: Record<string, string>,
  stop?: AbortSignal,
): Promise<Ended> {
  const child = spawn(process.execPath, [`src/server/commands/${program}-cli.ts`, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...withoutOurs(process.env), ...COMPILED, ...env },
  });
  stop?.addEventListener("abort", () => child.kill("SIGINT"));
  const printed = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed.errors += text;
  });
  const [code] = await once(child, "close");
  return { code: code ?? BY_SIGNAL, ...printed };
}

export async function allRows(db: Db): Promise<Map<string, string[]>> {
  const tables = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db);
  const found = new Map<string, string[]>();
  for (const { name } of tables.rows) {
    const { rows } = await sql<{
      row: string;
    }>`select t::text as row from ${sql.table(name)} t order by 1`.execute(db);
    found.set(
      name,
      rows.map(({ row }) => row),
    );
  }
  return found;
}
