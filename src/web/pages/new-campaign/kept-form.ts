import { KEPT_MS } from "../../lib/kept-place.ts";
import { type CampaignForm, EMPTY_FORM } from "./form.ts";

/** What was typed and not yet saved, kept in this browser. `base`: the stored version it started from. */
type Kept = { form: CampaignForm; key: string; base: string; at: number };

/** What was kept, unless it is old or the stored campaign has changed since. Storage may be forbidden: then nothing was. */
export function readKept(place: string, base: string, now: number): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "null") as Kept | null;
    if (!kept || kept.base !== base || now - kept.at > KEPT_MS) return null;
    // A field that a newer page knows may be missing in what an older one kept.
    return { ...kept, form: { ...EMPTY_FORM, ...kept.form } };
  } catch {
    return null;
  }
}

/** `from`: the form before anybody wrote in it. As it was it is kept too, for its key, and is no loss. */
export function keep(place: string, kept: Kept, from: CampaignForm): void {
  const asItWas = JSON.stringify(kept.form) === JSON.stringify(from);
  try {
    localStorage.setItem(place, JSON.stringify({ ...kept, asItWas }));
  } catch {
    // No storage: the form lives as long as the page.
  }
}
