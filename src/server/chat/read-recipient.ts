import type { PhoneReading } from "../../domain/phone-foreign.ts";
import type { Owner } from "../db/owner.ts";
import { readRecipient as readPhone } from "../sending/sending.ts";
import { hasAnyChat } from "./numbers.ts";

/** Reads a typed phone; digits of a known foreign person mean that person. */
export function readRecipient(owner: Owner, typed: string): Promise<PhoneReading> {
  return readPhone(owner, typed, hasAnyChat(owner));
}
