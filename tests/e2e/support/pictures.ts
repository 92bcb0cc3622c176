import sharp from "sharp";

/** A PNG with no two similar places, so that any loss, turn or swap shows. */
export function testPicture(width = 640, height = 480): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      pixels[at] = (x * 255) / width;
      pixels[at + 1] = (y * 255) / height;
      pixels[at + 2] = 128 + 127 * Math.sin(x / 40) * Math.cos(y / 30);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** Mean difference per channel, 0–255; throws when the sizes differ. */
export async function pictureDifference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  if (!a || !b || a.info.width !== b.info.width || a.info.height !== b.info.height)
    throw new Error(`sizes differ: ${JSON.stringify(a?.info)} ${JSON.stringify(b?.info)}`);
  let sum = 0;
  for (let at = 0; at < a.data.length; at++) sum += Math.abs((a.data[at] ?? 0) - (b.data[at] ?? 0));
  return sum / a.data.length;
}
