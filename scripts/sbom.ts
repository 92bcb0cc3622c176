import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { type Lock, refusedLicences } from "./licence-rules.ts";

/**
 * `npm run sbom [-- file]`: what Recado is made of, as CycloneDX JSON (`sbom.cdx.json` unless said), from package-lock.json alone and
 * without a network. Ends with 1 when a licence among it does not go with ours.
 */
const file = process.argv[2] ?? "sbom.cdx.json";
const cli = process.env.npm_execpath;
const [command, before] = cli?.endsWith(".js") ? [process.execPath, [cli]] : ["npm", []];
const asked = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
const { status, stdout, stderr } = spawnSync(command, [...before, ...asked], {
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});
if (status !== 0) {
  process.stderr.write(stderr);
  process.exit(1);
}
const { components } = JSON.parse(stdout) as { components: unknown[] };
fs.writeFileSync(file, stdout);
const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8")) as Lock;
const refused = refusedLicences(lock);
for (const one of refused) process.stderr.write(`${one}\n`);
process.stdout.write(`${file}: ${components.length} components, ${refused.length} licences refused\n`);
process.exitCode = refused.length === 0 ? 0 : 1;
