/** An outgoing webhook message under an unmatched id; epoch ms. */
export type UnmatchedOutgoing = {
  providerId: string;
  names: readonly string[];
  content: string;
  at: number;
};

export type Attempt = {
  names: readonly string[];
  content: string;
  /** When its message may have left. Null: nothing to settle, but a webhook message may belong to it. */
  window: { from: number; to: number } | null;
  messages: number;
};

/**
 * Pairs a webhook message with an attempt only if unique on both sides, with one message. Ambiguity stays: a
 * wrong pair marks a person as sent who got nothing.
 */
export function matchOutgoing<A extends Attempt, E extends UnmatchedOutgoing>(
  attempts: readonly A[],
  echoes: readonly E[],
): { attempt: A; echo: E }[] {
  const attemptsOf = index(attempts);
  const outgoingMessagesOf = index(echoes);
  return echoes.flatMap((echo) => {
    const [attempt, ...others] = sharing(attemptsOf, echo).filter((one) => fits(one, echo));
    if (!attempt?.window || attempt.messages !== 1 || others.length > 0) return [];
    const rivals = sharing(outgoingMessagesOf, attempt).filter((one) => fits(attempt, one));
    return rivals.length === 1 ? [{ attempt, echo }] : [];
  });
}

function fits({ window }: Attempt, { at }: UnmatchedOutgoing): boolean {
  return window === null || (at >= window.from && at <= window.to);
}

type Named = { names: readonly string[]; content: string };

function index<T extends Named>(list: readonly T[]): Map<string, Set<T>> {
  const found = new Map<string, Set<T>>();
  for (const one of list) {
    for (const name of one.names) {
      const key = `${one.content} ${name}`;
      found.set(key, (found.get(key) ?? new Set()).add(one));
    }
  }
  return found;
}

function sharing<T>(found: ReadonlyMap<string, ReadonlySet<T>>, { names, content }: Named): T[] {
  return [...new Set(names.flatMap((name) => [...(found.get(`${content} ${name}`) ?? [])]))];
}
