import fs from "node:fs/promises";

/** Little, whatever the disk's size; on a small disk a tenth of it. An import, a copy or a night's events may need as much. */
const LITTLE_BYTES = 1e9;
const SMALL_SHARE = 0.1;

/** True when so little is left of a disk, in bytes, that the database may soon have nowhere to write. */
export function isLow({ free, size }: { free: number; size: number }): boolean {
  return free < Math.min(LITTLE_BYTES, size * SMALL_SHARE);
}

/** Whether the disk under this folder is nearly full; false where the system does not say. What it says is what a process of ours may use. */
export async function isDiskLow(folder: string): Promise<boolean> {
  const told = await fs.statfs(folder).catch(() => null);
  if (!told || told.blocks === 0) return false;
  return isLow({ free: told.bavail * told.bsize, size: told.blocks * told.bsize });
}
