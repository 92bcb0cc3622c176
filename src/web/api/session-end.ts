const listeners = new Set<() => void>();

export function sessionEnded() {
  for (const listener of listeners) listener();
}

/** Reports the end of the session. Returns the unsubscribe function. */
export function whenSessionEnds(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
