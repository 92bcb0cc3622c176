import { canonicalPhone } from "../../../domain/chat-id.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { lines, listAt } from "./lines.ts";
import { textAt } from "./own-values.ts";

const CARD_MOST = 65_536;
const LINE_MOST = 1_000;

export function cardText(card: unknown): string {
  const fields = fieldsOf(textAt(card, "vcard") ?? "");
  const name = textAt(card, "displayName") ?? fields.get("FN")?.[0]?.value ?? "";
  const phones = (fields.get("TEL") ?? []).map(phoneOf);
  const mails = (fields.get("EMAIL") ?? []).map(({ value }) => value);
  const reached = [...new Set([...phones, ...mails])].filter((one) => one !== "" && one !== name).join(", ");
  return [name.trim(), reached].filter((part) => part !== "").join(": ");
}

export function cardsText(message: unknown): string {
  const cards = listAt(message, "contacts").map(cardText);
  return lines(...cards) || (textAt(message, "displayName") ?? "");
}

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
  if (id) return formatPhone(canonicalPhone(id));
  const typed = value.replace(/^tel:/i, "");
  const digits = typed.replace(/\D/g, "");
  return typed.startsWith("+") && /^\d{8,15}$/.test(digits) ? formatPhone(canonicalPhone(digits)) : typed;
}
