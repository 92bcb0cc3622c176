import { type Account, deliverToAccount } from "./accounts.ts";
import type { Person } from "./people.ts";
import { stanza, unixSeconds } from "./stanza.ts";
import { isGroup, lidJid, numberJid, type World } from "./world.ts";

/** `undefined` means delivered. */
export type ReceiptType = "read" | "played" | undefined;

export const senderJid = (world: World, person: Person) =>
  world.options.receiptsFrom === "lid" ? lidJid(person.lid) : numberJid(person.phone);

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

/** `quietly`: read receipts are off. */
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
