import fs from "node:fs/promises";

/** A tenth on a small disk. An import, a copy or a night's events may need it. */
const LITTLE_BYTES = 1e9;
const SMALL_SHARE = 0.1;

/** In bytes: so little is left that the database may soon fail to write. */
export function isLow({ free, size }: { free: number; size: number }): boolean {
  return free < Math.min(LITTLE_BYTES, size * SMALL_SHARE);
}

/** False where the system does not say. Counts the space available to our user. */
export async function isDiskLow(folder: string): Promise<boolean> {
  const stats = await fs.statfs(folder).catch(() => null);
  if (!stats || stats.blocks === 0) return false;
  return isLow({ free: stats.bavail * stats.bsize, size: stats.blocks * stats.bsize });
}
