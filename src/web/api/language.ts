import type { Language, Me } from "../../contract/accounts.ts";
import { LANGUAGE } from "../messages/locale.ts";
import { api } from "./call.ts";

/** Each called as those who speak it call it. */
export const LANGUAGES: readonly { id: Language; name: string }[] = [
  { id: "pt-BR", name: "Português" },
  { id: "en", name: "English" },
];

/** Chosen by a visitor, who may be about to log in. */
const CHOSEN = "recado-language-chosen";
/** The account's language for which this tab was loaded anew. */
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

/** Each language is a page of its own: the browser remembers which, and loads it. */
async function loadIn(language: Language, href: string): Promise<never> {
  await api("PUT /api/language", { body: { language } });
  if (href === currentHref()) window.location.reload();
  else window.location.assign(href);
  // What is on the screen stays until the other page has taken its place.
  return new Promise(() => {});
}

const currentHref = () => window.location.href.slice(window.location.origin.length);

/** Chooses the language of a signed-in person's account and of this browser, and shows the page in it. */
export async function setLanguage(language: Language): Promise<void> {
  await api("PATCH /api/settings/profile", { body: { language } });
  await loadIn(language, currentHref());
}

/** The same for a visitor; an account that logs in from here takes the choice over. */
export async function chooseLanguage(language: Language): Promise<void> {
  keep(CHOSEN, language);
  await loadIn(language, currentHref());
}

/** Whoever has just logged in: what they chose on the way becomes their account's language. `fresh`: the account is new. */
export async function claimLanguage(me: Me, fresh = false): Promise<Me> {
  const chosen = fresh || kept(CHOSEN) === LANGUAGE;
  keep(CHOSEN, null);
  if (!chosen || me.language === LANGUAGE) return me;
  // They are in: a fault here must not look as if they were not, and the choice can be made again.
  return api("PATCH /api/settings/profile", { body: { language: LANGUAGE } }).catch(() => me);
}

/** Shows `href` in the account's language, where this page has another: it was chosen on some other computer. */
export async function followLanguage(me: Me, href: string): Promise<void> {
  if (me.language === LANGUAGE) {
    keep(FOLLOWED, null);
    return;
  }
  // Once only: a browser that keeps no cookie would load the page for ever.
  if (kept(FOLLOWED) === me.language || !keep(FOLLOWED, me.language)) return;
  await loadIn(me.language, href).catch(() => undefined);
}
