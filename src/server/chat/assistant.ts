import type { z } from "zod";
import type { AgentAnswer } from "../../contract/chats.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import type { StoredMessage } from "./stored-message.ts";

/** The assistant that answers at a connection. */
export type AssistantOf = { name: string; active: boolean; pauseMinutes: number };

/** All that chats know of assistants; the agents' folder brings it about. */
export type Assistant = {
  /** Who is linked to a connection, null without anybody. Also asked inside a running transaction. */
  linkedTo(owner: Owner, connectionId: number): Promise<AssistantOf | null>;
  /**
   * Texts that somebody wrote in direct chats, stored and committed, words of leaving left out. The same message may come again (a
   * delivery repeated after a crash): it is answered once.
   */
  onIncoming(messages: readonly StoredMessage[]): Promise<void>;
  /** A person answered in a chat, on the phone or here; `chat.agent_paused_until` says so already. */
  onHuman(owner: Owner, chatId: number): Promise<void>;
  /** It was switched off in a chat; `chat.agent_off` says so already. */
  onOff(owner: Owner, chatId: number): Promise<void>;
  /**
   * The other side of these chats has left with a word of leaving, in the running transaction that stores it, or learns whose it was:
   * then `before` is its row, and what was asked after it may still be answered.
   */
  onLeft(inside: Owner, left: readonly { chatId: number; before?: number }[]): Promise<void>;
  /** What was done in a chat, newest first. */
  answers(owner: Owner, chatId: number): Promise<z.input<typeof AgentAnswer>[]>;
  /** Two chats turned out to be one person's: what belongs to the one belongs to the other from now on. */
  chatMerged(tx: Db, from: number, into: number): Promise<void>;
};
