const listeners = new Set<() => void>();

export function sessionEnded() {
  for (const listener of listeners) listener();
}

export function whenSessionEnds(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
