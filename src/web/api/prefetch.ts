/** A prefetched answer is used within this time, else the request is made again. */
const FRESH_MS = 10_000;

const answers = new Map<string, { asked: number; answer: Promise<Response> }>();

export function keepAhead(address: string, answer: Promise<Response>): void {
  // The caller that takes it gets the error.
  answer.catch(() => undefined);
  answers.set(address, { asked: performance.now(), answer });
}

export function takeAhead(address: string): Promise<Response> | undefined {
  const kept = answers.get(address);
  answers.delete(address);
  return kept && performance.now() - kept.asked < FRESH_MS ? kept.answer : undefined;
}

/** Drops prefetched answers: after a write or a change of user they are no longer true. */
export function dropAhead(): void {
  answers.clear();
}
