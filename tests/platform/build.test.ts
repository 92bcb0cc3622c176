import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildServer } from "../../scripts/build-server.ts";
import { staleParts } from "../../scripts/stale.mjs";

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-build-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("a server that runs while its successors are built takes what it needs late from its own build", async () => {
  const folder = newFolder();
  const [main, part] = [path.join(folder, "main.ts"), path.join(folder, "part.ts")];
  fs.writeFileSync(path.join(folder, "package.json"), `{ "type": "module" }`);
  fs.writeFileSync(
    main,
    `process.stdout.write("runs ");
     process.stdin.once("data", async () => process.stdout.write((await import("./part.ts")).version));`,
  );
  const build = async (version: string) => {
    fs.writeFileSync(part, `export const version: string = ${JSON.stringify(version)};\n`);
    await buildServer(main, path.join(folder, "built"));
  };
  const start = async () => {
    const child = spawn(process.execPath, [path.join(folder, "built", "main.js")]);
    let told = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    await expect.poll(() => told).toBe("runs ");
    return async () => {
      child.stdin.end("now");
      await once(child, "close");
      return told;
    };
  };

  await build("first");
  const early = await start();
  await build("second");
  await build("third");
  const late = await start();
  expect(await early()).toBe("runs first");
  expect(await late()).toBe("runs third");
  await build("fourth");
  // Three builds, and what leads to the newest.
  expect(fs.readdirSync(path.join(folder, "built"))).toHaveLength(4);
});

test("what is older than its sources is to be built: the page by its own, the server by its own, both by what they share", () => {
  const folder = newFolder();
  const touch = (place: string, at: number) => {
    const file = path.join(folder, place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
    fs.utimesSync(file, at, at);
    for (let parent = path.dirname(file); parent.startsWith(folder); parent = path.dirname(parent))
      fs.utimesSync(parent, at, at);
  };
  for (const source of ["src/web/main.tsx", "src/server/main.ts", "src/domain/phone.ts"]) touch(source, 1000);
  expect(staleParts(folder)).toEqual(["page", "server"]);
  for (const built of ["pt-BR/index.html", "en/index.html", "server/main.js"]) touch(`dist/${built}`, 2000);
  expect(staleParts(folder)).toEqual([]);
  touch("src/server/db/rows.ts", 2001);
  expect(staleParts(folder)).toEqual(["server"]);
  touch("dist/server/main.js", 2002);
  touch("src/web/main.tsx", 2003);
  expect(staleParts(folder)).toEqual(["page"]);
  touch("src/domain/phone.ts", 2004);
  expect(staleParts(folder)).toEqual(["page", "server"]);
  fs.rmSync(path.join(folder, "dist", "en"), { recursive: true });
  touch("dist/pt-BR/index.html", 2005);
  touch("dist/server/main.js", 2005);
  expect(staleParts(folder)).toEqual(["page"]);
});
