import type { PhoneError } from "./phone.ts";

/** Digits of a link or an address begin with the country by definition. */
export type Unwrapped = { kind: "text" | "link" | "address"; text: string } | { error: PhoneError };

const LONGEST = 2_000;

const LABELS = new Set(
  (
    "tel telef telefone telefones fone fones phone phones ph mobile cell cellphone cel celular celulares cels movel fixo whatsapp whats whatszap " +
    "zap zapzap wpp wa wats watsapp contato contact numero number num no n nr p t m c f sms ligar ligue call callto res resid residencia " +
    "residencial com coml comercial casa trabalho trab home work principal pessoal particular direto vivo tim claro oi nextel de do da " +
    "ddd app business novo antigo"
  ).split(" "),
);
const SIGN = /[\p{P}\p{S}\p{M}\p{Cf}\s]/gu;
const BEFORE = /^(?:\([^()\d+]{1,60}\)|[^\d+(]){1,60}/u;
const BEHIND = /[^\d)]{1,60}$/u;

const ADDRESS =
  /([\w.:+-]{1,60})@(c\.us|s\.whatsapp\.net|lid|hosted\.lid|hosted|g\.us|newsletter|broadcast|call)\b/i;
const LINK_NUMBER =
  /(?:wa\.me\/|(?:whatsapp\.com|whatsapp:\/{0,2})\/?send\/?\?(?:[^#\s]{0,500}&)?phone=|\/send\/)(?:\+|%2b|%20| )*([\d][\d\s().%-]{5,40})/i;
const LINK = /(?:https?:\/\/|www\.|whatsapp:\/\/|\bwa\.(?:me|link)\/|chat\.whatsapp\.com)/i;
const GROUP = /chat\.whatsapp\.com|whatsapp\.com\/channel/i;
const THOUSANDS = /^\+?\d{1,3}(?:([,.'’])\d{3}(?:\1\d{3}){2,4})(?:[.,]0{1,2})?$/;

/** `text` must be normalized by `plainPhone`. Text without wrapping comes back unchanged. */
export function unwrapPhone(text: string): Unwrapped {
  if (text.length > LONGEST) return { kind: "text", text };
  const address = ADDRESS.exec(text);
  if (address) return addressed(address[1] ?? "", (address[2] ?? "").toLowerCase());
  if (GROUP.test(text)) return { error: "phone_group" };
  const number = LINK_NUMBER.exec(text)?.[1];
  if (number !== undefined) return { kind: "link", text: digitsOf(number.replace(/%20|%2[89d]/gi, " ")) };
  if (LINK.test(text)) return { error: "phone_link" };
  if (THOUSANDS.test(text))
    return { kind: "text", text: text.replace(/[.,]0{1,2}$/, "").replace(/[^\d+]/g, "") };
  return { kind: "text", text: withoutBrackets(withoutLabels(text)) };
}

const digitsOf = (text: string) => text.replace(/\D/g, "");

function addressed(user: string, server: string): Unwrapped {
  if (server.endsWith("lid")) return { error: "phone_hidden_id" };
  if (server !== "c.us" && server !== "s.whatsapp.net" && server !== "hosted")
    return { error: "phone_group" };
  const digits = /^\+?(\d{7,15})(?:[.:]\d{1,5}){0,2}$/.exec(user)?.[1];
  return digits === undefined ? { error: "phone_letters" } : { kind: "address", text: digits };
}

/** `Cel.: (31) 98877-6655 (WhatsApp)` → `(31) 98877-6655`; any other word stays and refuses the number. */
function withoutLabels(text: string): string {
  const before = BEFORE.exec(text)?.[0] ?? "";
  const rest = isLabel(before) ? text.slice(before.length) : text;
  const opened = /\(([^()\d]{1,60})\)\W{0,5}$/u.exec(rest);
  if (opened && isLabel(opened[1] ?? "")) return rest.slice(0, opened.index).trim();
  const behind = BEHIND.exec(rest)?.[0] ?? "";
  return isLabel(behind) ? rest.slice(0, rest.length - behind.length) : rest;
}

function isLabel(text: string): boolean {
  if (/[\u20e3@]/u.test(text)) return false;
  const words = text.normalize("NFD").replace(/\p{M}/gu, "").replace(SIGN, " ").toLowerCase().split(" ");
  return words.every((word) => word === "" || LABELS.has(word));
}

function withoutBrackets(text: string): string {
  return text
    .replace(/[[{<]/g, "(")
    .replace(/[\]}>]/g, ")")
    .replace(/^\(\s*(\+\s*\d{1,3})\s*\)/, "$1 ")
    .replace(/^\((\+?[\d\s.-]+)\)$/, "$1")
    .trim();
}
