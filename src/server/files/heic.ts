import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { crc32, deflateSync } from "node:zlib";

/** Upright and of its own colours, as PNG; `width` and `height` of the picture as it was. */
export type DecodedHeic = { png: Uint8Array; width: number; height: number };

/** Of the decoder: a file that says it is small may not be. */
const MEMORY_BYTES = 256 * 1024 * 1024;
const LONGEST_MS = 60_000;

export type HeicLimits = { side: number; mostPixels: number; memoryBytes?: number };

/** Off the event loop: a photograph takes seconds. Throws for anything that does not decode. */
export async function decodeHeic(
  file: Uint8Array | string,
  { side, mostPixels, memoryBytes = MEMORY_BYTES }: HeicLimits,
): Promise<DecodedHeic> {
  const { resolve } = createRequire(import.meta.url);
  const libraries = { decoder: resolve("libheif-js/wasm-bundle.js"), sharp: resolve("sharp") };
  const worker = new Worker(`(${decodeAlone.toString()})()`, {
    eval: true,
    workerData: { file, side, mostPixels, memoryBytes, ...libraries },
    // The decoder prints what it dislikes.
    stdout: true,
    stderr: true,
  });
  let late: NodeJS.Timeout | undefined;
  try {
    return await new Promise<DecodedHeic>((resolve, reject) => {
      late = setTimeout(() => reject(new Error("the decoder takes too long")), LONGEST_MS);
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the decoder ended")));
    });
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}

type Handle = object;
type Libheif = {
  HeifDecoder: new () => { decode(bytes: Uint8Array): { handle: Handle; is_primary(): boolean }[] };
  heif_image_handle_get_width(handle: Handle): number;
  heif_image_handle_get_height(handle: Handle): number;
  heif_colorspace: { heif_colorspace_RGB: number };
  heif_chroma: { heif_chroma_interleaved_RGB: number };
  heif_js_decode_image2(
    handle: Handle,
    colours: number,
    chroma: number,
  ): { code?: number; channels?: { data: Uint8Array; width: number; height: number; stride: number }[] };
};

/** Its text runs in the thread, so it uses nothing outside itself. */
async function decodeAlone(): Promise<void> {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { file, side, mostPixels, memoryBytes, decoder } = workerData;
  const load = process.getBuiltinModule("node:module").createRequire(decoder);
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65_536 > memoryBytes) throw new RangeError("too much memory");
    return grow.call(this, pages);
  };
  const heif: Libheif = load(decoder);
  const pictures = new heif.HeifDecoder().decode(typeof file === "string" ? readFileSync(file) : file);
  const handle = pictures.find((one) => one.is_primary())?.handle;
  if (!handle) throw new Error("no picture");
  if (heif.heif_image_handle_get_width(handle) * heif.heif_image_handle_get_height(handle) > mostPixels)
    throw new Error("too many pixels");
  const { heif_colorspace_RGB: rgb } = heif.heif_colorspace;
  const { channels } = heif.heif_js_decode_image2(handle, rgb, heif.heif_chroma.heif_chroma_interleaved_RGB);
  if (!channels?.[0]) throw new Error("not decoded");
  const { data, width, height, stride } = channels[0];
  for (let row = 1; row < height && stride !== width * 3; row++)
    data.copyWithin(row * width * 3, row * stride, row * stride + width * 3);
  const drawn: Buffer = await load(workerData.sharp)(data.subarray(0, width * height * 3), {
    raw: { width, height, channels: 3 },
  })
    .resize(side, side, { fit: "inside", withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer();
  parentPort?.postMessage({ png: drawn, width, height });
}

const AFTER_HEADER = 33;

/** A PNG with the colours' profile, which raw pixels cannot carry. */
export function withProfile(png: Uint8Array, profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from("iCCPicc\0\0", "latin1"), deflateSync(profile)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, AFTER_HEADER), chunk, png.subarray(AFTER_HEADER)]);
}
