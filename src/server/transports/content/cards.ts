import { canonicalPhone } from "../../../domain/chat-id.ts";
import { brazilianPhone } from "../../../domain/phone.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import type { ContactCard } from "../transport.ts";
import { lines, listAt } from "./lines.ts";
import { cleanText, textAt } from "./own-values.ts";

const CARD_MOST = 65_536;
const LINE_MOST = 1_000;

export const cardsText = (cards: readonly ContactCard[]): string => lines(...cards.map(cardText));

function cardText({ name, phones, others }: ContactCard): string {
  const reached = [...phones.map(formatPhone), ...others].filter((one) => one !== name);
  return [name, reached.join(", ")].filter((part) => part !== "").join(": ");
}

const NAME_MOST = 120;
const REACHED_MOST = 20;

export function readCard(card: unknown): ContactCard {
  const fields = fieldsOf(textAt(card, "vcard") ?? "");
  const name = textAt(card, "displayName") ?? fields.get("FN")?.[0]?.value ?? "";
  const numbers = (fields.get("TEL") ?? []).slice(0, REACHED_MOST).map(phoneOf);
  const mails = (fields.get("EMAIL") ?? []).slice(0, REACHED_MOST).map(({ value }) => value);
  const phones = numbers.filter((one) => PHONE.test(one));
  const others = [...numbers.filter((one) => !PHONE.test(one)), ...mails];
  return {
    name: cleanText(name.trim(), NAME_MOST),
    phones: [...new Set(phones)],
    others: [...new Set(others.map((one) => cleanText(one, NAME_MOST)))].filter((one) => one !== ""),
  };
}

export function readCards(message: unknown): ContactCard[] {
  const cards = listAt(message, "contacts").map(readCard);
  if (cards.length > 0) return cards;
  const name = textAt(message, "displayName");
  return name === null ? [] : [{ name: cleanText(name, NAME_MOST), phones: [], others: [] }];
}

const PHONE = /^\d{8,15}$/;

type Field = { params: string; value: string };

function fieldsOf(vcard: string): Map<string, Field[]> {
  const fields = new Map<string, Field[]>();
  const unfolded = vcard.slice(0, CARD_MOST).replace(/\r?\n[ \t]/g, "");
  for (const line of unfolded.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 0 || line.length > LINE_MOST) continue;
    const [name = "", ...params] = line.slice(0, colon).split(";");
    const plain = name.slice(name.indexOf(".") + 1).toUpperCase();
    const field = { params: params.join(";"), value: unescaped(line.slice(colon + 1)) };
    fields.set(plain, [...(fields.get(plain) ?? []), field]);
  }
  return fields;
}

const unescaped = (value: string) => value.replace(/\\([\\,;:])/g, "$1").trim();

function phoneOf({ params, value }: Field): string {
  const id = /(?:^|;)waid=(\d{8,15})(?:;|$)/i.exec(params)?.[1];
  if (id) return canonicalPhone(id);
  const typed = value.replace(/^tel:/i, "");
  const here = Math.abs(brazilianPhone(typed));
  if (here !== 0) return String(here);
  const digits = typed.replace(/\D/g, "");
  return typed.startsWith("+") && PHONE.test(digits) ? canonicalPhone(digits) : typed;
}
