import { z } from "zod";
import { damaged } from "./error.ts";
import type { Frame, FrameKind } from "./frames.ts";

export const Header = z.object({
  format: z.literal(1),
  product: z.string(),
  madeAt: z.iso.datetime({ offset: true }),
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
  /** Without it the sealed columns are unreadable. */
  secretKey: z.string(),
});
export type Header = z.infer<typeof Header>;

export const TableBegin = z.object({ name: z.string(), columns: z.array(z.string()) });
export const TableEnd = z.object({ rows: z.number().int().min(0), sha256: z.string() });
/** An attachment's bytes follow under their key. */
export const FileBegin = z.object({ key: z.uuid() });
export const FileEnd = z.object({ bytes: z.number().int().min(0), sha256: z.string() });
export const Sequences = z.array(
  z.object({ table: z.string(), column: z.string(), value: z.string().regex(/^\d+$/), called: z.boolean() }),
);
export const End = z.object({ tables: z.number().int(), sha256: z.string() });

export function readJson<T>(schema: z.ZodType<T>, kind: FrameKind, found: Frame | undefined): T {
  if (found?.kind !== kind) throw damaged(found ? "ordem das partes" : "fim do arquivo");
  try {
    return schema.parse(JSON.parse(found.body.toString()));
  } catch {
    throw damaged("formato");
  }
}
