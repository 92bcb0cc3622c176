import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getMediaKeys } from "baileys";
import sharp from "sharp";
import { type MediaCertificates, makeMediaCertificates } from "./certificates.ts";
import type { FaultDesk } from "./faults.ts";
import type { ImageNote } from "./ledger.ts";

const MAC_LENGTH = 10;
const IMAGE_PATH = "/mms/image";

export type OpenedImage = { bytes: Buffer; sha256: string };

export type MediaHost = Awaited<ReturnType<typeof startMediaHost>>;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function startMediaHost(faults: FaultDesk) {
  const certificates: MediaCertificates = await makeMediaCertificates();
  const files = new Map<string, Buffer>();
  const hashes = new WeakMap<Buffer, Map<string, OpenedImage>>();
  let host = "";
  let uploads = 0;
  let dripping = 0;

  async function takeUpload(request: IncomingMessage, response: ServerResponse, path: string) {
    const body = await readBody(request);
    if (faults.take("failUploads")) {
      response.statusCode = 500;
      response.end("{}");
      return;
    }
    if (faults.take("cutUploads")) {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"url":', () => response.destroy());
      return;
    }
    if (faults.take("dripUploads")) {
      dripping += 1;
      const drops = setInterval(() => response.write(" "), 20);
      response.on("close", () => {
        clearInterval(drops);
        dripping -= 1;
      });
      return;
    }
    uploads += 1;
    files.set(path, body);
    response.end(JSON.stringify({ url: `https://${host}${path}`, direct_path: path }));
  }
  const server = createServer(
    { key: certificates.key, cert: certificates.certificate },
    (request, response) => {
      const path = new URL(request.url ?? "/", "https://media").pathname;
      if (request.method === "POST") {
        takeUpload(request, response, path).catch(() => response.destroy());
        return;
      }
      const file = files.get(path);
      response.statusCode = file ? 200 : 404;
      response.end(file);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function open(image: ImageNote): Promise<OpenedImage> {
    const file = files.get(image.directPath ?? "");
    if (!file || !image.mediaKey) throw new Error("image not at the media host");
    const keyText = Buffer.from(image.mediaKey).toString("base64");
    const opened = hashes.get(file)?.get(keyText) ?? (await decryptFile(file, image.mediaKey));
    const known = hashes.get(file) ?? new Map<string, OpenedImage>();
    hashes.set(file, known.set(keyText, opened));
    return opened;
  }

  return {
    host,
    authority: certificates.authority,
    uploadCount: () => uploads,
    drippingCount: () => dripping,
    open,
    async put(bytes: Buffer, mimetype: string, caption: string | undefined): Promise<ImageNote> {
      const mediaKey = randomBytes(32);
      const encrypted = await encryptFile(bytes, mediaKey);
      const directPath = `${IMAGE_PATH}/${randomBytes(16).toString("base64url")}`;
      files.set(directPath, encrypted);
      const { width, height } = await sharp(bytes).metadata();
      return {
        url: `https://${host}${directPath}`,
        directPath,
        mediaKey,
        mimetype,
        caption,
        width,
        height,
        fileLength: bytes.length,
        fileSha256: createHash("sha256").update(bytes).digest(),
        fileEncSha256: createHash("sha256").update(encrypted).digest(),
      };
    },
    reset(): void {
      files.clear();
      uploads = 0;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function imageKeys(mediaKey: Uint8Array) {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, "image");
  if (!macKey) throw new Error("no key to check the image with");
  const mac = (body: Buffer) =>
    createHmac("sha256", macKey).update(iv).update(body).digest().subarray(0, MAC_LENGTH);
  return { iv, cipherKey, mac };
}

async function decryptFile(file: Buffer, mediaKey: Uint8Array): Promise<OpenedImage> {
  const { iv, cipherKey, mac } = await imageKeys(mediaKey);
  const body = file.subarray(0, -MAC_LENGTH);
  if (!mac(body).equals(file.subarray(-MAC_LENGTH))) throw new Error("image was changed on its way");
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  const bytes = Buffer.concat([decipher.update(body), decipher.final()]);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function encryptFile(bytes: Buffer, mediaKey: Uint8Array): Promise<Buffer> {
  const { iv, cipherKey, mac } = await imageKeys(mediaKey);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([body, mac(body)]);
}
