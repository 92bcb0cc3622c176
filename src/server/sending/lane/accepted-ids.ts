import { failpoint } from "../../base/failpoint.ts";
import type { Accepted } from "../receipts/provider-messages.ts";
import type { WentOut } from "./delivered.ts";
import type { Recipient } from "./recipient.ts";

type Batch = { list: Accepted[]; done: Promise<void> };

/**
 * Stores the ids that a gateway gave. Ids that arrive during a commit share the next one: one commit per id
 * would make the lane wait for the disk.
 */
export class AcceptedIds {
  readonly #write: (accepted: readonly Accepted[]) => Promise<void>;
  readonly #failed: Accepted[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #next: Batch | null = null;

  constructor(write: (accepted: readonly Accepted[]) => Promise<void>) {
    this.#write = write;
  }

  /**
   * Resolves when the id is committed; only then may the ledger record the message as sent, or a crash leaves
   * receipts without a message. Rejects on database errors.
   */
  async store(recipient: Recipient, { providerId, at, part = 0 }: WentOut): Promise<void> {
    this.#next ??= this.#openBatch();
    this.#next.list.push({ owner: ownerOfId(recipient, part), providerId, at });
    await this.#next.done;
    failpoint("id_stored");
  }

  /** Ids whose commit failed, once. */
  unstored(): Accepted[] {
    return this.#failed.splice(0);
  }

  #openBatch(): Batch {
    const list: Accepted[] = [];
    const done = this.#last.then(() => this.#writeBatch(list));
    this.#last = done.catch(() => undefined);
    return { list, done };
  }

  async #writeBatch(list: Accepted[]): Promise<void> {
    this.#next = null;
    try {
      await this.#write(list);
    } catch (error) {
      this.#failed.push(...list);
      throw error;
    }
  }
}

function ownerOfId(recipient: Recipient, part: number): Accepted["owner"] {
  if (recipient.kind === "direct") return { outboxId: recipient.message.id };
  const { seq, generation } = recipient.person;
  return { campaignId: recipient.campaign.id, seq, generation, part };
}
