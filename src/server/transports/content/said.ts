import type { MessageKind } from "../../../domain/chat.ts";

export type Said = { kind: MessageKind; text: string };
