/** First match: most browsers also carry other names. */
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

export function readUserAgent(header: string | null): { browser?: string; system?: string } {
  const browser = first(BROWSERS, header ?? "");
  const system = first(SYSTEMS, header ?? "");
  return { ...(browser ? { browser } : {}), ...(system ? { system } : {}) };
}
