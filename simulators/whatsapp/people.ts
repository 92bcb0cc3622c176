import type { MessageRecord } from "./ledger.ts";
import type { Party, SignalWorld } from "./signal.ts";

/** Milliseconds; null: never. */
export type PersonSettings = {
  onWhatsApp: boolean;
  /** Such as without the ninth digit. */
  registeredAs: string | null;
  deliversAfterMs: number | null;
  readsAfterMs: number | null;
  repliesWith: string | null;
  repliesAfterMs: number;
  /** 463, 479, 500 … */
  refusesWith: number | null;
  name: string | null;
};

export const USUAL_SETTINGS: PersonSettings = {
  onWhatsApp: true,
  registeredAs: null,
  deliversAfterMs: 5,
  readsAfterMs: null,
  repliesWith: null,
  repliesAfterMs: 10,
  refusesWith: null,
  name: null,
};

export type Person = Party & { lid: string; held: MessageRecord[] };

/** Derived, so hundreds of thousands need no table. */
const lidOf = (phone: string) => `7${phone}`;
export const phoneOfLid = (lid: string) => lid.slice(1);

export type People = ReturnType<typeof makePeople>;

/** Created when their keys are first requested. */
export function makePeople(signal: SignalWorld) {
  const people = new Map<string, Person>();
  const own = new Map<string, Partial<PersonSettings>>();
  let usual = { ...USUAL_SETTINGS };

  function settingsOf(phone: string): PersonSettings {
    const changed = own.get(phone);
    return changed ? { ...usual, ...changed } : usual;
  }
  function make(phone: string, ownIdentity: boolean): Person {
    const identity = ownIdentity ? signal.ownIdentity() : signal.pooledIdentity(phone);
    const person: Person = { phone, lid: lidOf(phone), identity, held: [] };
    people.set(phone, person);
    return person;
  }

  return {
    get size() {
      return people.size;
    },
    settingsOf,
    lidOf,
    setUsual(settings: Partial<PersonSettings>): void {
      usual = { ...usual, ...settings };
    },
    set(phone: string, settings: Partial<PersonSettings>): void {
      own.set(phone, { ...own.get(phone), ...settings });
    },
    registeredNumber(phone: string): string | null {
      const settings = settingsOf(phone);
      if (!settings.onWhatsApp) return null;
      return settings.registeredAs ?? phone;
    },
    nameOf: (phone: string) => settingsOf(phone).name ?? `Contato ${phone.slice(-4)}`,
    get: (phone: string): Person => people.get(phone) ?? make(phone, false),
    find: (phone: string): Person | undefined => people.get(phone),
    /** A phone that links devices signs for them, so its identity must not be shared. */
    getAsPhoneOwner(phone: string): Person {
      const held = people.get(phone)?.held ?? [];
      const person = make(phone, true);
      person.held = held;
      return person;
    },
    forgetMessages(): void {
      for (const person of people.values()) person.held = [];
      own.clear();
      usual = { ...USUAL_SETTINGS };
    },
    reset: () => people.clear(),
  };
}
