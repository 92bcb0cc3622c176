import { createHmac } from "node:crypto";

/** A reset raises the generation and so forgets all browsers, a thief's included. */
export type KnownTo = { id: string; browser_generation: number };

export type KnownBrowsers = {
  knows(headers: Headers, account: KnownTo): boolean;
  remember(headers: Headers, account: KnownTo): string;
};

const ACCOUNTS = 5;
/** The maximum lifetime that browsers allow for cookies. */
const MAX_AGE_S = 400 * 86_400;
const TAG = /^[A-Za-z0-9_-]{16}$/;

/** Stateless: the cookie holds one opaque tag per account, which opens nothing; its theft goes unnoticed. */
export function knownBrowsers(key: Uint8Array, secure: boolean): KnownBrowsers {
  const name = secure ? "__Host-recado.browser" : "recado.browser";
  // Generation zero adds nothing, so that earlier cookies stay valid.
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
