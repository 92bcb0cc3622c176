import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { StartError, systemReason } from "../src/server/base/start-error.ts";
import { endWithError, printedUsage, say, warn } from "../src/server/commands/cli-words.ts";
import { type Lock, refusedLicences } from "./licence-rules.ts";

const USE = "Use: npm run sbom [-- ARQUIVO]";

/**
 * `npm run sbom [-- file]`: CycloneDX JSON (default `sbom.cdx.json`) from package-lock.json, without network.
 * Exit code 1 for a licence that does not fit ours.
 */
function main(args: string[]): void {
  if (printedUsage(args, USE)) return;
  const [file = "sbom.cdx.json", ...rest] = args;
  if (rest.length > 0 || file === "" || file.startsWith("-")) throw new StartError(USE);
  const listed = askNpm();
  const { components } = JSON.parse(listed) as { components: unknown[] };
  write(file, listed);
  const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8")) as Lock;
  const refused = refusedLicences(lock);
  for (const one of refused) warn(one);
  say(
    `${file}: componentes: ${components.length}; licenças que não combinam com a nossa: ${refused.length}.`,
  );
  process.exitCode = refused.length === 0 ? 0 : 1;
}

function askNpm(): string {
  const cli = process.env.npm_execpath;
  const [command, before] = cli?.endsWith(".js") ? [process.execPath, [cli]] : ["npm", []];
  const asked = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
  const { status, stdout, stderr, error } = spawnSync(command, [...before, ...asked], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new StartError(`O npm não pôde ser chamado: ${systemReason(error)}.`);
  if (status !== 0) throw new StartError(`O npm não fez a lista:\n${stderr.trim()}`);
  return stdout;
}

function write(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text);
  } catch (error) {
    throw new StartError(`Não é possível gravar ${file}: ${systemReason(error)}.`);
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  endWithError(error);
}
