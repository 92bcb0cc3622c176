/** Four visits wait for their second of quiet together; more would only wait for the processors. */
const AT_ONCE = 4;

/** Does the work for each, several at a time, in their order. Fails with the first that fails. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
