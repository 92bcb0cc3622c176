import fs from "node:fs";
import path from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";

const PACKAGE = path.resolve(import.meta.dirname, "../../../node_modules/@sparticuz/chromium");

const MICROPHONE = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

export type Browser = { executablePath: string; args: string[]; env: Record<string, string> };

/**
 * Launches the npm Chromium with its own libraries and fonts, so no system package is needed. CHROME_PATH
 * replaces it where npm has none (arm64).
 */
export async function browser(): Promise<Browser> {
  // The package's default flags switch off protections of pages; containers need the first two. The third
  // avoids a software GPU process, a tenth of the run. The last two are a microphone that beeps.
  const args = ["--no-sandbox", "--no-zygote", "--disable-gpu", ...MICROPHONE];
  const own = process.env.CHROME_PATH;
  if (own) return { executablePath: own, args, env: {} };
  const folder = await unpacked();
  const env = {
    LD_LIBRARY_PATH: path.join(folder, "al2023", "lib"),
    FONTCONFIG_PATH: path.join(folder, "fonts"),
  };
  return { executablePath: path.join(folder, "chromium"), args, env };
}

/** Unpacked once per version and renamed when complete, so that an aborted run leaves no half browser. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(fs.readFileSync(path.join(PACKAGE, "package.json"), "utf8")) as {
    version: string;
  };
  const folder = path.resolve(PACKAGE, "../../.cache", `chromium-${version}`);
  if (fs.existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  fs.mkdirSync(draft, { recursive: true });
  const before = process.env.TMPDIR;
  // The package unpacks to fixed names in the temporary folder, where another user's copy may lie.
  process.env.TMPDIR = draft;
  try {
    await chromium.executablePath();
    await inflate(path.join(PACKAGE, "bin", "al2023.tar.br"));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  fs.writeFileSync(path.join(draft, "fonts", "fonts.conf"), fontsConf(path.join(folder, "fonts")));
  try {
    fs.renameSync(draft, folder);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}

const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}-cache</cachedir>
</fontconfig>
`;
