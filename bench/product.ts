import fs from "node:fs";
import path from "node:path";

export const AS_STARTED = {
  flags: JSON.parse(fs.readFileSync(scriptsFile("engine-flags.json"), "utf8")) as string[],
  env: JSON.parse(fs.readFileSync(scriptsFile("engine-env.json"), "utf8")) as Record<string, string>,
};

function scriptsFile(name: string): string {
  return path.join(import.meta.dirname, "..", "scripts", name);
}

/** In MB, from the kernel: `VmRSS` now, `VmHWM` the peak since the start or `forgetPeak`. */
export function residentMB(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}

/** Resets the kernel's peak, so that memory needed by the start does not count. */
export function forgetPeak(pid: number): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
