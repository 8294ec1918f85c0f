import type { Factors } from '../../sign-in/factors.ts';
import { hashRecoveryCode } from '../../sign-in/recovery-codes.ts';
import { findTotpStep } from '../../sign-in/totp.ts';
import { advanceFactor, deleteFactor } from '../../store/sign-in-factor.ts';
import type { Executor } from '../../store/store.ts';
import type { PersonContext } from '../handler.ts';

/** Uses a code of the authenticator app. @returns whether it was right and not used before */
export async function useTotp(
  { signIn }: PersonContext,
  executor: Executor,
  { totp }: Factors,
  code: string,
): Promise<boolean> {
  await signIn.clock.refresh(executor);
  const step = totp && findTotpStep(totp.secret.seed, code, { now: signIn.clock.now(), after: totp.counter });
  return totp !== undefined && step !== undefined && useFactor(executor, totp, step);
}

/** Uses a recovery code up. @returns whether it was right, and no other request has used it */
export async function useRecoveryCode(executor: Executor, { recoveryCodes }: Factors, code: string): Promise<boolean> {
  const hash = hashRecoveryCode(code);
  const recoveryCode = recoveryCodes.find(({ secret }) => secret.hash === hash);
  return recoveryCode !== undefined && deleteFactor(executor, recoveryCode.id);
}

/** Notes that a factor was used. @returns whether no other request has used this counter */
export async function useFactor(
  executor: Executor,
  factor: { id: string; counter: number },
  to: number,
): Promise<boolean> {
  const at = (await executor.now()).toISOString();
  return advanceFactor(executor, { id: factor.id, from: factor.counter, to, at });
}
