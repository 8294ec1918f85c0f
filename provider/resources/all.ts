/**
 * Waits for every call, so that none is under way when the first failure is told: Terraform may end the process then.
 *
 * @throws what the first that failed did
 */
export async function all(calls: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(calls);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
