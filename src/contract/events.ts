import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** Data that may have changed; the page refetches what it shows. */
export const TOPICS = [
  "campaigns",
  "contacts",
  "connections",
  "imports",
  "chats",
  "agents",
  "templates",
  "account",
] as const;
export type Topic = (typeof TOPICS)[number];

/** `id`: the changed row; null for any number of rows. */
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
