import type { BroughtFile } from "./brought-file.ts";
import type { CleanMessage } from "./incoming.ts";

export type Place = { accountId: string; connectionId: number };

export type Arrival = { chatId: number; message: CleanMessage; brought: BroughtFile | null };
