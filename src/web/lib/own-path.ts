/**
 * A way back must be a path of ours: anything else would send a person who has just signed in to somebody else's page.
 * Two slashes, or a slash and a backslash, name another host.
 */
export const ownPath = (path: unknown) =>
  typeof path === "string" && /^\/(?![/\\])/.test(path) ? path : undefined;
