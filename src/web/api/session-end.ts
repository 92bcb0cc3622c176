const listeners = new Set<() => void>();

/** Called for every answer «not signed in»; whoever owns the pages decides what to show. */
export function sessionEnded() {
  for (const listener of listeners) listener();
}

/** Tells when the server no longer knows this browser. Returns how to stop listening. */
export function whenSessionEnds(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
