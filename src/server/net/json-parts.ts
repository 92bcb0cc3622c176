/** Memory per sign: an empty object costs as much as a fifty-character string. */
const COSTS: readonly (readonly [sign: string, cost: number])[] = [
  ["{", 8],
  ["[", 8],
  [":", 1],
  [",", 1],
];
/** A quarter of a million lists and objects; a gateway's largest pages have a tenth. */
export const MOST_PARTS = 2_000_000;

/** 31 MB of empty objects become 600 MB when parsed. `most`: one comma or colon is 1, a list or object 8. */
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

/** Lists and objects count tenfold, for validators that keep a report per invalid value. */
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
