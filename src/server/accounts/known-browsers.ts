import { createHmac } from "node:crypto";

/** With a reset the generation goes up, and no browser is known any more: a thief's least of all. */
export type KnownTo = { id: string; browser_generation: number };

/** Tells a browser that has signed in to an account before from one that has not. */
export type KnownBrowsers = {
  knows(headers: Headers, account: KnownTo): boolean;
  /** The header that makes it known from now on. */
  remember(headers: Headers, account: KnownTo): string;
};

/** Accounts that one browser is remembered for; the one that signed in longest ago goes first. */
const ACCOUNTS = 5;
/** As long as browsers keep a cookie at most. */
const MAX_AGE_S = 400 * 86_400;
const TAG = /^[A-Za-z0-9_-]{16}$/;

/**
 * Known by a cookie that holds a tag an account, which tells nobody whose they are and opens nothing: whoever steals it is not told of.
 * Nothing is stored here, so there is nothing to clean up.
 */
export function knownBrowsers(key: Uint8Array, secure: boolean): KnownBrowsers {
  const name = secure ? "__Host-recado.browser" : "recado.browser";
  // The first generation has none in its tag: browsers known before there were generations stay so.
  const tagOf = ({ id, browser_generation: nth }: KnownTo) =>
    createHmac("sha256", key)
      .update(nth === 0 ? id : `${id}/${nth}`)
      .digest()
      .subarray(0, 12)
      .toString("base64url");

  function tags(headers: Headers): string[] {
    const cookies = (headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
    const mine = cookies.find((cookie) => cookie.startsWith(`${name}=`));
    return (mine?.slice(name.length + 1).split(".") ?? []).filter((tag) => TAG.test(tag)).slice(0, ACCOUNTS);
  }

  return {
    knows: (headers, account) => tags(headers).includes(tagOf(account)),
    remember(headers, account) {
      const tag = tagOf(account);
      const kept = [tag, ...tags(headers).filter((one) => one !== tag)].slice(0, ACCOUNTS);
      return `${name}=${kept.join(".")}; Max-Age=${MAX_AGE_S}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
    },
  };
}
