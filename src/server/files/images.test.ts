import { spawnSync } from "node:child_process";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { PORTUGUESE } from "../../contract/error-messages.ts";
import { AppError } from "../../domain/errors.ts";
import { cleanImage } from "./images.ts";

const picture = (width = 64, height = 48) =>
  sharp({ create: { width, height, channels: 3, background: { r: 20, g: 120, b: 60 } } });

async function refusal(file: Uint8Array): Promise<string> {
  const error: unknown = await cleanImage(file).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof AppError)) throw new Error(`accepted, or another error: ${String(error)}`);
  return error.code;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.byteLength, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function pngBomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(4_000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

describe("refused by content", () => {
  test("I01 SVG with a script", async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect(await refusal(svg)).toBe("image_unsupported");
  });
  test("I02 HTML renamed .png", async () => {
    expect(await refusal(Buffer.from("<!doctype html><script>alert(1)</script>"))).toBe("image_unsupported");
  });
  test("I03 nothing at all", async () => {
    expect(await refusal(Buffer.alloc(0))).toBe("image_unsupported");
  });
  test("I04 text that says it is an image @spec 5.3", async () => {
    expect(await refusal(Buffer.from("image/png, on my word"))).toBe("image_unsupported");
  });
  test("I06 a PNG of 30,000² pixels in a few kilobytes", async () => {
    expect(await refusal(pngBomb(30_000))).toBe("image_too_many_pixels");
  });
  test("I07 a PNG of 65,000² pixels", async () => {
    expect(await refusal(pngBomb(65_000))).toBe("image_too_many_pixels");
  });
  test("AP01 what is too large says how large it may be", async () => {
    const error: unknown = await cleanImage(pngBomb(8_001)).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "image_too_many_pixels", details: { n: 64 } });
    expect(PORTUGUESE.errorText("image_too_many_pixels", { n: 64 })).toContain("64 megapixels");
  });
  test("I08 a JPEG cut in half", async () => {
    const whole = await picture(400, 300).jpeg().toBuffer();
    expect(await refusal(whole.subarray(0, whole.length >> 1))).toBe("image_corrupt");
  });
  test("I09 a PNG with a broken checksum", async () => {
    const png = await picture(200, 200).png().toBuffer();
    const at = png.indexOf("IDAT") + 8;
    png[at] = (png[at] ?? 0) ^ 0xff;
    expect(await refusal(png)).toBe("image_corrupt");
  });
  test("I10 a GIF", async () => {
    expect(await refusal(await picture().gif().toBuffer())).toBe("image_unsupported");
  });
  test("I12 AVIF, TIFF and BMP", async () => {
    expect(await refusal(await picture().avif().toBuffer())).toBe("image_unsupported");
    expect(await refusal(await picture().tiff().toBuffer())).toBe("image_unsupported");
    expect(await refusal(Buffer.concat([Buffer.from("BM"), Buffer.alloc(100)]))).toBe("image_unsupported");
  });
  test("I16 more than 16 MB", async () => {
    expect(await refusal(Buffer.alloc(16 * 1024 * 1024 + 1))).toBe("image_too_large");
  });
});

describe("made ours", () => {
  test("I05 what was hidden behind a JPEG is gone @decision 5", async () => {
    const tail = "<?php system($_GET['c']); ?><script>alert(1)</script>";
    const { bytes, mime } = await cleanImage(
      Buffer.concat([await picture().jpeg().toBuffer(), Buffer.from(tail)]),
    );
    expect(mime).toBe("image/jpeg");
    expect(bytes.includes("<?php")).toBe(false);
  });
  test("I10 an animated WebP keeps its first frame", async () => {
    const frames = [await picture(40, 40).png().toBuffer(), await picture(40, 40).negate().png().toBuffer()];
    const animated = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    const { bytes, width, height } = await cleanImage(animated);
    expect([width, height]).toEqual([40, 40]);
    const { data } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect(data[1]).toBeGreaterThan(100);
  });
  test("I13 the place where it was taken is gone @decision 5", async () => {
    const exif = { IFD0: { Make: "Camera" }, IFD3: { GPSLatitude: "23/1 33/1 0/1", GPSLatitudeRef: "S" } };
    const file = await picture().withExif(exif).jpeg().toBuffer();
    expect((await sharp(file).metadata()).exif).toBeDefined();
    const { bytes } = await cleanImage(file);
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
    expect(bytes.includes("Camera")).toBe(false);
  });
  test("I14 a picture held sideways is turned upright", async () => {
    const sideways = await picture(60, 30).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { bytes, width, height } = await cleanImage(sideways);
    expect([width, height]).toEqual([30, 60]);
    expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
  });
  test("I15 a CMYK picture of a print shop becomes sRGB", async () => {
    const print = await picture().toColourspace("cmyk").jpeg().toBuffer();
    expect((await sharp(print).metadata()).space).toBe("cmyk");
    const { bytes } = await cleanImage(print);
    const { space, channels, icc } = await sharp(bytes).metadata();
    expect({ space, channels, icc }).toEqual({ space: "srgb", channels: 3, icc: undefined });
  });
  test("AP01 a photograph of 50 million pixels in a small file is made smaller", async () => {
    const file = await picture(8_192, 6_144).jpeg().toBuffer();
    expect(await cleanImage(file)).toMatchObject({ width: 2_048, height: 1_536 });
  });

  test("a large photograph is made smaller, a small one is not made larger", async () => {
    expect(await cleanImage(await picture(4_000, 1_000).jpeg().toBuffer())).toMatchObject({
      width: 2_048,
      height: 512,
    });
    expect(await cleanImage(await picture(50, 20).jpeg().toBuffer())).toMatchObject({
      width: 50,
      height: 20,
    });
  });
  test("a drawing with transparency stays a PNG", async () => {
    const drawing = await sharp({
      create: { width: 30, height: 30, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const { bytes, mime } = await cleanImage(drawing);
    expect(mime).toBe("image/png");
    expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  });
});

function memoryFor(file: Uint8Array, times: number): number {
  const program = `
    const { PictureTurns } = await import(${JSON.stringify(new URL("picture-turns.ts", import.meta.url).href)});
    const { FairQueues } = await import(${JSON.stringify(new URL("../jobs/fair-queue.ts", import.meta.url).href)});
    const turns = new PictureTurns(new FairQueues({ monotonic: () => performance.now() }));
    const chunks = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    await Promise.all(Array.from({ length: ${times} }, (_, n) => turns.draw(String(n), Buffer.concat(chunks))));
    process.stdout.write(String(process.resourceUsage().maxRSS));`;
  const env = { ...process.env, MALLOC_ARENA_MAX: "2" };
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], { input: file, env });
  expect(ended.stderr.toString()).toBe("");
  return Number(ended.stdout) / 1_000;
}

test("pictures that come all at once are drawn one after the other: each may take two hundred megabytes of a few kilobytes", async () => {
  const side = 3_500;
  const raw = { width: side, height: side, channels: 4 } as const;
  const file = await sharp(Buffer.alloc(side * side * 4), { raw })
    .toColourspace("rgb16")
    .png({ progressive: true })
    .toBuffer();
  expect(file.byteLength).toBeLessThan(100_000);
  expect(memoryFor(file, 4) - memoryFor(file, 1)).toBeLessThan(100);
});
