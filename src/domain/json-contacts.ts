import {
  furtherNames,
  isAreaCodeHeader,
  isCountryCodeHeader,
  isNameHeader,
  isPhoneHeader,
  joinedName,
  phoneColumns,
} from "./csv-header.ts";
import { AppError } from "./errors.ts";
import { jsonFault } from "./json-fault.ts";
import { countFurther, lacksItsCode } from "./split-phone.ts";

/** One element of a pasted list, `phone` as text; `fault` when it can hold no contact. */
export type JsonRow = {
  name: string;
  phone: string;
  fault: "row_not_object" | "row_phone_type" | "row_split_phone" | null;
};

/**
 * The list in pasted JSON, or in a value that was JSON already. Throws `json_invalid` with line and column, `json_not_a_list` for
 * anything but a list that holds objects.
 */
export function parseJsonList(contacts: unknown): unknown[] {
  const value = typeof contacts === "string" ? parse(contacts) : contacts;
  if (!Array.isArray(value) || !value.some(isObject)) throw new AppError("json_not_a_list");
  return value;
}

function parse(text: string): unknown {
  const json = text.replace(/^\ufeff/, "");
  try {
    return JSON.parse(json);
  } catch {
    throw new AppError("json_invalid", jsonFault(json) ?? { line: 1, column: 1 });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SAMPLE_ELEMENTS = 50;

/** Throws `import_split_phone` when phones would be read without the code that stands under a key of its own. */
export function refuseSplitKeys(list: readonly unknown[]): void {
  for (const item of list.slice(0, SAMPLE_ELEMENTS)) {
    if (readJsonRow(item).fault !== "row_split_phone" || !isObject(item)) continue;
    throw new AppError("import_split_phone", { columns: codeKeys(item).join(", ").slice(0, 100) });
  }
}

const isCodeKey = (key: string) => isCountryCodeHeader(key) || (isAreaCodeHeader(key) && !isPhoneHeader(key));

const codeKeys = (item: Record<string, unknown>) => Object.keys(item).filter(isCodeKey);

/** True when the element's phone is not whole without the codes under other keys. */
function isSplit(item: Record<string, unknown>, phone: string): boolean {
  const keys = codeKeys(item);
  if (keys.length === 0) return false;
  const under = (is: (key: string) => boolean) => text(item[keys.find(is) ?? ""]);
  return lacksItsCode({ phone, country: under(isCountryCodeHeader), area: under(isAreaCodeHeader) });
}

/** Reads one element; its keys go by the same names as a file's columns. */
export function readJsonRow(item: unknown): JsonRow {
  if (!isObject(item)) return { name: "", phone: shown(item), fault: "row_not_object" };
  // Own keys only, and only read: a key such as __proto__ is a name like any other.
  const keys = Object.keys(item);
  const nameKey = keys.includes("name") ? "name" : keys.find(isNameHeader);
  const name = joinedName(
    text(nameKey === undefined ? "" : item[nameKey]),
    furtherNames(keys, nameKey === undefined ? -1 : keys.indexOf(nameKey)).map((at) =>
      text(item[keys[at] ?? ""]),
    ),
  );
  const phone = keys.includes("phone") ? item.phone : phoneIn(item, keys);
  // A number beyond 2^53 has already lost digits.
  const isWritten = typeof phone === "string" || (typeof phone === "number" && Number.isSafeInteger(phone));
  if (!isWritten) return { name, phone: shown(phone), fault: "row_phone_type" };
  return { name, phone: String(phone), fault: isSplit(item, String(phone)) ? "row_split_phone" : null };
}

const text = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** How many phones of an element are neither its contact's nor the same once more. */
export function furtherJsonPhones(item: unknown): number {
  if (!isObject(item)) return 0;
  const keys = Object.keys(item);
  const columns = phoneColumns(keys);
  if (columns.length < 2) return 0;
  const phones = columns.map((at) => text(item[keys[at] ?? ""]));
  return countFurther(readJsonRow(item).phone, phones);
}

/** As in a file: of several the first that holds a digit, else the first. */
function phoneIn(item: Record<string, unknown>, keys: readonly string[]): unknown {
  const phones = phoneColumns(keys).map((at) => item[keys[at] ?? ""]);
  const held = phones.find(
    (phone) => /^(string|number)$/.test(typeof phone) && /\p{Nd}/u.test(String(phone)),
  );
  return held ?? (phones.length > 0 ? phones[0] : "");
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "[…]";
  return isObject(value) ? "{…}" : String(value);
}
