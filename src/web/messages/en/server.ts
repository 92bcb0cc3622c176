import { ENGLISH } from "../../../contract/error-messages-en.ts";
import type { serverWords as portuguese } from "../server.ts";

export const serverWords: typeof portuguese = ENGLISH;
