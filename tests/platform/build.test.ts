import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { placeServer } from "../../scripts/build-server.ts";
import { openDraft, replaceFolder } from "../../scripts/draft.ts";
import { buildWithStamps, staleParts } from "../../scripts/stale.mjs";
import { ensureBuilt } from "../support/built.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-build é "));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function write(folder: string, place: string, text: string) {
  const file = path.join(folder, place);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

const MAIN = `import fs from "node:fs";
import { OWN_FOLDER } from ${JSON.stringify(path.join(ROOT, "src/server/base/root-folder.ts"))};
const { version } = JSON.parse(fs.readFileSync(OWN_FOLDER + "/package.json", "utf8"));
process.stdout.write("runs " + version);
process.stdin.once("data", async () => process.stdout.write(", late " + (await import("../part.ts")).version));
`;

function newProduct() {
  const root = newFolder();
  const places = ["package-lock.json", "src/server/accounts/default-terms.md"];
  for (const place of [...places, "src/server/accounts/default-terms.en.md", "db/migrations/0001_first.sql"])
    write(root, place, "");
  write(root, "src/server/app/main.ts", MAIN);
  const run = (file: string, ...args: string[]) => {
    const child = spawn(process.execPath, [file, ...args], { cwd: root });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    return { child, printed: () => output };
  };
  const build = async (part: "page" | "server" = "server"): Promise<string | null> => {
    const { child, printed } = run(path.join(ROOT, "scripts/build.ts"), part);
    const [code] = await once(child, "close");
    return code === 0 ? null : printed();
  };
  const put = (version: string) => {
    write(root, "package.json", JSON.stringify({ type: "module", version }));
    write(root, "src/server/part.ts", `export const version: string = ${JSON.stringify(version)};\n`);
  };
  put("first");
  return {
    root,
    put,
    build,
    async version(version: string) {
      put(version);
      expect(await build()).toBeNull();
    },
    built: () => fs.readdirSync(path.join(root, "dist", "server")),
    async start() {
      const { child, printed } = run("dist/server/main.js");
      await expect.poll(printed).toMatch(/^runs \w+$/);
      return async () => {
        child.stdin.end("now");
        await once(child, "close");
        return printed();
      };
    },
  };
}

test("a server takes what it needs late from its own build, however many successors are built while it runs", async () => {
  const product = newProduct();
  await product.version("first");
  const early = await product.start();
  for (const version of ["second", "third", "fourth"]) await product.version(version);
  const late = await product.start();
  expect(await early()).toBe("runs first, late first");
  await product.version("fifth");
  expect(await late()).toBe("runs fourth, late fourth");
  expect(product.built()).toHaveLength(4);
}, 60_000);

test("what is built after the clock was set back is what is started", async () => {
  const product = newProduct();
  for (const year of [2997, 2998, 2999])
    fs.mkdirSync(path.join(product.root, `dist/server/${year}0101000000000`), { recursive: true });
  await product.version("now");
  expect(await (await product.start())()).toBe("runs now, late now");
});

test("between a new version's files and its build, a restart runs the old build with its own files", async () => {
  const product = newProduct();
  await product.version("first");
  product.put("second");
  write(product.root, "db/migrations/0002_second.sql", "");
  expect(await (await product.start())()).toBe("runs first, late first");
  const [build = ""] = product.built();
  expect(fs.readdirSync(path.join(product.root, "dist/server", build, "db/migrations"))).toEqual([
    "0001_first.sql",
  ]);
});

test("a build that fails leaves what was there before, says why, and is tried again", async () => {
  const product = newProduct();
  await product.version("first");
  const before = fs.readdirSync(path.join(product.root, "dist"), { recursive: true });
  write(product.root, "src/server/part.ts", "export const version = ;\n");
  const dist = path.join(fs.realpathSync(product.root), "dist");
  expect(await product.build()).toMatch(
    new RegExp(`^Não foi possível construir em ${dist}: .*part\\.ts:1`, "s"),
  );
  expect(fs.readdirSync(path.join(product.root, "dist"), { recursive: true })).toEqual(before);
  expect(staleParts(product.root)).toContain("server");
  product.put("first");
  expect(staleParts(product.root)).not.toContain("server");
  expect(await (await product.start())()).toBe("runs first, late first");
});

test("a page that could not be written whole leaves the one that was there, in both languages", async () => {
  const product = newProduct();
  const full = `if (fs.existsSync("full") && this.environment.config.mode === "en") throw new Error("disk full")`;
  const plugin = `{ name: "full", writeBundle() { ${full}; } }`;
  write(
    product.root,
    "vite.config.js",
    `import fs from "node:fs";\nexport default { plugins: [${plugin}] };\n`,
  );
  write(product.root, "index.html", "first");
  expect(await product.build("page")).toBeNull();
  write(product.root, "index.html", "second");
  write(product.root, "full", "");
  expect(await product.build("page")).toContain("disk full");
  const shown = () =>
    ["pt-BR", "en"].map((each) =>
      fs.readFileSync(path.join(product.root, "dist", each, "index.html"), "utf8").trim(),
    );
  expect(shown()).toEqual(["first", "first"]);
  expect(staleParts(product.root)).toContain("page");
  fs.rmSync(path.join(product.root, "full"));
  expect(await product.build("page")).toBeNull();
  expect(shown()).toEqual(["second", "second"]);
});

test("a place that nothing can be built in is said in words", async () => {
  const product = newProduct();
  const file = write(product.root, "dist", "");
  expect(await product.build()).toMatch(
    `Não foi possível construir em ${file}: há um arquivo no lugar da pasta (EEXIST`,
  );
});

test("two that build at once are both done, and what they built starts", async () => {
  const product = newProduct();
  expect(await Promise.all([product.build(), product.build()])).toEqual([null, null]);
  expect(staleParts(product.root)).not.toContain("server");
  expect(await (await product.start())()).toBe("runs first, late first");
});

test("two builds that end in the same moment have a folder each", () => {
  const folder = newFolder();
  for (const name of ["one", "other"]) {
    write(folder, `${name}/main.js`, name);
    placeServer(path.join(folder, name), path.join(folder, "server"), 1_000_000_000_000);
  }
  const built = fs.readdirSync(path.join(folder, "server"));
  expect(built).toEqual(["20010909014640000", "20010909014640001", "main.js"]);
});

test("a page is put whole in the place of another", () => {
  const folder = newFolder();
  const place = path.join(folder, "page");
  for (const name of ["first", "second", "third"]) {
    const draft = openDraft(folder);
    write(draft, "page/index.html", name);
    write(draft, `page/assets/${name}.js`, "");
    replaceFolder(path.join(draft, "page"), place);
    expect(fs.readFileSync(path.join(place, "index.html"), "utf8")).toBe(name);
    expect(fs.readdirSync(path.join(place, "assets"))).toEqual([`${name}.js`]);
  }
});

test("what a killed build left is thrown away by one that comes an hour later, and not by one beside it", () => {
  const folder = newFolder();
  const left = openDraft(folder);
  openDraft(folder);
  expect(fs.existsSync(left)).toBe(true);
  openDraft(folder, Date.now() + 3_700_000);
  expect(fs.existsSync(left)).toBe(false);
});

function sources() {
  const root = newFolder();
  const put = (place: string, text: string, at: number) => fs.utimesSync(write(root, place, text), at, at);
  const built = { page: ["pt-BR/index.html", "en/index.html"], server: ["server/main.js"] };
  const build = (during = () => {}) => {
    const stale = staleParts(root);
    const use = () => {
      for (const file of stale.flatMap((part) => built[part])) write(root, `dist/${file}`, "");
    };
    return buildWithStamps(stale, async () => during(), use, root);
  };
  for (const place of ["src/web/app/main.tsx", "src/server/app/main.ts", "src/domain/phone.ts"])
    put(place, "1", 1000);
  return { root, put, build, stale: () => staleParts(root) };
}

test("changed sources rebuild: the page by its own, the server by its own, both by shared ones", async () => {
  const { root, put, build, stale } = sources();
  expect(stale()).toEqual(["page", "server"]);
  await build();
  expect(stale()).toEqual([]);
  put("src/server/db/rows.ts", "1", 1000);
  expect(stale()).toEqual(["server"]);
  await build();
  put("src/web/app/main.tsx", "2", 1000);
  expect(stale()).toEqual(["page"]);
  put("src/domain/phone.ts", "2", 1000);
  expect(stale()).toEqual(["page", "server"]);
  await build();
  fs.rmSync(path.join(root, "dist", "en"), { recursive: true });
  expect(stale()).toEqual(["page"]);
  await build();
  fs.rmSync(path.join(root, "src/server/db/rows.ts"));
  expect(stale()).toEqual(["server"]);
});

test("an older version unpacked over a newer one is rebuilt; a copy of a build is not", async () => {
  const { put, build, stale } = sources();
  await build();
  put("src/server/app/main.ts", "0", 500);
  expect(stale()).toEqual(["server"]);
  await build();
  put("src/server/app/main.ts", "0", 4_000_000_000);
  expect(stale()).toEqual([]);
  put("src/server/app/main.ts", "1", 4_000_000_000);
  await build();
  expect(stale()).toEqual([]);
});

test("what changes while it is built is to be built once more, and so is what was left half way", async () => {
  const { root, put, build, stale } = sources();
  await build(() => put("src/server/app/main.ts", "2", 1001));
  expect(stale()).toEqual(["server"]);
  await build();
  const fails = () => {
    throw new Error("disk full");
  };
  await expect(buildWithStamps(["server"], async () => {}, fails, root)).rejects.toThrow("disk full");
  expect(stale()).toEqual(["server"]);
});

test("the server takes what Baileys is made of from where Baileys takes it: it would not know a connection of another copy", () => {
  ensureBuilt(["server"]);
  const server = path.join(ROOT, "dist/server");
  const [newest = ""] = fs.readFileSync(path.join(server, "main.js"), "utf8").match(/(?<=\.\/)\d+/) ?? [];
  const files = fs.readdirSync(path.join(server, newest)).filter((file) => file.endsWith(".js"));
  const bundled = files.flatMap((file) => {
    const text = fs.readFileSync(path.join(server, newest, file), "utf8");
    return [...text.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(([, name]) => name);
  });
  const baileys = fs.readFileSync(path.join(ROOT, "node_modules/baileys/package.json"), "utf8");
  const { dependencies } = JSON.parse(baileys) as { dependencies: Record<string, string> };
  expect(bundled).toContain("kysely");
  expect(Object.keys(dependencies)).toContain("ws");
  expect(["baileys", ...Object.keys(dependencies)].filter((name) => bundled.includes(name))).toEqual([]);
});
