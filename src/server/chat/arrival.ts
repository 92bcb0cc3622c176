import type { CleanMessage } from "./incoming.ts";

export type Place = { accountId: string; connectionId: number };

export type Arrival = { chatId: number; message: CleanMessage; imageId: number | null };
