import { systemClock } from "../../src/server/base/clock.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { openUndo, type Undo } from "../../src/server/db/undo.ts";

export const undoForTests = (clock = systemClock): Undo =>
  openUndo({ secrets: createSecrets(Buffer.alloc(32, 7).toString("base64")), clock });
