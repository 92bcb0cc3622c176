import { execFileSync } from "node:child_process";
import { staleParts } from "../../scripts/stale.mjs";

/** Builds outdated parts, so that no test runs an old build. */
export function ensureBuilt(wanted: ReturnType<typeof staleParts>): void {
  const parts = staleParts().filter((part) => wanted.includes(part));
  if (parts.length) execFileSync(process.execPath, ["scripts/build.ts", ...parts], { stdio: "inherit" });
}
