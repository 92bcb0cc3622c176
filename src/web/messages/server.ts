import { FIELD_MESSAGES } from "../../contract/field-messages.ts";
import { fieldTextIn } from "../../contract/field-text.ts";

export const serverWords = { fieldText: fieldTextIn("pt-BR", FIELD_MESSAGES) };
