import { z } from "zod";

/** What a removal answered as `undo`: sealed, so that it brings back what was there and nothing else. */
export const UndoInput = z.strictObject({
  undo: z.string().min(1).max(20_000).describe("What the removal answered as `undo`, for ten minutes"),
});
