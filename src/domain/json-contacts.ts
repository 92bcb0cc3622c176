import {
  furtherNames,
  isAreaCodeHeader,
  isCountryCodeHeader,
  isPhoneHeader,
  joinedName,
  nameTrust,
  phoneColumns,
} from "./csv-header.ts";
import { AppError } from "./errors.ts";
import { JsonScanner } from "./json-scan.ts";
import { readPhone } from "./phone-foreign.ts";
import { countFurther, joinCodes } from "./split-phone.ts";
import { plainText } from "./text-repair.ts";

/** `phone` as text; `error` when the element holds no contact. */
export type JsonRow = {
  name: string;
  phone: string;
  error: "row_not_object" | "row_phone_type" | "row_split_phone" | "row_too_long" | null;
};

export const ELEMENT_LIMIT = 64 * 1024;

export const TOO_LONG = Symbol("too long");

/** Streams the elements of a JSON list to `onElement`; `TOO_LONG` for oversized ones. */
export class JsonListReader {
  readonly #scanner: JsonScanner;
  #isList = false;
  #hasObjects = false;
  #element = "";

  constructor(onElement: (element: unknown) => void) {
    this.#scanner = new JsonScanner({
      top: (sign) => {
        this.#isList = sign === "[";
      },
      begin: (sign) => {
        this.#hasObjects ||= this.#isList && sign === "{";
        this.#element = "";
      },
      // One extra character shows that it is too long.
      text: (piece) => {
        if (this.#isList) this.#element += piece.slice(0, ELEMENT_LIMIT + 1 - this.#element.length);
      },
      end: () => {
        if (!this.#isList) return;
        onElement(this.#element.length > ELEMENT_LIMIT ? TOO_LONG : JSON.parse(this.#element));
      },
    });
  }

  push(text: string): void {
    this.#scanner.push(text);
  }

  /** Throws `json_invalid`, or `json_not_a_list` without a list of objects. */
  end(): void {
    this.#scanner.end();
    if (!this.#isList || !this.#hasObjects) throw new AppError("json_not_a_list");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Enough elements to know a list's keys. */
export const SAMPLE_ELEMENTS = 50;

/** Throws `import_split_phone` when the country or area code has a key of its own. */
export function refuseSplitKeys(sample: readonly unknown[]): void {
  for (const item of sample) {
    if (readJsonRow(item).error !== "row_split_phone" || !isObject(item)) continue;
    throw new AppError("import_split_phone", { columns: codeKeys(item).join(", ").slice(0, 100) });
  }
}

/** 64 KB may hold ten thousand keys; a contact needs fewer. */
const KEYS_READ = 256;

const keysOf = (item: Record<string, unknown>) => Object.keys(item).slice(0, KEYS_READ);

const isCodeKey = (key: string) => isCountryCodeHeader(key) || (isAreaCodeHeader(key) && !isPhoneHeader(key));

const codeKeys = (item: Record<string, unknown>) => keysOf(item).filter(isCodeKey);

/** Null when the phone cannot be joined with the codes under other keys. */
function withCodes(item: Record<string, unknown>, phone: string): string | null {
  const keys = codeKeys(item);
  if (keys.length === 0) return phone;
  const under = (is: (key: string) => boolean) => text(item[keys.find(is) ?? ""]);
  return joinCodes({ phone, country: under(isCountryCodeHeader), area: under(isAreaCodeHeader) });
}

/** Keys use the same names as file columns. */
export function readJsonRow(item: unknown): JsonRow {
  if (item === TOO_LONG) return { name: "", phone: "", error: "row_too_long" };
  if (!isObject(item)) return { name: "", phone: shown(item), error: "row_not_object" };
  // Own keys, read only: __proto__ is a key like any other.
  const keys = keysOf(item);
  const nameKey = Object.hasOwn(item, "name") ? "name" : nameKeyOf(keys);
  const name = joinedName(
    text(nameKey === undefined ? "" : item[nameKey]),
    furtherNames(keys, nameKey === undefined ? -1 : keys.indexOf(nameKey)).map((at) =>
      text(item[keys[at] ?? ""]),
    ),
  );
  const phone = Object.hasOwn(item, "phone") ? item.phone : phoneIn(item, keys);
  // A number beyond 2^53 has already lost digits.
  const isWritten = typeof phone === "string" || (typeof phone === "number" && Number.isSafeInteger(phone));
  if (!isWritten) return { name, phone: shown(phone), error: "row_phone_type" };
  const joined = withCodes(item, String(phone));
  return { name, phone: joined ?? String(phone), error: joined === null ? "row_split_phone" : null };
}

const text = (value: unknown) =>
  typeof value === "string" ? plainText(value) : typeof value === "number" ? String(value) : "";

function nameKeyOf(keys: readonly string[]): string | undefined {
  const most = Math.max(0, ...keys.map(nameTrust));
  return most === 0 ? undefined : keys.find((key) => nameTrust(key) === most);
}

export function furtherJsonPhones(item: unknown): number {
  if (!isObject(item)) return 0;
  const keys = keysOf(item);
  const columns = phoneColumns(keys);
  if (columns.length < 2) return 0;
  const phones = columns.map((at) => text(item[keys[at] ?? ""]));
  return countFurther(readJsonRow(item).phone, phones);
}

function phoneIn(item: Record<string, unknown>, keys: readonly string[]): unknown {
  const phones = phoneColumns(keys).map((at) => item[keys[at] ?? ""]);
  const held = phones.filter(
    (phone) => /^(string|number)$/.test(typeof phone) && /\p{Nd}/u.test(String(phone)),
  );
  const readable = held.length > 1 ? held.find((phone) => "phone" in readPhone(String(phone))) : undefined;
  if (readable ?? held[0]) return readable ?? held[0];
  const address = phones.length === 0 ? addressIn(item, keys) : undefined;
  return address ?? (phones.length > 0 ? phones[0] : "");
}

/** Exports of WhatsApp libraries keep the address under their own `id`, also as an object. */
function addressIn(item: Record<string, unknown>, keys: readonly string[]): string | undefined {
  const { id } = item;
  const values = [isObject(id) ? id._serialized : id, ...keys.map((key) => item[key])];
  return values.find(
    (value): value is string => typeof value === "string" && ADDRESS.test(value.slice(0, 100)),
  );
}

const ADDRESS = /^[\w.:+-]{5,60}@(c\.us|s\.whatsapp\.net|lid|g\.us|newsletter|broadcast)$/;

function shown(value: unknown): string {
  if (Array.isArray(value)) return "[…]";
  return isObject(value) ? "{…}" : String(value);
}
