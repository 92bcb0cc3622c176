/** Variables of a person that are no fields. */
const RESERVED: ReadonlySet<string> = new Set([
  "nome",
  "primeiro_nome",
  "sobrenome",
  "telefone",
  "name",
  "first_name",
]);

/** For a label without a Latin letter or digit. */
const NAMELESS = "campo";

/** `Última vacina` → `ultima_vacina`. */
export function fieldKey(label: string): string {
  const plain = label.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || NAMELESS;
}

export const isReservedKey = (key: string): boolean => RESERVED.has(key);

/** The key, or the first of `key_2`, `key_3` … that is not taken. */
export function freeKey(key: string, taken: ReadonlySet<string>): string {
  if (!taken.has(key)) return key;
  for (let number = 2; ; number += 1) if (!taken.has(`${key}_${number}`)) return `${key}_${number}`;
}
