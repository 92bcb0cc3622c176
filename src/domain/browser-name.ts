const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
] as const;

/**
 * `Chrome, Windows`, for letters and the record of what was done; empty for what is no browser. Never the text that the browser sent:
 * whoever calls chooses it, and it would stand among words of ours.
 */
export function browserName(userAgent: string): string {
  const known = (list: readonly (readonly [string, string])[]) =>
    list.find(([mark]) => userAgent.includes(mark))?.[1];
  return [known(BROWSERS), known(SYSTEMS)].filter((part) => part !== undefined).join(", ");
}
