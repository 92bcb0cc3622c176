export type Random = {
  next(): number;
  below(n: number): number;
  chance(part: number): boolean;
  pick<T>(items: readonly T[]): T;
};

export function randomFrom(seed: string): Random {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    next,
    below,
    chance: (part) => next() < part,
    pick<T>(items: readonly T[]): T {
      return items[below(items.length)] as T;
    },
  };
}
