import type { z } from "zod";
import type { AgentAnswer } from "../../contract/chats.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { StoredMessage } from "./stored-message.ts";

export type AssistantOf = { name: string; active: boolean; pauseMinutes: number };

/** Implemented by the agents' folder. */
export type Assistant = {
  /** Also called inside a transaction. */
  linkedTo(owner: Owner, connectionId: number): Promise<AssistantOf | null>;
  /** Committed direct texts, without opt-out words. A repeat after a crash is answered once. */
  onIncoming(messages: readonly StoredMessage[]): Promise<void>;
  /** `chat.agent_paused_until` is already set. */
  onHuman(owner: Owner, chatId: number): Promise<void>;
  /** `chat.agent_off` is already set. */
  onOff(owner: Owner, chatId: number): Promise<void>;
  /**
   * In the opt-out's transaction. `before`: row of a late opt-out; questions after it may still be answered.
   */
  onLeft(inside: Owner, left: readonly { chatId: number; before?: number }[]): Promise<void>;
  answers(owner: Owner, chatId: number): Promise<z.input<typeof AgentAnswer>[]>;
  chatMerged(tx: Db, from: number, into: number): Promise<void>;
};
