import { failpoint } from "../../base/failpoint.ts";
import type { Accepted } from "../receipts/provider-messages.ts";
import type { Delivered } from "./deliver.ts";
import type { Item } from "./outgoing.ts";

export type LaneAccepted = {
  /**
   * Resolves when the id is committed; only then may the ledger record the message as sent, or a crash leaves
   * receipts without a message. Rejects on database errors.
   */
  store(item: Item, result: Extract<Delivered, { providerId: string }>): Promise<void>;
  unstored(): Accepted[];
};

/**
 * `write` commits a batch; ids that arrive during a commit share the next. One commit per id would make the
 * lane wait for the disk.
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
