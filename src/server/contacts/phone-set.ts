/** 16 bytes per phone; a Set of a million takes three times the memory and time. */
export type PhoneSet = {
  /** False if present. */
  add(phone: number, nameless: boolean): boolean;
  /** True for a nameless phone's first name. */
  name(phone: number): boolean;
};

const SMALLEST = 1 << 10;
const LOW32 = 2 ** 32;

/** 0 marks a free slot, negative a nameless phone. */
export function phoneSet(expected = 0): PhoneSet {
  let table = new Float64Array(Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(2 * expected + 2))));
  let size = 0;

  const place = (into: Float64Array, phone: number): number => {
    const mask = into.length - 1;
    // `| 0` is modulo 2^32; % is several times slower at this size.
    let at = Math.imul((phone | 0) ^ ((phone / LOW32) | 0), 0x9e3779b1);
    at = (at ^ (at >>> 15)) & mask;
    while (into[at] !== 0 && Math.abs(into[at] ?? 0) !== phone) at = (at + 1) & mask;
    return at;
  };

  return {
    add(phone, nameless) {
      const at = place(table, phone);
      if (table[at] !== 0) return false;
      table[at] = nameless ? -phone : phone;
      if (++size * 2 > table.length) {
        const larger = new Float64Array(table.length * 2);
        for (const each of table) if (each !== 0) larger[place(larger, Math.abs(each))] = each;
        table = larger;
      }
      return true;
    },
    name(phone) {
      const at = place(table, phone);
      if (table[at] !== -phone) return false;
      table[at] = phone;
      return true;
    },
  };
}
