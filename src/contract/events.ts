import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/**
 * What may have changed; `chats` with the id of the chat, `account` what the account says of itself. The page asks again for whatever it
 * shows of it.
 */
export const TOPICS = [
  "campaigns",
  "contacts",
  "connections",
  "imports",
  "chats",
  "agents",
  "account",
] as const;
export type Topic = (typeof TOPICS)[number];

/** One event of the stream: `id` names the row, null means any number of them. */
export const Change = z.object({ topic: z.enum(TOPICS), id: z.number().nullable() });
export type Change = z.infer<typeof Change>;

export const events = {
  stream: endpoint({
    method: "GET",
    path: "/api/events",
    summary:
      "Server-sent events: one `{topic, id}` for each change of the caller's data, and a `beat` every 15 s",
    access: "user",
    answer: "stream",
    media: "text/event-stream",
  }),
};
