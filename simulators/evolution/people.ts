import { digitsOf, LID, USER } from "./jid.ts";

/** How a person behaves towards what is sent to them. Times are milliseconds after the sending; null is never. */
export type PersonSettings = {
  name: string | null;
  onWhatsApp: boolean;
  /** Whether WhatsApp knows this Brazilian mobile with its ninth digit. By area code if not said, as in reality. */
  ninthDigit: boolean | null;
  /** The hidden id, digits only. Made of the number if not said. */
  lid: string | null;
  /** Real gateways post this one; the recorded one did not. */
  serverAckMs: number | null;
  deliveredMs: number | null;
  readMs: number | null;
  /** WhatsApp refuses what is sent (463): the gateway still answers 201, and an ERROR may follow. */
  refused: boolean;
  /** Receipts name the hidden id instead of the number. */
  receiptsAsLid: boolean;
  /** Answers every message with this. */
  repliesWith: string | null;
  repliesMs: number;
  /** Whether there is a profile picture. */
  picture: boolean;
};

const USUAL: PersonSettings = {
  name: null,
  onWhatsApp: true,
  ninthDigit: null,
  lid: null,
  serverAckMs: null,
  deliveredMs: 5,
  readMs: null,
  refused: false,
  receiptsAsLid: false,
  repliesWith: null,
  repliesMs: 10,
  picture: false,
};

/** `phone` is the whole number with the ninth digit, the key of everything; `jid` is WhatsApp's own form. */
export type Person = PersonSettings & { phone: string; jid: string; lidJid: string; name: string };

const MOBILE = /^55([1-9][1-9])9?([6-9]\d{7})$/;
/** In the area codes from 31 on, WhatsApp keeps numbers as they were before the ninth digit came. */
const FIRST_WITHOUT_NINTH = 31;

/** One form of a number for both: Brazilian mobiles get their ninth digit. */
export function wholeNumber(digits: string): string {
  const parts = MOBILE.exec(digits);
  return parts ? `55${parts[1]}9${parts[2]}` : digits;
}

function isPossible(phone: string): boolean {
  if (phone.startsWith("55")) return /^55[1-9][1-9]\d{8,9}$/.test(phone) && !/^55..0/.test(phone);
  return /^[1-9]\d{9,14}$/.test(phone);
}

export type People = ReturnType<typeof makePeople>;

/** Everybody with a phone. Every possible number is a person unless something else was said. */
export function makePeople() {
  let usual = USUAL;
  const own = new Map<string, Partial<PersonSettings>>();
  const byLid = new Map<string, string>();

  function person(phone: string): Person {
    const settings = { ...usual, ...own.get(phone) };
    const parts = MOBILE.exec(phone);
    const ninth = settings.ninthDigit ?? Number(parts?.[1]) < FIRST_WITHOUT_NINTH;
    const jid = (parts && !ninth ? `55${parts[1]}${parts[2]}` : phone) + USER;
    const name = settings.name ?? `Contato ${phone.slice(-4)}`;
    return { ...settings, name, phone, jid, lidJid: (settings.lid ?? `7${phone}`) + LID };
  }

  return {
    /** Says how one person behaves; what is not named stays. Either form of the number. */
    set({ phone, ...settings }: { phone: string } & Partial<PersonSettings>): Person {
      const whole = wholeNumber(phone);
      own.set(whole, { ...own.get(whole), ...settings });
      if (settings.lid) byLid.set(settings.lid, whole);
      return person(whole);
    },
    /** … and everybody of whom nothing else was said. */
    setUsual(settings: Partial<PersonSettings>): void {
      usual = { ...usual, ...settings };
    },
    person: (phone: string): Person => person(wholeNumber(phone)),
    hasOwnLid: (phone: string): boolean => own.get(phone)?.lid != null,
    /** Who is behind an address or a number, or null when WhatsApp knows nobody there. */
    find(address: string): Person | null {
      const digits = digitsOf(address);
      const isLid = address.endsWith(LID);
      const phone = isLid ? (byLid.get(digits) ?? digits.replace(/^7/, "")) : wholeNumber(digits);
      if (!isPossible(phone)) return null;
      const found = person(phone);
      return found.onWhatsApp ? found : null;
    },
  };
}
