/** What JSON costs beside its bytes: an empty object takes as much memory as a text of fifty characters. */
const COSTS: readonly (readonly [sign: string, cost: number])[] = [
  ["{", 8],
  ["[", 8],
  [":", 1],
  [",", 1],
];
/** A quarter of a million lists and objects; the largest pages of a gateway have a tenth of it. */
export const MOST_PARTS = 2_000_000;

/**
 * Whether JSON would take far more memory than its bytes, by the signs in it (those in texts included): 31 MB of empty objects are 600 MB
 * once they are parsed. Cheap where there is little to count, as in a picture's base64. `most`: in units of one comma or colon; a list or
 * an object is eight.
 */
export function hasTooManyParts(bytes: Buffer, most = MOST_PARTS): boolean {
  let cost = 0;
  if (bytes.length * 8 <= most) return false;
  for (const [sign, each] of COSTS)
    for (let at = bytes.indexOf(sign); at !== -1; at = bytes.indexOf(sign, at + 1)) {
      cost += each;
      if (cost > most) return true;
    }
  return false;
}

/**
 * Whether what JSON says has more than `most` values, lists and objects counted tenfold: for readers that keep a report of each value that
 * is not what they expect. What stands in texts does not count.
 */
export function hasTooManyValues(value: unknown, most: number): boolean {
  let cost = 0;
  const left = [value];
  while (left.length > 0 && cost <= most) {
    const one = left.pop();
    cost += 1;
    if (typeof one !== "object" || one === null) continue;
    cost += 9;
    for (const item of Object.values(one)) left.push(item);
  }
  return cost > most;
}
