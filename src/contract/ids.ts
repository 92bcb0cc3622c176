import { z } from "zod";

/** A row's number in a URL. Anything else cannot name a row, so the door answers `not_found`, as for a row that is missing. */
export const RowId = z
  .union([z.string().regex(/^[1-9]\d{0,14}$/), z.number().int().positive().max(999_999_999_999_999)])
  .transform(Number);

/** A whole number of a query. To `Number` a blank text is 0, which as a cursor would skip the first row and say nothing: it is refused. */
export const WholeNumber = (min: number, max: number) =>
  z
    .unknown()
    .refine((typed) => typeof typed !== "string" || typed.trim() !== "")
    // What is typed may be of any kind; in the description it is the number.
    .meta({ type: "integer", minimum: min, maximum: max })
    .pipe(z.coerce.number().int().min(min).max(max));

/** Made by the caller for one deed: for 24 hours the same key with the same content is the same deed, however often it is sent. */
export const IdempotencyKey = z.string().min(1).max(200);

/** `{id}` of a path. */
export const IdParams = z.object({ id: RowId.describe("The number by which answers call it") });

/** The account's password, where a session has to prove itself again; left out where it was typed a short while ago. */
export const ProvedPassword = z.string().max(1_000).optional();
