import { z } from "zod";
import { damaged } from "./error.ts";
import type { Frame, FrameKind } from "./frames.ts";

/** The first frame: what the copy is, whose schema it has, and the key of the secrets in it. */
export const Header = z.object({
  format: z.literal(1),
  /** Of the program that wrote it. */
  product: z.string(),
  /** The database's time of the snapshot, ISO 8601. */
  madeAt: z.iso.datetime({ offset: true }),
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
  /** As secret.key has it; without it what is sealed in the rows could not be read. */
  secretKey: z.string(),
});
export type Header = z.infer<typeof Header>;

export const TableBegin = z.object({ name: z.string(), columns: z.array(z.string()) });
/** Rows, and the SHA-256 of their text. */
export const TableEnd = z.object({ rows: z.number().int().min(0), sha256: z.string() });
export const Sequences = z.array(
  z.object({ table: z.string(), column: z.string(), value: z.string().regex(/^\d+$/), called: z.boolean() }),
);
/** The last frame: how many tables there were, and the SHA-256 of all that stood before it, bodies alone. */
export const End = z.object({ tables: z.number().int(), sha256: z.string() });

/** The frame that must come now, as what it must hold. Throws a StartFault when it is another, or there is none. */
export function readJson<T>(schema: z.ZodType<T>, kind: FrameKind, found: Frame | undefined): T {
  if (found?.kind !== kind) throw damaged(found ? "ordem das partes" : "fim do arquivo");
  try {
    return schema.parse(JSON.parse(found.body.toString()));
  } catch {
    throw damaged("formato");
  }
}
