import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import { openDatabase } from "../../src/server/db/client.ts";
import { embeddedUrl } from "../../src/server/postgres/embedded-postgres.ts";
import { SIGN_UP } from "../support/processes.ts";
import { askHealth, OPERATOR, startProduct } from "../support/server.ts";
import { keepCommitting } from "./commits.ts";
import { until } from "./installation.ts";
import { NOTHING, type Outcome } from "./outcome.ts";

const SIZE = "260m";

/** The data folder is on a small tmpfs; needs root. */
export async function openDiskWorld() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE},mode=755`, "tmpfs", folder]);
  if (mounted.status !== 0) throw new Error(`no disk could be mounted: ${String(mounted.stderr)}`);
  const unmount = () => {
    spawnSync("umount", ["-l", folder]);
    fs.rmSync(folder, { recursive: true, force: true });
  };
  try {
    const product = await startProduct({ dataFolder: folder, databaseUrl: null, env: OPERATOR });
    return {
      folder,
      product,
      output: product.output,
      async close() {
        await product.close();
        unmount();
      },
    };
  } catch (error) {
    unmount();
    throw error;
  }
}

type DiskWorld = Awaited<ReturnType<typeof openDiskWorld>>;

export async function runDisk(world: DiskWorld): Promise<Outcome> {
  const { folder, product } = world;
  const database = openDatabase(embeddedUrl(path.join(folder, "run"), "recado"), {
    log: pino({ level: "silent" }),
    max: 3,
  });
  const filler = path.join(folder, "filler");
  const seen: string[] = [];
  let counted = { committed: 0, commitsLost: 0 };
  const commits = await keepCommitting(database.db);
  try {
    const headers = await signIn(world);
    fill(filler);
    const upload = await product.fetch("/api/contact-imports?name=Cheia&fileName=cheia.csv", {
      method: "POST",
      headers: { ...headers, "content-type": "text/csv" },
      body: `Nome;Telefone\n${"Ana;11987654321\n".repeat(60_000)}`,
    });
    seen.push(`upload ${upload.status}`);
    if (upload.status !== 503) throw new Error(`an upload to a full disk was answered ${upload.status}`);
    const left = fs.readdirSync(path.join(folder, "imports")).filter((name) => name !== "folder-id");
    if (left.length > 0) throw new Error(`a full disk keeps ${left.join(", ")}`);
    // The WAL needs a new file without room: PostgreSQL stops and is restarted again and again.
    for (let n = 0; n < 3; n++) await database.query("select pg_switch_wal()").catch(() => undefined);
    // The refused upload closes its connection, which the next call may notice only then: it retries.
    const ask = (where: string) =>
      product.fetch(where, { headers }).catch(() => product.fetch(where, { headers }));
    const [health, list] = await Promise.all([askHealth(product), ask("/api/contact-lists")]);
    seen.push(`health ${health.status}`, `reading ${list.status}`);
    const { disk } = (await health.json()) as { disk: { low: boolean } };
    if (!disk.low) throw new Error("a full disk is called none");
    if (![200, 503].includes(list.status)) throw new Error(`reading was answered ${list.status}`);
    fs.rmSync(filler);
    await until("the product again", async () => (await login(world)) === 200, 120_000);
    seen.push("freed: signed in");
  } catch (error) {
    throw new Error(`${seen.join(", ")}: ${String(error)}`, { cause: error });
  } finally {
    fs.rmSync(filler, { force: true });
    counted = await commits.stop();
    await database.close();
  }
  return {
    ...NOTHING,
    ...counted,
    plan: `disk full · ${seen.join(" · ")}`,
    people: 0,
    sent: 0,
    duplicated: 0,
    lost: 0,
    wronged: 0,
    withoutState: 0,
    uncertain: 0,
  };
}

function fill(file: string): void {
  const handle = fs.openSync(file, "w");
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) fs.writeSync(handle, piece);
  } catch {
    // The disk is full.
  } finally {
    fs.closeSync(handle);
  }
}

async function signIn({ product }: DiskWorld): Promise<Record<string, string>> {
  const known = await post(product, "/api/login", LOGIN);
  const answer = known.ok ? known : await post(product, "/api/signup", SIGN_UP);
  const cookie = answer.headers.getSetCookie().map((each) => each.split(";")[0]);
  return { cookie: cookie.join("; "), origin: product.url };
}

const LOGIN = { email: SIGN_UP.email, password: SIGN_UP.password };

const login = async ({ product }: DiskWorld): Promise<number> =>
  (await post(product, "/api/login", LOGIN)).status;

const post = (product: DiskWorld["product"], where: string, body: unknown) =>
  product.fetch(where, {
    method: "POST",
    headers: { "content-type": "application/json", origin: product.url },
    body: JSON.stringify(body),
  });
