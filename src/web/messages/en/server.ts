import { ENGLISH_FIELDS } from "../../../contract/field-messages-en.ts";
import { fieldTextIn } from "../../../contract/field-text.ts";
import type { serverWords as portuguese } from "../server.ts";

export const serverWords: typeof portuguese = { fieldText: fieldTextIn("en", ENGLISH_FIELDS) };
