import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { frame, readFrames } from "./frames.ts";
import { newSeal, openSeal, openStream, SEALED_HEADER, SEALED_MAGIC, sealStream } from "./sealed.ts";

const CHEAP = { log2N: 4, r: 8, p: 1 };
const PASSPHRASE = "três girassóis no quintal";
const CHUNK = 64 * 1024;
const SEALED_CHUNK = CHUNK + 16;

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function sealed(content: Buffer): Promise<Buffer> {
  const seal = await newSeal(PASSPHRASE, CHEAP);
  return Buffer.concat(await Array.fromAsync(sealStream(seal, pieces(content, 50_000))));
}

async function opened(file: Buffer, passphrase = PASSPHRASE): Promise<Buffer | string> {
  try {
    const seal = await openSeal(passphrase, file.subarray(0, SEALED_HEADER));
    const rest = pieces(file.subarray(SEALED_HEADER), 70_000);
    return Buffer.concat(await Array.fromAsync(openStream(seal, rest)));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const DAMAGED = /está danificado ou incompleto/;

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])(
  "%s bytes come out as they went in",
  async (size) => {
    const content = randomBytes(size);
    expect(content.equals((await opened(await sealed(content))) as Buffer)).toBe(true);
  },
);

test("parts can be neither left out at the end nor in the middle, nor change places", async () => {
  const file = await sealed(randomBytes(3 * CHUNK + 5));
  const head = file.subarray(0, SEALED_HEADER);
  const [first, second, ...rest] = Array.from({ length: 4 }, (_, nth) =>
    file.subarray(SEALED_HEADER + nth * SEALED_CHUNK, SEALED_HEADER + (nth + 1) * SEALED_CHUNK),
  ) as [Buffer, Buffer, Buffer, Buffer];
  for (const parts of [
    [first, second, rest[0]],
    [first, ...rest],
    [second, first, ...rest],
    [first, second, ...rest, rest[1]],
    [first, second, rest[0], rest[1].subarray(0, 10)],
    [],
  ])
    expect(await opened(Buffer.concat([head, ...parts]))).toMatch(DAMAGED);
});

test("equal content is sealed differently in each file and part", async () => {
  const content = Buffer.alloc(2 * CHUNK, "same");
  const files = [await sealed(content), await sealed(content)];
  const parts = files.flatMap((file) => [
    file.subarray(SEALED_HEADER, SEALED_HEADER + CHUNK).toString("base64"),
    file.subarray(SEALED_HEADER + SEALED_CHUNK, SEALED_HEADER + SEALED_CHUNK + CHUNK).toString("base64"),
  ]);
  expect(new Set(parts).size).toBe(4);
});

test("what was sealed by an earlier version still opens", async () => {
  const rest = "BAgB443H3N4H5tfA7maO/OgPACxOwZ7L5j8yYMILlZTdhfPSDRADnxnkSJBL6asdncgslr39sCs9NI9l1oO8PqJum7Q=";
  const file = Buffer.concat([Buffer.from("RECADO SEALED 1\n"), Buffer.from(rest, "base64")]);
  expect(String(await opened(file))).toBe("rows of last year");
});

test("a passphrase opens however its accents were typed, and no other does", async () => {
  const file = await sealed(Buffer.from("rows"));
  expect(String(await opened(file, PASSPHRASE.normalize("NFD")))).toBe("rows");
  expect(await opened(file, "tres girassois no quintal")).toMatch(/A senha não abre esta cópia/);
});

test("a damaged header takes neither memory nor hours", async () => {
  for (const [at, value] of [
    [0, 40],
    [0, 0],
    [1, 255],
    [2, 255],
  ] as const) {
    const file = await sealed(Buffer.from("rows"));
    file[SEALED_MAGIC.length + at] = value;
    expect(await opened(file)).toMatch(DAMAGED);
  }
});

test("frames survive any chunking; half, unknown and oversized frames are refused", async () => {
  const bytes = Buffer.concat([
    frame("H", Buffer.from("head")),
    frame("R", Buffer.alloc(0)),
    frame("Z", randomBytes(9)),
  ]);
  const read = (file: Buffer, size: number) => Array.fromAsync(readFrames(pieces(file, size)));
  for (const size of [1, 3, 7, 100])
    expect((await read(bytes, size)).map(({ kind, body }) => kind + body.length)).toEqual(["H4", "R0", "Z9"]);
  await expect(read(bytes.subarray(0, -1), 7)).rejects.toThrow(DAMAGED);
  await expect(read(Buffer.concat([bytes, Buffer.from("Z")]), 7)).rejects.toThrow(DAMAGED);
  await expect(read(frame("X" as "Z", Buffer.alloc(0)), 7)).rejects.toThrow(DAMAGED);
  // Refused at once; waiting for the end would buffer the whole file.
  let given = 0;
  async function* endless() {
    yield Buffer.from([0x52, 0xff, 0, 0, 0]);
    for (; given < 5; given++) yield Buffer.alloc(1_000);
  }
  await expect(Array.fromAsync(readFrames(endless()))).rejects.toThrow(DAMAGED);
  expect(given).toBe(0);
});
