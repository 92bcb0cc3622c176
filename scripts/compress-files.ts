import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const FORMS = { br: promisify(brotliCompress), gz: promisify(gzip) };
const COMPRESSIBLE = /\.(js|css|svg|json|txt|webmanifest)$/;

/** Writes compressed copies beside each text file. Browsers take Brotli only over HTTPS or from this machine. */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name));
  await Promise.all(files.map((entry) => compressFile(path.join(entry.parentPath, entry.name))));
}

async function compressFile(file: string): Promise<void> {
  const content = await fs.readFile(file);
  for (const [ending, compress] of Object.entries(FORMS))
    await fs.writeFile(`${file}.${ending}`, await compress(content));
}
