import { failpoint } from "../../base/failpoint.ts";
import type { Accepted } from "../receipts/provider-messages.ts";
import type { Delivered } from "./deliver.ts";
import type { Item } from "./outgoing.ts";

/** The ids that a gateway gives to a lane's messages. */
export type LaneAccepted = {
  /**
   * Resolves when the id is committed: only then may the ledger be told that the message was sent, or a crash would leave a message
   * whose receipts find nobody. Rejects when the database failed.
   */
  store(item: Item, result: Extract<Delivered, { providerId: string }>): Promise<void>;
  /** Those that could not be stored, handed out once. */
  unstored(): Accepted[];
};

/**
 * `write` stores some in one commit. Ids that come while a commit runs share the next one: a gateway's slots answer close together, and
 * a commit for each would make the lane wait for the disk.
 */
export function laneAccepted(write: (accepted: readonly Accepted[]) => Promise<void>): LaneAccepted {
  const failed: Accepted[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let next: { list: Accepted[]; done: Promise<void> } | null = null;

  function batch(): { list: Accepted[]; done: Promise<void> } {
    const list: Accepted[] = [];
    const done = last.then(async () => {
      next = null;
      try {
        await write(list);
      } catch (error) {
        failed.push(...list);
        throw error;
      }
    });
    last = done.catch(() => undefined);
    return { list, done };
  }

  return {
    async store(item, { providerId, at }) {
      next ??= batch();
      next.list.push({ owner: ownerOfItem(item), providerId, at });
      await next.done;
      failpoint("id_stored");
    },
    unstored: () => failed.splice(0),
  };
}

function ownerOfItem(item: Item): Accepted["owner"] {
  if (item.kind === "outbox") return { outboxId: item.message.id };
  const { seq, generation } = item.person;
  return { campaignId: item.campaign.id, seq, generation };
}
