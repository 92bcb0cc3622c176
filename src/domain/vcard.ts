/** vCard 2.1 to 4.0, as phones export it (RFC 6350, RFC 2426). */

export type VCard = {
  name: string;
  phones: readonly string[];
  email: string;
  company: string;
};

const LONGEST_LINE = 64 * 1024;

type Property = { name: string; params: readonly string[]; value: string };

export class VCardReader {
  readonly #onCard: (card: VCard) => void;
  #rest = "";
  #line: string | null = null;
  #properties: Property[] | null = null;
  #depth = 0;

  constructor(onCard: (card: VCard) => void) {
    this.#onCard = onCard;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    if (this.#rest.length > LONGEST_LINE) this.#rest = this.#rest.slice(0, LONGEST_LINE);
  }

  end(): void {
    this.#take(this.#rest.replace(/\r$/, ""));
    this.#rest = "";
    this.#finishLine();
    this.#finishCard();
  }

  #take(line: string): void {
    const open = this.#line;
    if (open !== null && /^[ \t]/.test(line)) this.#line = joined(open, line.slice(1));
    else if (open?.endsWith("=") && isQuotedPrintable(open)) this.#line = joined(open.slice(0, -1), line);
    else {
      this.#finishLine();
      this.#line = line.slice(0, LONGEST_LINE);
    }
  }

  #finishLine(): void {
    const property = propertyOf(this.#line ?? "");
    this.#line = null;
    if (!property) return;
    const { name, value } = property;
    if (name === "BEGIN" && value.trim().toUpperCase() === "VCARD") {
      if (this.#properties === null) this.#properties = [];
      else this.#depth++;
    } else if (name === "END" && this.#properties !== null) {
      if (this.#depth === 0) this.#finishCard();
      else this.#depth--;
    } else if (this.#depth === 0) this.#properties?.push(property);
  }

  #finishCard(): void {
    if (this.#properties !== null) this.#onCard(cardOf(this.#properties));
    this.#properties = null;
    this.#depth = 0;
  }
}

const joined = (line: string, more: string) =>
  line.length + more.length > LONGEST_LINE ? line : line + more;

const isQuotedPrintable = (line: string) => /^[^:]{0,200}quoted-printable[^:]{0,200}:/i.test(line);

const WANTED = new Set(["BEGIN", "END", "FN", "N", "ORG", "TEL", "EMAIL"]);

function propertyOf(line: string): Property | null {
  const colon = line.indexOf(":");
  if (colon === -1) return null;
  const [full = "", ...params] = line.slice(0, colon).split(";");
  const name = full
    .slice(full.lastIndexOf(".") + 1)
    .trim()
    .toUpperCase();
  if (!WANTED.has(name)) return null;
  const value = line.slice(colon + 1);
  return { name, params, value: isQuotedPrintable(line) ? fromQuotedPrintable(value, params) : value };
}

function fromQuotedPrintable(value: string, params: readonly string[]): string {
  const bytes: number[] = [];
  for (let at = 0; at < value.length; at++) {
    const hex = value[at] === "=" ? /^[\dA-F]{2}/i.exec(value.slice(at + 1, at + 3))?.[0] : undefined;
    if (hex === undefined) bytes.push(...new TextEncoder().encode(value[at]));
    else {
      bytes.push(Number.parseInt(hex, 16));
      at += 2;
    }
  }
  const isLatin = params.some((param) => /charset=.*(?:8859|1252)/i.test(param));
  return new TextDecoder(isLatin ? "windows-1252" : "utf-8").decode(Uint8Array.from(bytes));
}

const ESCAPED = /\\([\\;,nN])/g;
const plain = (text: string) =>
  text.replace(ESCAPED, (_, sign: string) => (sign === "n" || sign === "N" ? " " : sign)).trim();
const partsOf = (value: string) => value.split(/(?<!\\);/).map(plain);

function cardOf(properties: readonly Property[]): VCard {
  const first = (name: string) =>
    properties.find((property) => property.name === name && property.value.trim() !== "");
  const phones = properties.filter(({ name }) => name === "TEL").map(phoneOf);
  const company = partsOf(first("ORG")?.value ?? "")[0] ?? "";
  return {
    name: plain(first("FN")?.value ?? "") || structured(first("N")?.value ?? "") || company,
    phones: phones
      .filter(({ rank, text }) => rank !== FAX && text !== "")
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ text }) => text),
    email: plain(first("EMAIL")?.value ?? ""),
    company,
  };
}

function structured(value: string): string {
  const [family = "", given = "", middle = "", prefix = ""] = partsOf(value);
  return [prefix, given, middle, family].filter((part) => part !== "").join(" ");
}

const FAX = 9;

function phoneOf({ params, value }: Property): { text: string; rank: number } {
  const types = params.join(";").toUpperCase();
  const whatsapp = /WAID=(\d{7,15})/.exec(types)?.[1];
  const text = whatsapp === undefined ? plain(value) : `+${whatsapp}`;
  if (/\b(FAX|PAGER)\b/.test(types)) return { text, rank: FAX };
  return { text, rank: whatsapp !== undefined ? 0 : /\b(CELL|MOBILE|IPHONE)\b/.test(types) ? 1 : 2 };
}
