import type { FieldError } from "../../contract/error-messages.ts";
import { cleanName, NAME_LIMIT } from "../../domain/contact-name.ts";
import { readPhone } from "../../domain/phone-foreign.ts";

type Typed = { name: string; phone: string };
export type ReadPerson = { contact: Typed; ninthAdded: boolean };

export type InputErrors = Record<string, FieldError>;

/** Both are required. */
export function readNewPerson({ name, phone }: Typed): ReadPerson | { errors: InputErrors } {
  const read = readPersonName(name);
  const number = readPhone(phone);
  const errors: InputErrors = {};
  if ("error" in read) errors.name = read.error;
  else if (read.name === "") errors.name = "required";
  if ("error" in number) errors.phone = number.error === "phone_missing" ? "required" : number.error;
  if ("error" in read || "error" in number || read.name === "") return { errors };
  return { contact: { name: read.name, phone: number.phone }, ninthAdded: number.ninthAdded };
}

export function readPersonName(text: string): { name: string } | { error: FieldError } {
  const read = cleanName(text);
  if ("name" in read) return read;
  return { error: read.error === "row_bad_text" ? "invalid_text" : { code: "too_long", n: NAME_LIMIT } };
}

/** Digits of a person that is known mean that person: read alone, those of Peru may be a number of Porto Alegre. */
export function readPhoneOf(
  known: readonly string[],
  typed: string,
): { phone: string } | { error: FieldError } {
  const digits = known.find((phone) => phone === typed.trim());
  if (digits !== undefined) return { phone: digits };
  const number = readPhone(typed);
  if ("phone" in number) return { phone: number.phone };
  return { error: number.error === "phone_missing" ? "required" : number.error };
}
