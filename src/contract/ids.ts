import { z } from "zod";

/** Any other text answers `not_found`, like a missing row. */
export const RowId = z
  .union([z.string().regex(/^[1-9]\d{0,14}$/), z.number().int().positive().max(999_999_999_999_999)])
  .transform(Number);

/** Blank text is refused: `Number("")` is 0, which as a cursor would skip the first row. */
export const WholeNumber = (min: number, max: number) =>
  z
    .unknown()
    .refine((typed) => typeof typed !== "string" || typed.trim() !== "")
    // The input type is any; the API description says integer.
    .meta({ type: "integer", minimum: min, maximum: max })
    .pipe(z.coerce.number().int().min(min).max(max));

/** For 24 hours the same key with the same content is executed once. */
export const IdempotencyKey = z.string().min(1).max(200);

export const IdParams = z.object({ id: RowId.describe("The number by which answers call it") });

/** Re-authentication; not needed shortly after the password was entered. */
export const ProvedPassword = z.string().max(1_000).optional();
