import type { z } from "zod";
import type { AgentAnswer } from "../../contract/chats.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { StoredMessage } from "./stored-message.ts";

export type AssistantOf = { name: string; active: boolean; pauseMinutes: number };

export type Assistant = {
  /** Also called inside a transaction. */
  linkedTo(owner: Owner, connectionId: number): Promise<AssistantOf | null>;
  /** Committed direct texts, without opt-out words. A repeat after a crash is answered once. */
  onIncoming(messages: readonly StoredMessage[]): Promise<void>;
  onHuman(owner: Owner, chatId: number): Promise<void>;
  onOff(owner: Owner, chatId: number): Promise<void>;
  /**
   * In the opt-out's transaction. `before`: row of a late opt-out; questions after it may still be answered.
   */
  onLeft(inside: Owner, left: readonly { chatId: number; before?: number }[]): Promise<void>;
  answers(owner: Owner, chatId: number): Promise<z.input<typeof AgentAnswer>[]>;
  chatMerged(tx: Db, from: number, into: number): Promise<void>;
};
