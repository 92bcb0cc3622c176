import sharp from "sharp";
import { expect, test } from "vitest";
import { type Heic, heic } from "../../../tests/support/heic-file.ts";
import { AppError } from "../../domain/errors.ts";
import { decodeHeic } from "./heic.ts";
import { cleanImage } from "./images.ts";

const AT = { left: [10, 40], right: [86, 40], above: [48, 5] } as const;
const RED = [200, 60, 60];
const BLUE = [60, 60, 200];
const GREEN = [60, 200, 60];

async function colourAt(picture: Buffer, [x, y]: readonly [number, number] | readonly number[]) {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const at = ((y ?? 0) * info.width + (x ?? 0)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

function near(found: number[], wanted: number[], most = 12): boolean {
  return found.every((value, at) => Math.abs(value - (wanted[at] ?? 0)) <= most);
}

const refusal = (file: Uint8Array) =>
  cleanImage(file).then(
    ({ mime }) => `taken as ${mime}`,
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

test("a phone's picture becomes a JPEG of the same colours", async () => {
  const drawn = await cleanImage(heic());
  expect(drawn).toMatchObject({ mime: "image/jpeg", width: 96, height: 64, reduced: false });
  expect(near(await colourAt(drawn.bytes, AT.left), RED)).toBe(true);
  expect(near(await colourAt(drawn.bytes, AT.right), BLUE)).toBe(true);
  expect(near(await colourAt(drawn.bytes, AT.above), GREEN)).toBe(true);
});

test.each<[string, Heic, number, number, [number, number][]]>([
  [
    "a quarter",
    { turns: 1 },
    64,
    96,
    [
      [40, 85],
      [40, 10],
      [5, 48],
    ],
  ],
  [
    "upside down",
    { turns: 2 },
    96,
    64,
    [
      [86, 20],
      [10, 20],
      [48, 59],
    ],
  ],
  [
    "three quarters",
    { turns: 3 },
    64,
    96,
    [
      [20, 10],
      [20, 85],
      [59, 48],
    ],
  ],
])("a picture taken %s stands upright", async (_, how, width, height, places) => {
  const drawn = await cleanImage(heic(how));
  expect(drawn).toMatchObject({ width, height });
  for (const [at, wanted] of [RED, BLUE, GREEN].entries())
    expect(near(await colourAt(drawn.bytes, places[at] ?? []), wanted)).toBe(true);
});

test("tiles are put together, and a picture larger than WhatsApp shows is made smaller", async () => {
  const drawn = await cleanImage(heic({ tiles: 3 }), { side: 144 });
  expect(drawn).toMatchObject({ width: 144, height: 96, reduced: true });
  expect(near(await colourAt(drawn.bytes, [3, 90]), RED)).toBe(true);
  expect(near(await colourAt(drawn.bytes, [141, 90]), BLUE)).toBe(true);
});

test("a picture whose rows the decoder fills up stays straight", async () => {
  const drawn = await cleanImage(heic({ tiles: 2, size: [185, 120] }));
  expect(drawn).toMatchObject({ width: 185, height: 120 });
  for (const y of [40, 110]) {
    expect(near(await colourAt(drawn.bytes, [110, y]), RED)).toBe(true);
    expect(near(await colourAt(drawn.bytes, [178, y]), BLUE)).toBe(true);
  }
});

test("its colours are those of its profile", async () => {
  const wide = await sharp({ create: { width: 1, height: 1, channels: 3, background: "#fff" } })
    .withIccProfile("p3")
    .png()
    .toBuffer();
  const { icc } = await sharp(wide).metadata();
  if (!icc) throw new Error("no profile");
  const drawn = await cleanImage(heic({ profile: icc }));
  // A red of the same numbers is stronger there.
  expect(near(await colourAt(drawn.bytes, AT.left), [218, 42, 52], 8)).toBe(true);
});

test.each<[string, () => Buffer, string]>([
  ["cut off", () => heic().subarray(0, -100), "image_corrupt"],
  ["cut off in its header", () => heic().subarray(0, 200), "image_corrupt"],
  ["broken", () => broken(heic()), "image_corrupt"],
  ["of nothing but a header", () => heic().subarray(0, 28), "image_corrupt"],
  ["that says it is 60,000 × 60,000", () => heic({ size: [60_000, 60_000] }), "image_too_many_pixels"],
  ["that says it has 26 megapixels", () => heic({ size: [6_500, 4_000] }), "image_too_many_pixels"],
  ["that is a sequence", () => heic({ brand: "hevc" }), "image_unsupported"],
  ["that is AVIF", () => heic({ brand: "avif" }), "image_unsupported"],
])("a file %s is refused", async (_, file, code) => {
  expect(await refusal(file())).toBe(code);
});

/** In the codec's parameters. */
function broken(file: Buffer): Buffer {
  return Buffer.from(file).fill(0xff, file.indexOf("hvcC") + 30, file.indexOf("hvcC") + 90);
}

test("the decoder's memory and pixels are bounded, whatever the file says", async () => {
  const limits = { side: 64, mostPixels: 10_000_000 };
  const large = heic({ tiles: 30 });
  expect(await decodeHeic(large, limits)).toMatchObject({ width: 2_880, height: 1_920 });
  await expect(decodeHeic(large, { ...limits, memoryBytes: 1_000_000 })).rejects.toThrow();
  await expect(decodeHeic(large, { ...limits, mostPixels: 5_000_000 })).rejects.toThrow("too many pixels");
});
