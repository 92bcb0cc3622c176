/** Scales waiting times: fault runs cannot wait a minute per lost acknowledgement. */
export function scaled<T extends Record<string, number | readonly number[] | null>>(
  times: T,
  factor: number,
): T {
  const shrink = (ms: number) => Math.max(1, Math.round(ms * factor));
  const entries = Object.entries(times).map(([name, ms]) => [
    name,
    ms === null ? null : typeof ms === "number" ? shrink(ms) : ms.map(shrink),
  ]);
  return Object.fromEntries(entries) as T;
}
