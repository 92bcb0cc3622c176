import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { StartError } from "../../src/server/base/start-error.ts";
import { openDatabase } from "../../src/server/db/client.ts";
import { openDataFolder } from "../../src/server/postgres/data-folder.ts";
import { embeddedUrl, startEmbeddedPostgres } from "../../src/server/postgres/embedded-postgres.ts";
import { ownFolder } from "../../src/server/postgres/postgres-user.ts";
import { testLog } from "../support/database.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { createDatabase } from "../support/server-databases.ts";

const made: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const undo of made.reverse()) await undo();
});

function newFolder(prefix = "recado-embedded-"): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  fs.chmodSync(folder, 0o755);
  made.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(dataFolder: string): Promise<ProductServer> {
  const product = await startProduct({ dataFolder });
  made.push(() => product.close());
  return product;
}

/** The database alone, without the product; nothing is synced. */
const startDatabase = (dataFolder: string, runFolder = path.join(dataFolder, "run")) =>
  startEmbeddedPostgres({ dataFolder, runFolder, log: testLog, settings: { fsync: "off" } });

const pidFile = (folder: string) => path.join(folder, "postgres", "postmaster.pid");
const postmaster = (folder: string) => Number(fs.readFileSync(pidFile(folder), "utf8").split("\n")[0]);

function lives(pid: number): boolean {
  try {
    return !fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}

function processesIn(folder: string): string[] {
  const cluster = path.join(fs.realpathSync(folder), "postgres");
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readlinkSync(`/proc/${pid}/cwd`) === cluster;
    } catch {
      return false;
    }
  });
}

async function inDatabase<T>(folder: string, statement: string): Promise<T[]> {
  const database = openDatabase(embeddedUrl(path.join(folder, "run"), "recado"), { log: testLog, max: 1 });
  try {
    return (await database.query<T>(statement)).rows;
  } finally {
    await database.close();
  }
}

const folder = newFolder();
const product = await start(folder);

const untilAnother = (folder: string, before: number) =>
  expect.poll(() => (fs.existsSync(pidFile(folder)) && postmaster(folder)) || before).not.toBe(before);

describe("one data folder through its troubles", () => {
  test("it syncs, checks its pages and listens on a socket alone", async () => {
    const names =
      "'fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'dynamic_shared_memory_type'";
    const settings = await inDatabase<{ name: string; setting: string }>(
      folder,
      `select name, setting from pg_settings where name in (${names})`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      data_checksums: "on",
      listen_addresses: "",
      dynamic_shared_memory_type: "mmap",
    });
  });

  test("a second Recado on the same folder is refused in words, and the first one goes on", async () => {
    await expect(startProduct({ dataFolder: folder })).rejects.toThrow(
      /Já existe um Recado rodando com a pasta de dados/,
    );
    expect((await product.fetch("/api/health")).status).toBe(200);
  });

  test("a deleted socket file does not let its database be ended", async () => {
    const before = postmaster(folder);
    fs.rmSync(path.join(folder, "run", "recado.sock"));
    await expect(startProduct({ dataFolder: folder })).rejects.toThrow(
      /é de um Recado que ainda roda \(processo \d+\)\. Encerre-o antes de iniciar outro\./,
    );
    expect(postmaster(folder)).toBe(before);
    expect((await product.fetch("/api/health")).status).toBe(200);
  });

  test("F2 after a kill -9 of Node the next start ends the PostgreSQL that was left and runs", async () => {
    await inDatabase(folder, "create table kept as select 1 as n");
    const before = postmaster(folder);
    await product.kill9();
    expect(lives(before)).toBe(true);
    await product.start();
    expect(lives(before)).toBe(false);
    expect(postmaster(folder)).not.toBe(before);
    expect(await inDatabase(folder, "select n from kept")).toEqual([{ n: 1 }]);
  });

  test("F3 after a kill -9 of everything nothing committed is lost", async () => {
    await inDatabase(folder, "insert into kept values (2)");
    const server = postmaster(folder);
    process.kill(server, "SIGKILL");
    await product.kill9();
    await product.start();
    expect(await inDatabase(folder, "select n from kept order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("F3 when PostgreSQL alone is killed the product starts it again and works on", async () => {
    const before = postmaster(folder);
    process.kill(before, "SIGKILL");
    await untilAnother(folder, before);
    await expect.poll(async () => (await product.fetch("/api/health")).status, { interval: 100 }).toBe(200);
    expect(await inDatabase(folder, "select n from kept order by n")).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("what a database server said before it died can be read beside the log of the one that was started again", async () => {
    await inDatabase(folder, "do $$ begin raise log 'the last word'; end $$");
    const before = postmaster(folder);
    process.kill(before, "SIGKILL");
    await untilAnother(folder, before);
    const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
    expect(read("postgres.log.1")).toContain("the last word");
    expect(read("postgres.log")).not.toContain("the last word");
    await expect.poll(async () => (await product.fetch("/api/health")).status, { interval: 100 }).toBe(200);
  });

  test("SIGTERM ends everything, the database too, with code 0", async () => {
    expect(await product.stop()).toBe(0);
    expect(processesIn(folder)).toEqual([]);
    expect(fs.existsSync(pidFile(folder))).toBe(false);
    expect(product.output()).toContain("Encerrando…");
  });

  test.each([
    ["garbage", () => "not a pid at all\n\n\0"],
    ["nothing", () => ""],
    ["the number of another living process", () => `${process.pid}\n${folder}/postgres\n1\n5432\n\n\n`],
    ["a number that no process has", () => "4194303\n/elsewhere\n1\n5432\n\n\n"],
  ])("F3 a pid file that holds %s does not stop a start", async (_, content) => {
    fs.writeFileSync(pidFile(folder), content());
    const postgres = await startDatabase(folder);
    expect(await inDatabase(folder, "select n from kept order by n")).toEqual([{ n: 1 }, { n: 2 }]);
    await postgres.stop();
  });

  test("F44 a database without its key is not opened", async () => {
    const [key, away] = [path.join(folder, "secret.key"), path.join(folder, "secret.away")];
    fs.renameSync(key, away);
    await expect(product.start()).rejects.toThrow(/A chave secreta não é a deste banco de dados/);
    expect(processesIn(folder)).toEqual([]);
    fs.renameSync(away, key);
  });

  test("a world-readable data folder of another user is opened as that user and stays theirs", async () => {
    fs.chmodSync(path.join(folder, "postgres"), 0o755);
    const own = process.getuid?.() ?? 0;
    const [uid, gid] = own === 0 ? [12_345, 12_345] : [own, process.getgid?.() ?? 0];
    for (const entry of ["", ...fs.readdirSync(folder, { recursive: true, encoding: "utf8" })])
      fs.lchownSync(path.join(folder, entry), uid, gid);
    await product.start();
    expect((await product.fetch("/api/health")).status).toBe(200);
    expect(await product.stop()).toBe(0);
    for (const place of ["postgres", "postgres/PG_VERSION", "postgres.log", "run"])
      expect([place, fs.statSync(path.join(folder, place)).uid]).toEqual([place, uid]);
  });
});

test("a half-made cluster is recreated", async () => {
  const other = newFolder();
  fs.mkdirSync(path.join(other, "postgres.new"), { recursive: true });
  fs.writeFileSync(path.join(other, "postgres.new", "PG_VERSION"), "18");
  const postgres = await startDatabase(other);
  await createDatabase(postgres.url("postgres"), "recado", null);
  expect(await inDatabase(other, "select 1 as n")).toEqual([{ n: 1 }]);
  expect(fs.existsSync(path.join(other, "postgres.new"))).toBe(false);
  await postgres.stop();
});

test("a database of which a part is gone is refused in words, and nothing of it is replaced", async () => {
  const other = newFolder();
  const table = path.join(other, "postgres", "base", "1");
  fs.mkdirSync(path.dirname(table), { recursive: true });
  fs.writeFileSync(table, "rows");
  await expect(startProduct({ dataFolder: other })).rejects.toThrow(
    /\/postgres está incompleto: falta PG_VERSION\. Nada foi alterado\. .*pasta nova\.\n$/,
  );
  expect(fs.readFileSync(table, "utf8")).toBe("rows");
});

test("a data folder with a long name keeps its sockets in a short place", async () => {
  const other = path.join(newFolder(), "um-nome-de-pasta-comprido".repeat(5));
  const held = await openDataFolder(other);
  const postgres = await startDatabase(held.path, held.run);
  expect(fs.existsSync(path.join(other, "run"))).toBe(false);
  expect(fs.existsSync(path.join(other, "postgres", "PG_VERSION"))).toBe(true);
  await expect(startProduct({ dataFolder: other })).rejects.toThrow(/Já existe um Recado/);
  await postgres.stop();
  await held.release();
  expect(fs.existsSync(held.run)).toBe(false);
});

test("a data folder that cannot be is refused in words", async () => {
  const file = path.join(newFolder(), "file");
  fs.writeFileSync(file, "");
  await expect(startProduct({ dataFolder: path.join(file, "data") })).rejects.toThrow(
    /não pode ser usada: há um arquivo no lugar da pasta.*RECADO_DATA/s,
  );
});

test("a data folder that cannot be created is refused with a reason, without endless retries", async () => {
  await expect(startProduct({ dataFolder: "/proc/recado/data" })).rejects.toThrow(
    /A pasta de dados \/proc\/recado\/data não pode ser usada: esse lugar não existe.*RECADO_DATA/s,
  );
});

test("a folder of the database's that is another user's is refused in words", () => {
  // The kernel forbids changes of its mode, even to root.
  const own = () => ownFolder("/proc/sys", {});
  expect(own).toThrow(StartError);
  expect(own).toThrow(/^A pasta \/proc\/sys não pode ser usada pelo banco de dados: falta permissão .*chown/);
});

test("a folder below a private one of root's is left for the system's, and said so; anybody else's is used", async () => {
  const closed = fs.mkdtempSync(path.join(os.tmpdir(), "recado-closed-"));
  made.push(() => fs.rmSync(closed, { recursive: true, force: true }));
  const asked = path.join(closed, "data");
  const it = await start(asked);
  const asRoot = process.getuid?.() === 0;
  const notice = /Os dados ficam em (\/var\/lib\/recado-[0-9a-f]+)\./;
  if (asRoot) await expect.poll(() => it.output()).toMatch(notice);
  const used = notice.exec(it.output())?.[1] ?? asked;
  if (asRoot) made.push(() => fs.rmSync(used, { recursive: true, force: true }));
  expect(used === asked).toBe(!asRoot);
  // PostgreSQL itself never runs as root.
  expect(fs.statSync(path.join(used, "postgres")).uid).not.toBe(0);
  expect(await it.stop()).toBe(0);
});
