import fs from "node:fs";
import path from "node:path";

/** What `npm start` gives the product (scripts/run.mjs). */
export const AS_STARTED = {
  flags: JSON.parse(fs.readFileSync(scriptsFile("engine-flags.json"), "utf8")) as string[],
  env: JSON.parse(fs.readFileSync(scriptsFile("engine-env.json"), "utf8")) as Record<string, string>,
};

function scriptsFile(name: string): string {
  return path.join(import.meta.dirname, "..", "scripts", name);
}

/** Memory of a process from the kernel, in MB: `VmRSS` now, `VmHWM` the most there ever was (or since `forgetPeak`). */
export function residentMB(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}

/** Lets the kernel take the present for the most there ever was: what a process needed to start is not what is asked. */
export function forgetPeak(pid: number): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
