import { ProblemError } from '@rolecall/api';

/** True if something is still there, and the same. @throws the client's errors, but for a 404 */
export async function exists<T>(reading: Promise<T>, isSame: (now: T) => boolean = () => true): Promise<boolean> {
  try {
    return isSame(await reading);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return false;
    throw error;
  }
}
