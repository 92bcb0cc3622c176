/** A message from one of our numbers that its gateway told of, under an id that belongs to nobody yet. Times are epoch milliseconds. */
export type UnmatchedOutgoing = {
  providerId: string;
  /** Phone and addresses of whom it went to, as far as they were told. */
  names: readonly string[];
  /** Hash of what it says (domain/content-hash.ts). */
  content: string;
  at: number;
};

/** Somebody whom we sent something without knowing its id. */
export type Attempt = {
  names: readonly string[];
  content: string;
  /**
   * When a message of this attempt may have left. Null: it is none that an echo could settle (on the wire, or decided by a human), but
   * an echo may be its.
   */
  window: { from: number; to: number } | null;
  /** How many messages may have left: one for each time that the person was sent to without an answer. */
  messages: number;
};

/**
 * Which echo is whose. Only where it can be nothing else: the echo fits one attempt alone, which may have left one message, and no other
 * echo fits that attempt. Whatever can be read in two ways stays: a wrong pair would call somebody sent who got nothing.
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

/** Those that say the same to the same person. */
function sharing<T>(found: ReadonlyMap<string, ReadonlySet<T>>, { names, content }: Named): T[] {
  return [...new Set(names.flatMap((name) => [...(found.get(`${content} ${name}`) ?? [])]))];
}
