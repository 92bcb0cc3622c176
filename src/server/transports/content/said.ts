import type { MessageKind } from "../../../domain/chat.ts";

/** What a message is, and its words: what a chat shows, a search finds, and an assistant reads. */
export type Said = { kind: MessageKind; text: string };
