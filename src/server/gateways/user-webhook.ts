import { AppError } from "../../domain/errors.ts";
import { fieldError } from "../http/errors.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

/** Longer ones a gateway refuses with a fault of its database. */
const LONGEST = 500;

/**
 * A person's own webhook address, as it is posted to; null for an empty one. Gateways take anything and then never deliver to what is no
 * web address, so it is checked here, and also whether we would ever call it: a refusal only at delivery would look like a dead receiver.
 * Throws `invalid_fields` at `field`.
 */
export function readWebhookUrl(
  { check }: Pick<GuardedFetch, "check">,
  typed: string,
  field = "url",
): string | null {
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
  try {
    check(url.href);
  } catch (error) {
    const code = error instanceof AppError ? error.code : null;
    if (code === "url_private") throw fieldError({ [field]: "webhook_url_private" });
    if (code === "url_forbidden") throw fieldError({ [field]: "webhook_url_forbidden" });
    throw error;
  }
  return url.href;
}
