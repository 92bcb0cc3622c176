/** The first that fits counts: most browsers also carry the names of others. */
const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(HeadlessChrome|Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const SYSTEMS = [
  [/\bWindows\b/, "Windows"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bMac OS X\b/, "Mac"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

const first = (known: typeof BROWSERS | typeof SYSTEMS, text: string) =>
  known.find(([sign]) => sign.test(text))?.[1];

/** Browser and system of a `User-Agent` header, as far as they are known. */
export function readUserAgent(header: string | null): { browser?: string; system?: string } {
  const browser = first(BROWSERS, header ?? "");
  const system = first(SYSTEMS, header ?? "");
  return { ...(browser ? { browser } : {}), ...(system ? { system } : {}) };
}
