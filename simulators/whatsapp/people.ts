import type { MessageRecord } from "./ledger.ts";
import type { Party, SignalWorld } from "./signal.ts";

/** How a simulated person behaves. Times are milliseconds; null means never. */
export type PersonSettings = {
  onWhatsApp: boolean;
  /** The number WhatsApp answers for this one, for example without the ninth digit. */
  registeredAs: string | null;
  deliversAfterMs: number | null;
  readsAfterMs: number | null;
  repliesWith: string | null;
  repliesAfterMs: number;
  /** Messages to this person are refused with this code (463, 479, 500 …). */
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

/** A phone on WhatsApp: its Signal identity and the messages its screen shows, oldest first. */
export type Person = Party & { lid: string; held: MessageRecord[] };

/** Hidden ids are derived from the number, so that hundreds of thousands need no table. */
const lidOf = (phone: string) => `7${phone}`;
export const phoneOfLid = (lid: string) => lid.slice(1);

export type People = ReturnType<typeof makePeople>;

/** Everybody with a phone. A person exists from the moment somebody asks for the keys of the number. */
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
    /** Changes how everybody behaves who has no setting of their own for it. */
    setUsual(settings: Partial<PersonSettings>): void {
      usual = { ...usual, ...settings };
    },
    set(phone: string, settings: Partial<PersonSettings>): void {
      own.set(phone, { ...own.get(phone), ...settings });
    },
    /** The number under which WhatsApp knows this one, or null when it does not. */
    registeredNumber(phone: string): string | null {
      const settings = settingsOf(phone);
      if (!settings.onWhatsApp) return null;
      return settings.registeredAs ?? phone;
    },
    nameOf: (phone: string) => settingsOf(phone).name ?? `Contato ${phone.slice(-4)}`,
    /** The person behind a registered number. */
    get: (phone: string): Person => people.get(phone) ?? make(phone, false),
    /** Someone who was met already, without making them up. */
    find: (phone: string): Person | undefined => people.get(phone),
    /** A number that links devices signs for them, so it needs an identity nobody shares. */
    getAsPhoneOwner(phone: string): Person {
      const held = people.get(phone)?.held ?? [];
      const person = make(phone, true);
      person.held = held;
      return person;
    },
    /** Empties every screen and takes back every setting; who a person is stays. */
    forgetMessages(): void {
      for (const person of people.values()) person.held = [];
      own.clear();
      usual = { ...USUAL_SETTINGS };
    },
    reset: () => people.clear(),
  };
}
