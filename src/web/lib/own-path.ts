/** Only own paths: a redirect after login must not leave the site. `//` and `/\` name another host. */
export const ownPath = (path: unknown) =>
  typeof path === "string" && /^\/(?![/\\])/.test(path) ? path : undefined;
