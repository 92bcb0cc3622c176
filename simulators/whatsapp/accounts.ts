import type { BinaryNode } from "baileys";
import type { People, Person } from "./people.ts";
import type { KeyBundle } from "./signal.ts";

/** The oldest are dropped, as WhatsApp does after weeks. */
const OUTBOX_LIMIT = 100_000;

export type DeviceLine = { ready: boolean; send(node: BinaryNode): void; endWith(node: BinaryNode): void };

export type Device = {
  id: number;
  noiseKey: Buffer;
  keys: Omit<KeyBundle, "preKey">;
  preKeys: { keyId: number; publicKey: Uint8Array }[];
  session?: DeviceLine;
  outbox: Outbox;
};

/** Restriction on new chats, in Unix seconds; `endless`: active, and WhatsApp names no end. */
export type Timelock = { until: number; kind: string; endless?: boolean };

/** New chats of a cycle; `until` in Unix seconds. */
export type Quota = { total: number; used: number; until: number; begun: Set<string> };

export type Account = {
  phone: string;
  lid: string;
  person: Person;
  devices: Map<number, Device>;
  lastDeviceId: number;
  /** People who wrote or got a message; a restriction does not apply to them. */
  openWith: Set<string>;
  timelock: Timelock | null;
  quota: Quota | null;
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
        quota: null,
      };
      accounts.set(phone, account);
      return account;
    },
    forgetMessages(): void {
      for (const account of accounts.values()) {
        account.openWith.clear();
        account.timelock = null;
        account.quota = null;
        for (const device of account.devices.values()) device.outbox.clear();
      }
    },
    reset: () => accounts.clear(),
  };
}

export type Outbox = ReturnType<typeof makeOutbox>;

function outboxKey(tag: string, id: string, type = "", participant = ""): string {
  return tag === "message" ? `message ${id}` : `${tag} ${id} ${type} ${participant}`;
}

/** Unacknowledged stanzas are sent again at the next login, marked offline, so a `kill -9` loses nothing. */
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
    /** A message is acknowledged by receipt or ack, everything else by ack. */
    taken(tag: string, id: string, type?: string, participant?: string): void {
      waiting.delete(outboxKey(tag, id, type, participant));
    },
    all: (): BinaryNode[] => [...waiting.values()],
    clear: () => waiting.clear(),
  };
}

export function deliverToAccount(account: Account, node: BinaryNode): void {
  for (const device of account.devices.values()) deliverToDevice(device, node);
}

export function deliverToDevice(device: Device, node: BinaryNode): void {
  device.outbox.add(node);
  if (device.session?.ready) device.session.send(node);
}
