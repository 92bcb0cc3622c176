/** HEVC of 96 × 64: left red (200, 60, 60), right blue, above them green; by x265. */
const HVCC = Buffer.from(
  "AQQIAAAAn6gAAAAAHvAA/P34+AAADwOgAAEAF0ABDAH//wQIAAADAJ+oAAADAAAeugJAoQABACdCAQEECAAAAwCfqAAAAwAAHqAwgQWW6kkyvAQEAAADAAQAAAMAZCCiAAEAB0QBwXKwIkA=",
  "base64",
);
const SLICE = Buffer.from(
  "KAGvCeAUKSsOQ67q//x3n//ZuBcwdn/0IzFe+Alf6GgEhvwdez+FU7c8aWkHTcPB/wLiBRWONEVwKIwekD9xWBX0AhxPKaML/G05039OSCOav1083IHM/euLFYy28KaxK7LESl+6VlhqtFSMSzLF+8jr+ro10Vi8GVFn+YwT60lPOeBCx/7jzF+Ie7zu4S7uWMf/hUmf9galt4wOAQRmj/r84i6fJuDBmdNyFXp7CmJG5qqVt39yPAH8PEvK52eyn5v/tsHiQaCCJaAeHszBrcBd8DDm5wVg",
  "base64",
);

const u8 = (...values: number[]) => Buffer.from(values);
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => u8(value >> 8, value & 255)));
const u32 = (...values: number[]) =>
  Buffer.concat(values.map((value) => u16(Math.floor(value / 65_536), value % 65_536)));
const box = (type: string, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body]);
};
const full = (type: string, version: number, ...parts: Buffer[]) => box(type, u8(version, 0, 0, 0), ...parts);

export type Heic = {
  brand?: string;
  /** What the file says of itself. */
  size?: [number, number];
  /** Quarter turns against the clock, as cameras note them. */
  turns?: number;
  /** Tiles in each direction, as phones store large pictures; 1: none. */
  tiles?: number;
  /** Of its colours (ICC). */
  profile?: Buffer;
};

/** One picture as phones write it (ISO/IEC 23008-12), 96 × 64 for each tile. */
export function heic({ brand = "heic", size, turns = 0, tiles = 1, profile }: Heic = {}): Buffer {
  const hevc = Buffer.concat([u32(SLICE.length), SLICE]);
  const isGrid = tiles > 1;
  const count = tiles * tiles;
  const [width, height] = size ?? [96 * tiles, 64 * tiles];
  const grid = Buffer.concat([u8(0, 0, tiles - 1, tiles - 1), isGrid ? u16(width, height) : u16(0, 0)]);
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const main = isGrid ? count + 1 : 1;
  // Tiles are hidden, or they would be pictures of their own.
  const item = (id: number, type: string) =>
    box("infe", u8(2, 0, 0, isGrid && id !== main ? 1 : 0), u16(id, 0), Buffer.from(type), u8(0));
  const items = [...ids.map((id) => item(id, "hvc1")), ...(isGrid ? [item(main, "grid")] : [])];
  const of = (id: number, ...properties: number[]) =>
    Buffer.concat([u16(id), u8(properties.length, ...properties)]);
  const turned = [...(profile ? [5] : []), ...(turns === 0 ? [] : [4])];
  const own = isGrid ? ids.map((id) => of(id, 0x81, 2)) : [of(1, 0x81, 3, ...turned)];
  const all = isGrid ? [...own, of(main, 3, ...turned)] : own;
  const properties = box(
    "iprp",
    box(
      "ipco",
      box("hvcC", HVCC),
      full("ispe", 0, u32(96, 64)),
      full("ispe", 0, u32(width, height)),
      box("irot", u8(turns)),
      ...(profile ? [box("colr", Buffer.from("prof"), profile)] : []),
    ),
    full("ipma", 0, u32(all.length), ...all),
  );
  const refers = full("iref", 0, box("dimg", u16(main, count, ...ids)));
  const meta = (data: number) => {
    const extent = (id: number, at: number, length: number) =>
      Buffer.concat([u16(id, 0, 1), u32(at, length)]);
    const places = ids.map((id) => extent(id, data, hevc.length));
    const all = isGrid ? [...places, extent(main, data + hevc.length, grid.length)] : places;
    return full(
      "meta",
      0,
      full("hdlr", 0, u32(0), Buffer.from("pict"), u32(0, 0, 0), u8(0)),
      full("pitm", 0, u16(main)),
      full("iloc", 0, u8(0x44, 0), u16(all.length), ...all),
      full("iinf", 0, u16(items.length), ...items),
      properties,
      ...(isGrid ? [refers] : []),
    );
  };
  const type = box("ftyp", Buffer.from(brand), u32(0), Buffer.from(`mif1${brand}`));
  const start = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(start), box("mdat", hevc, grid)]);
}
