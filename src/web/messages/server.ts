import { PORTUGUESE } from "../../contract/error-messages.ts";

/** The server's own words, for what the page says in its place. */
export const serverWords = PORTUGUESE;
