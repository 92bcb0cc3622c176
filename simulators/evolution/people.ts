import { digitsOf, LID, USER } from "./jid.ts";

/** Milliseconds after the send; null: never. */
export type PersonSettings = {
  name: string | null;
  onWhatsApp: boolean;
  /** Default: by area code, as in reality. */
  ninthDigit: boolean | null;
  lid: string | null;
  /** Real gateways post it; the recorded one did not. */
  serverAckMs: number | null;
  deliveredMs: number | null;
  readMs: number | null;
  /** Refused with 463: the gateway still answers 201. */
  refused: boolean;
  receiptsAsLid: boolean;
  repliesWith: string | null;
  repliesMs: number;
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

/** `phone` has the ninth digit; `jid` is WhatsApp's form. */
export type Person = PersonSettings & { phone: string; jid: string; lidJid: string; name: string };

const MOBILE = /^55([1-9][1-9])9?([6-9]\d{7})$/;
/** From here on WhatsApp keeps numbers without the ninth digit. */
const FIRST_WITHOUT_NINTH = 31;

export function wholeNumber(digits: string): string {
  const parts = MOBILE.exec(digits);
  return parts ? `55${parts[1]}9${parts[2]}` : digits;
}

function isPossible(phone: string): boolean {
  if (phone.startsWith("55")) return /^55[1-9][1-9]\d{8,9}$/.test(phone) && !/^55..0/.test(phone);
  return /^[1-9]\d{9,14}$/.test(phone);
}

export type People = ReturnType<typeof makePeople>;

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
    set({ phone, ...settings }: { phone: string } & Partial<PersonSettings>): Person {
      const whole = wholeNumber(phone);
      own.set(whole, { ...own.get(whole), ...settings });
      if (settings.lid) byLid.set(settings.lid, whole);
      return person(whole);
    },
    setUsual(settings: Partial<PersonSettings>): void {
      usual = { ...usual, ...settings };
    },
    person: (phone: string): Person => person(wholeNumber(phone)),
    hasOwnLid: (phone: string): boolean => own.get(phone)?.lid != null,
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
