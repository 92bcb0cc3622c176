import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getMediaKeys, type MediaType } from "baileys";
import sharp from "sharp";
import { type MediaCertificates, makeMediaCertificates } from "./certificates.ts";
import type { FaultDesk } from "./faults.ts";
import type { FileNote, ImageNote } from "./ledger.ts";

const MAC_LENGTH = 10;
const IMAGE_PATH = "/mms/image";

export type OpenedFile = { bytes: Buffer; sha256: string };

export type PhoneFile = {
  bytes: Buffer;
  mediaKey: Uint8Array;
  type: MediaType;
  directPath: string;
  kept: boolean;
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function startMediaHost(faults: FaultDesk): Promise<MediaHost> {
  const media = new MediaHost(faults, await makeMediaCertificates());
  await media.listen();
  return media;
}

/** WhatsApp's server of pictures. */
export class MediaHost {
  readonly authority: MediaCertificates["authority"];
  readonly #faults: FaultDesk;
  readonly #server: Server;
  readonly #files = new Map<string, Buffer>();
  readonly #opened = new WeakMap<Buffer, Map<string, OpenedFile>>();
  #host = "";
  #uploads = 0;
  #dripping = 0;

  constructor(faults: FaultDesk, { authority, key, certificate }: MediaCertificates) {
    this.#faults = faults;
    this.authority = authority;
    this.#server = createServer({ key, cert: certificate }, (request, response) =>
      this.#answer(request, response),
    );
  }

  get host(): string {
    return this.#host;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.#host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  uploadCount(): number {
    return this.#uploads;
  }

  drippingCount(): number {
    return this.#dripping;
  }

  async open(image: FileNote["note"], kind: MediaType = "image"): Promise<OpenedFile> {
    const file = this.#files.get(image.directPath ?? "");
    if (!file || !image.mediaKey) throw new Error("file not at the media host");
    const keyText = Buffer.from(image.mediaKey).toString("base64");
    const opened = this.#opened.get(file)?.get(keyText) ?? (await decryptFile(file, image.mediaKey, kind));
    const known = this.#opened.get(file) ?? new Map<string, OpenedFile>();
    this.#opened.set(file, known.set(keyText, opened));
    return opened;
  }

  async put(bytes: Buffer, mimetype: string, caption: string | undefined): Promise<ImageNote> {
    const mediaKey = randomBytes(32);
    const encrypted = await encryptFile(bytes, mediaKey);
    const directPath = `${IMAGE_PATH}/${randomBytes(16).toString("base64url")}`;
    this.#files.set(directPath, encrypted);
    const { width, height } = await sharp(bytes).metadata();
    return {
      url: `https://${this.#host}${directPath}`,
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
  }

  /** A file of any kind. `mediaKey`: of an earlier upload. */
  async keep(bytes: Buffer, kind: MediaType, mediaKey: Uint8Array = randomBytes(32)) {
    const encrypted = await encryptFile(bytes, mediaKey, kind);
    const directPath = `/mms/${kind}/${randomBytes(16).toString("base64url")}`;
    this.#files.set(directPath, encrypted);
    return { directPath, mediaKey, fileEncSha256: createHash("sha256").update(encrypted).digest() };
  }

  remove(directPath: string): void {
    this.#files.delete(directPath);
  }

  reset(): void {
    this.#files.clear();
    this.#uploads = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? "/", "https://media").pathname;
    if (request.method === "POST") {
      this.#takeUpload(request, response, path).catch(() => response.destroy());
      return;
    }
    const file = this.#files.get(path);
    response.statusCode = file ? 200 : 404;
    response.end(file);
  }

  async #takeUpload(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await readBody(request);
    if (this.#faults.take("failUploads")) {
      response.statusCode = 500;
      response.end("{}");
      return;
    }
    if (this.#faults.take("cutUploads")) {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"url":', () => response.destroy());
      return;
    }
    if (this.#faults.take("dripUploads")) {
      this.#drip(response);
      return;
    }
    this.#uploads += 1;
    this.#files.set(path, body);
    response.end(JSON.stringify({ url: `https://${this.#host}${path}`, direct_path: path }));
  }

  #drip(response: ServerResponse): void {
    this.#dripping += 1;
    const drops = setInterval(() => response.write(" "), 20);
    response.on("close", () => {
      clearInterval(drops);
      this.#dripping -= 1;
    });
  }
}

async function fileKeys(mediaKey: Uint8Array, kind: MediaType) {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, kind);
  if (!macKey) throw new Error("no key to check the file with");
  const mac = (body: Buffer) =>
    createHmac("sha256", macKey).update(iv).update(body).digest().subarray(0, MAC_LENGTH);
  return { iv, cipherKey, mac };
}

async function decryptFile(file: Buffer, mediaKey: Uint8Array, kind: MediaType): Promise<OpenedFile> {
  const { iv, cipherKey, mac } = await fileKeys(mediaKey, kind);
  const body = file.subarray(0, -MAC_LENGTH);
  if (!mac(body).equals(file.subarray(-MAC_LENGTH))) throw new Error("file was changed on its way");
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  const bytes = Buffer.concat([decipher.update(body), decipher.final()]);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function encryptFile(bytes: Buffer, mediaKey: Uint8Array, kind: MediaType = "image"): Promise<Buffer> {
  const { iv, cipherKey, mac } = await fileKeys(mediaKey, kind);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([body, mac(body)]);
}
