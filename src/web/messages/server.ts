import { PORTUGUESE } from "../../contract/error-messages.ts";

export const serverWords = PORTUGUESE;
