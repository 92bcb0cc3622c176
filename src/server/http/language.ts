import { Language } from "../../contract/accounts.ts";

const COOKIE = "language";
const YEAR_S = 365 * 86_400;

export function chosenLanguage(request: Request): Language | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.split("=");
    if (name?.trim() === COOKIE) return Language.safeParse(value?.trim()).data ?? null;
  }
  return null;
}

/** The browser's choice, else Accept-Language (RFC 9110 §12.5.4), else Portuguese. */
export function languageOf(request: Request): Language {
  return chosenLanguage(request) ?? preferred(request.headers.get("accept-language") ?? "") ?? "pt-BR";
}

function preferred(header: string): Language | null {
  let best: { language: Language; weight: number } | null = null;
  for (const range of header.split(",")) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const language = /^pt\b/.test(tag) ? "pt-BR" : /^en\b/.test(tag) ? "en" : null;
    const weight = Number(parameters.find((part) => part.startsWith("q="))?.slice(2) ?? 1);
    if (language && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? null;
}

/** By the server: some browsers drop script-set cookies after a week. */
export function languageCookie(language: Language, publicOrigin: string | null): string {
  const secure = publicOrigin?.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax; HttpOnly${secure}`;
}
