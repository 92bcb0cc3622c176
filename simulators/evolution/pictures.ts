import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}

function png(side: number, grey: (x: number, y: number) => number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 8;
  const rows = Buffer.alloc(side * (side + 1));
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) rows[y * (side + 1) + 1 + x] = grey(x, y);
  }
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const FACE = 64;

export function profilePicture(phone: string): Buffer {
  const shade = 60 + (Number(phone.slice(-3)) % 160);
  return png(FACE, (x, y) => ((x - FACE / 2) ** 2 + (y - FACE / 2) ** 2 < 600 ? 255 - shade : shade));
}

const MODULES = 50;
const MODULE_PIXELS = 6;

/** About a gateway's size (recording 09a). No phone can read it. */
export function qrImage(): string {
  const noise = randomBytes(MODULES * MODULES);
  const image = png(MODULES * MODULE_PIXELS, (x, y) => {
    const module = Math.floor(y / MODULE_PIXELS) * MODULES + Math.floor(x / MODULE_PIXELS);
    return (noise[module] ?? 0) < 128 ? 0 : 255;
  });
  return `data:image/png;base64,${image.toString("base64")}`;
}

export const pictureUrl = (serverUrl: string, phone: string) => `${serverUrl}/pictures/${phone}.png`;
