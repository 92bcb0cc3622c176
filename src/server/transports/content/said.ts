import type { MessageKind } from "../../../domain/chat.ts";

import type { MessageDetails } from "../transport.ts";

export type Said = { kind: MessageKind; text: string; details?: MessageDetails };
