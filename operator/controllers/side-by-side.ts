/** Does something for each item, so many at a time, and collects what failed rather than stopping there. */
export async function sideBySide<T>(
  items: Iterable<T>,
  count: number,
  run: (item: T) => Promise<void>,
): Promise<Error[]> {
  const errors: Error[] = [];
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      try {
        await run(next.value);
      } catch (error) {
        errors.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  return errors;
}
