import type { Language, Me } from "../../contract/accounts.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { api } from "./call.ts";

export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "pt-BR", name: "Português" },
  { id: "en", name: "English" },
];

const CHOSEN = "recado-language-chosen";
const FOLLOWED = "recado-language-followed";

function kept(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, value: string | null): boolean {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

/** Each language is a separate build: set the cookie and reload. */
async function loadIn(language: Language, href: string): Promise<never> {
  await api("PUT /api/language", { body: { language } });
  if (href === currentHref()) window.location.reload();
  else window.location.assign(href);
  // Never resolves: the screen stays until the new page replaces it.
  return new Promise(() => {});
}

const currentHref = () => window.location.href.slice(window.location.origin.length);

export async function setLanguage(language: Language): Promise<void> {
  await api("PATCH /api/settings/profile", { body: { language } });
  await loadIn(language, currentHref());
}

/** For a visitor; a later login copies it to the account. */
export async function chooseLanguage(language: Language): Promise<void> {
  keep(CHOSEN, language);
  await loadIn(language, currentHref());
}

/** Saves a visitor's choice to the account after login. `fresh`: the account is new. */
export async function claimLanguage(me: Me, fresh = false): Promise<Me> {
  const chosen = fresh || kept(CHOSEN) === LANGUAGE;
  keep(CHOSEN, null);
  if (!chosen || me.language === LANGUAGE) return me;
  // The login succeeded: an error here must not look like a failed one.
  return api("PATCH /api/settings/profile", { body: { language: LANGUAGE } }).catch(() => me);
}

/** Reloads `href` in the account's language, if it was chosen on another computer. */
export async function followLanguage(me: Me, href: string): Promise<void> {
  if (me.language === LANGUAGE) {
    keep(FOLLOWED, null);
    return;
  }
  // Once: a browser without cookies would reload for ever.
  if (kept(FOLLOWED) === me.language || !keep(FOLLOWED, me.language)) return;
  await loadIn(me.language, href).catch(() => undefined);
}
