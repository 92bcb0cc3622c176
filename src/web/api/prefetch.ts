/** An answer that was asked for ahead is taken within this time, or it is asked for anew. */
const FRESH_MS = 10_000;

const answers = new Map<string, { asked: number; answer: Promise<Response> }>();

/** Keeps what a screen will ask for when it is there, by its address. */
export function keepAhead(address: string, answer: Promise<Response>): void {
  // Whoever takes it sees the fault.
  answer.catch(() => undefined);
  answers.set(address, { asked: performance.now(), answer });
}

/** The answer to an address, once. */
export function takeAhead(address: string): Promise<Response> | undefined {
  const kept = answers.get(address);
  answers.delete(address);
  return kept && performance.now() - kept.asked < FRESH_MS ? kept.answer : undefined;
}

/** Something was done, or somebody else is here: what was asked before that is no longer true. */
export function dropAhead(): void {
  answers.clear();
}
