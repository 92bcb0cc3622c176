import { z } from "zod";

/** A row's number in a URL. Anything else cannot name a row, so the door answers `not_found`, as for a row that is missing. */
export const RowId = z
  .union([z.string().regex(/^[1-9]\d{0,14}$/), z.number().int().positive().max(999_999_999_999_999)])
  .transform(Number);

/** Made by the caller for one deed: for 24 hours the same key with the same content is the same deed, however often it is sent. */
export const IdempotencyKey = z.string().min(1).max(200);

/** `{id}` of a path. */
export const IdParams = z.object({ id: RowId });
