import { type Account, deliverToAccount } from "./accounts.ts";
import type { Person } from "./people.ts";
import { stanza, unixSeconds } from "./stanza.ts";
import { isGroup, lidJid, numberJid, type World } from "./world.ts";

/** `undefined` is "delivered"; `read` and `played` are the ones people cause. */
export type ReceiptType = "read" | "played" | undefined;

/** How the server names a person: by the hidden id, or by the number, as the world is set. */
export const senderJid = (world: World, person: Person) =>
  world.options.receiptsFrom === "lid" ? lidJid(person.lid) : numberJid(person.phone);

/** A person's phone tells the sender what became of these messages. */
export function sendReceipt(
  world: World,
  account: Account,
  person: Person,
  receipt: { ids: readonly string[]; type?: ReceiptType; group?: string },
): void {
  const [id, ...others] = receipt.ids;
  if (!id) return;
  if (!receipt.group) account.openWith.add(person.phone);
  const items = others.map((other) => stanza("item", { id: other }));
  const attrs = {
    from: receipt.group ?? senderJid(world, person),
    participant: receipt.group && lidJid(person.lid),
    id,
    type: receipt.type,
    t: unixSeconds(world.schedule.now()),
  };
  deliverToAccount(
    account,
    stanza("receipt", attrs, items.length > 0 ? [stanza("list", {}, items)] : undefined),
  );
}

/**
 * The owner of a number reads on the phone: its linked devices are told, `quietly` where the owner lets nobody else know. In a group the
 * messages are of one member.
 */
export function readOnPhone(
  world: World,
  account: Account,
  { chat, ids, by, quietly }: { chat: string; ids: readonly string[]; by: Person; quietly: boolean },
): void {
  const [id, ...others] = ids;
  if (!id) return;
  const group = isGroup(chat);
  const reader = senderJid(world, account.person);
  const attrs = {
    from: group ? chat : reader,
    participant: group ? reader : undefined,
    recipient: senderJid(world, by),
    id,
    type: quietly ? "read-self" : "read",
    t: unixSeconds(world.schedule.now()),
  };
  const items = others.map((other) => stanza("item", { id: other }));
  deliverToAccount(
    account,
    stanza("receipt", attrs, items.length > 0 ? [stanza("list", {}, items)] : undefined),
  );
}

/** A person's phone could not open the message and asks for it once more. */
export function askAgain(world: World, account: Account, person: Person, id: string, count: number): void {
  const t = unixSeconds(world.schedule.now());
  const registration = Buffer.alloc(4);
  registration.writeUInt32BE(person.identity.creds.registrationId);
  const attrs = { from: senderJid(world, person), id, type: "retry", t };
  deliverToAccount(
    account,
    stanza("receipt", attrs, [
      stanza("retry", { count, id, t, v: 1 }),
      stanza("registration", {}, registration),
    ]),
  );
}
