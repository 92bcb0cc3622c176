/**
 * Runs `work` once for all calls of one round of the event loop, after everything that had arrived in it was heard. What a lane writes then
 * goes out in one go: the kernel wakes whoever receives it once, not once for each message, which costs both sides a fifth of their time
 * where a channel answers at once (docs/measurements.md).
 */
export function onceARound(work: () => void): () => void {
  let due = false;
  return () => {
    if (due) return;
    due = true;
    setImmediate(() => {
      due = false;
      work();
    });
  };
}
