import type { BinaryNode } from "baileys";
import type { People, Person } from "./people.ts";
import type { KeyBundle } from "./signal.ts";

/** Stanzas kept for a device that is away; the oldest fall off, as they do after weeks on WhatsApp. */
const OUTBOX_LIMIT = 100_000;

/** The socket over which a device is reached while it is logged in. */
export type DeviceLine = { ready: boolean; send(node: BinaryNode): void; endWith(node: BinaryNode): void };

/** A linked device: the client under test, as the server knows it. */
export type Device = {
  id: number;
  noiseKey: Buffer;
  keys: Omit<KeyBundle, "preKey">;
  preKeys: { keyId: number; publicKey: Uint8Array }[];
  session?: DeviceLine;
  outbox: Outbox;
};

/** A number that links devices, and the phone that owns it. */
export type Account = {
  phone: string;
  lid: string;
  person: Person;
  devices: Map<number, Device>;
  lastDeviceId: number;
  /** People who wrote to this number, or got a message of its delivered: a time-lock refuses only the others. */
  openWith: Set<string>;
  /** Time-lock of this number: it may not start new chats until then (Unix seconds). */
  timelock: { until: number; kind: string; endless?: boolean } | null;
};

export type Accounts = ReturnType<typeof makeAccounts>;

export function makeAccounts(people: People) {
  const accounts = new Map<string, Account>();
  return {
    find: (phone: string): Account | undefined => accounts.get(phone),
    all: (): IterableIterator<Account> => accounts.values(),
    getOrMake(phone: string): Account {
      const known = accounts.get(phone);
      if (known) return known;
      const person = people.getAsPhoneOwner(phone);
      const account: Account = {
        phone,
        lid: person.lid,
        person,
        devices: new Map(),
        lastDeviceId: 0,
        openWith: new Set(),
        timelock: null,
      };
      accounts.set(phone, account);
      return account;
    },
    /** Nothing waits for a device any more, and no number is time-locked. */
    forgetMessages(): void {
      for (const account of accounts.values()) {
        account.openWith.clear();
        account.timelock = null;
        for (const device of account.devices.values()) device.outbox.clear();
      }
    },
    reset: () => accounts.clear(),
  };
}

export type Outbox = ReturnType<typeof makeOutbox>;

/** What an acknowledgement names again. Message ids are unique; one id gets several receipts. */
function outboxKey(tag: string, id: string, type = "", participant = ""): string {
  return tag === "message" ? `message ${id}` : `${tag} ${id} ${type} ${participant}`;
}

/**
 * Stanzas for one device until it acknowledges them. What was sent and not acknowledged when the process
 * died is sent again at the next login, marked as offline; so nothing is lost to a `kill -9`.
 */
export function makeOutbox() {
  const waiting = new Map<string, BinaryNode>();
  return {
    get size() {
      return waiting.size;
    },
    add(node: BinaryNode): void {
      const { id = "", type, participant } = node.attrs;
      waiting.set(outboxKey(node.tag, id, type, participant), node);
      if (waiting.size <= OUTBOX_LIMIT) return;
      for (const oldest of waiting.keys()) {
        waiting.delete(oldest);
        break;
      }
    },
    /** The client has taken it: a message by a receipt or an ack, everything else by an ack. */
    taken(tag: string, id: string, type?: string, participant?: string): void {
      waiting.delete(outboxKey(tag, id, type, participant));
    },
    all: (): BinaryNode[] => [...waiting.values()],
    clear: () => waiting.clear(),
  };
}

/** Hands a stanza to every device of the number, now or at its next login. */
export function deliverToAccount(account: Account, node: BinaryNode): void {
  for (const device of account.devices.values()) deliverToDevice(device, node);
}

/** Hands a stanza to one device, now or at its next login. */
export function deliverToDevice(device: Device, node: BinaryNode): void {
  device.outbox.add(node);
  if (device.session?.ready) device.session.send(node);
}
