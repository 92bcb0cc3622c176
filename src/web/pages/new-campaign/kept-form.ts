import { KEPT_MS } from "../../lib/kept-place.ts";
import { type CampaignForm, EMPTY_FORM } from "./form.ts";

/** A locally stored draft. `base`: the saved version it started from. */
type Kept = { form: CampaignForm; key: string; base: string; at: number };

/** Null if old, outdated by a newer saved version, or without storage. */
export function readKept(place: string, base: string, now: number): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "null") as Kept | null;
    if (!kept || kept.base !== base || now - kept.at > KEPT_MS) return null;
    // An older page may have stored fewer fields.
    return { ...kept, form: { ...EMPTY_FORM, ...kept.form } };
  } catch {
    return null;
  }
}

/** `from`: the untouched form. Equal to it, it is stored only for its key and is no unsaved input. */
export function keep(place: string, kept: Kept, from: CampaignForm): void {
  const asItWas = JSON.stringify(kept.form) === JSON.stringify(from);
  try {
    localStorage.setItem(place, JSON.stringify({ ...kept, asItWas }));
  } catch {
    // No storage.
  }
}
