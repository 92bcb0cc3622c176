import { fieldError } from "../http/errors.ts";

/** Longer ones a gateway refuses with a fault of its database. */
const LONGEST = 500;

/**
 * A person's own webhook address, as it is posted to; null for an empty one. Gateways take anything and then never deliver to what is no
 * web address, so it is judged here. Throws `invalid_fields` at `field`.
 */
export function readWebhookUrl(typed: string, field = "url"): string | null {
  const text = typed.trim();
  if (text === "") return null;
  const url = URL.parse(text);
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  if (
    !web ||
    !url ||
    url.hostname === "" ||
    url.username !== "" ||
    url.password !== "" ||
    url.href.length > LONGEST
  )
    throw fieldError({ [field]: "webhook_url_invalid" });
  return url.href;
}
