import fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";

const compress = promisify(brotliCompress);
const COMPRESSIBLE = /\.(js|css|svg|json|txt|webmanifest)$/;

/** Writes a Brotli copy beside each text file, which the server sends to browsers that can read it. */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name));
  await Promise.all(files.map((entry) => compressFile(path.join(entry.parentPath, entry.name))));
}

async function compressFile(file: string): Promise<void> {
  // Node's default quality is 11, the highest.
  await fs.writeFile(`${file}.br`, await compress(await fs.readFile(file)));
}
