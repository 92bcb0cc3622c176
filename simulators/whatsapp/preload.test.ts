import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterEach, expect, test } from "vitest";
import { connectSimulator } from "./client.ts";
import { startLocalSimulator } from "./local.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = "";
  child.stderr.on("data", (bytes: Buffer) => {
    errors += bytes;
  });
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`process ended: ${errors}`);
    return value as string;
  };
  return { child, line, errors: () => errors };
}

const PROGRAM = `
import { fetchLatestWaWebVersion, initAuthCreds, makeWASocket } from "baileys";
import pino from "pino";
import { readFileSync } from "node:fs";
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
const data = new Map();
const keys = {
  get: (type, ids) => Object.fromEntries(ids.flatMap((id) => data.has(type + id) ? [[id, data.get(type + id)]] : [])),
  set: (all) => { for (const type in all) for (const id in all[type]) data.set(type + id, all[type][id] ?? undefined); },
};
const auth = { creds: initAuthCreds(), keys };
function open() {
  const socket = makeWASocket({ auth, logger: pino({ level: "silent" }), emitOwnEvents: false });
  socket.ev.on("creds.update", (update) => Object.assign(auth.creds, update));
  socket.ev.on("connection.update", async ({ qr, connection, lastDisconnect }) => {
    if (qr) say({ qr });
    if (connection === "close" && lastDisconnect.error.output.statusCode === 515) open();
    else if (connection === "close") say({ closed: lastDisconnect.error.message });
    if (connection !== "open") return;
    const image = readFileSync(process.env.IMAGE);
    await socket.sendMessage("5511911112222@s.whatsapp.net", { image, caption: "Oferta" });
    say({ version: await fetchLatestWaWebVersion(), outside: await fetch("https://graph.whatsapp.com").catch((e) => e.message) });
  });
}
open();
`;

test("a program started with the preload uses the simulator, certificates and media host checked", async () => {
  const simulator = run([here("../main.ts")]);
  const { controlUrl, url } = JSON.parse(await simulator.line());
  expect(await simulator.line()).toBe(`Simulator at ${url}; control it at ${controlUrl} (RECADO_SIMULATOR)`);
  const control = connectSimulator(controlUrl);

  const image = await sharp({ create: { width: 20, height: 20, channels: 3, background: "pink" } })
    .jpeg()
    .toBuffer();
  const file = join(tmpdir(), `recado-preload-${process.pid}.jpg`);
  await writeFile(file, image);
  const env = { RECADO_SIMULATOR: controlUrl, IMAGE: file };
  const program = run(
    ["--import", new URL("preload.ts", import.meta.url).href, "--input-type=module", "-e", PROGRAM],
    env,
  );
  const { qr } = JSON.parse(await program.line());
  await control.scan({ qr, phone: "5511900000001" });
  const { version, outside } = JSON.parse(await program.line());
  expect(version).toMatchObject({ isLatest: true });
  expect(outside).toContain("does not stand in for");
  const { messages } = await control.messages({ to: "5511911112222", atLeast: 1 });
  const sha256 = createHash("sha256").update(image).digest("hex");
  expect(messages).toMatchObject([{ text: "Oferta", image: { sha256 } }]);

  await expect(control.scan({ qr: "x", phone: "5511900000001" })).rejects.toMatchObject({
    code: "not_a_qr_code",
  });
  const wrong = control.faults({ dropAcks: -1 });
  await expect(wrong).rejects.toMatchObject({ code: expect.stringContaining("dropAcks") });
  const ended = once(simulator.child, "exit");
  await control.shutdown({});
  expect((await ended)[0]).toBe(0);
});

test("the preload without an address says what is missing", async () => {
  const program = run(["--import", new URL("preload.ts", import.meta.url).href, "-e", "0"], {
    RECADO_SIMULATOR: "",
  });
  await once(program.child, "close");
  expect(program.errors()).toContain("RECADO_SIMULATOR is not set");
});

test("a client that does not trust its authority refuses the media host", async () => {
  const simulator = await startLocalSimulator();
  const ask = (ca?: string) =>
    new Promise((resolve) => {
      const request = get(`https://${simulator.address.mediaHost}/mms/image/none`, { ca }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  expect(await ask()).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
  expect(await ask(simulator.address.mediaCa)).toBe(404);
  await simulator.stop();
});
