import { mostDeclarations } from '@rolecall/api';
import type { Declarations } from '../model/plan.ts';
import type { Caller } from '../view/view.ts';

/**
 * Has the service remember what a plan found that definitions have, and forget what is no longer theirs. What the run makes, each
 * call tells by itself.
 *
 * @throws the client's errors
 */
export async function recordDeclarations(
  { declared, forgotten, origin }: Declarations,
  client: Pick<Caller, 'call'>,
): Promise<void> {
  if (declared.length === 0 && forgotten.length === 0 && origin === undefined) return;
  const calls = Math.max(1, Math.ceil(Math.max(declared.length, forgotten.length) / mostDeclarations));
  for (let call = 0; call < calls; call += 1) {
    const part = [call * mostDeclarations, (call + 1) * mostDeclarations] as const;
    await client.call('recordDeclarations', {
      body: {
        declared: declared.slice(...part),
        forgotten: forgotten.slice(...part),
        ...(origin !== undefined && call === calls - 1 ? { origin } : {}),
      },
    });
  }
}
