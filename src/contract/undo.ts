import { z } from "zod";

/** Sealed, so that it restores only what was there. */
export const UndoInput = z.strictObject({
  undo: z.string().min(1).max(20_000).describe("What the removal answered as `undo`, for ten minutes"),
});
