/** Diagnostics for windows that are over, and for what is granted again. */

import { type Diagnostic, type DiagnosticError, refusal, warning } from '../../plugin/framework/diagnostics.ts';
import type { ObjectValue } from '../../plugin/values/value.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { needText, textOf } from './values.ts';
import { isOver } from './window.ts';

/** Noun of a resource that has a window. */
type Timed = 'permission' | 'membership';

/**
 * Refuses a window that is over and was never granted.
 *
 * @throws DiagnosticError
 */
export function refusePast(noun: Timed, planned: ObjectValue, workspace: Pick<Workspace, 'now'>): void {
  const expiresAt = textOf(planned, 'expires_at');
  if (!isOver(expiresAt, workspace.now())) return;
  throw refusal(
    'The window is in the past',
    `This ${noun} ended at ${expiresAt ?? ''} and was never granted in this workspace, so it would give no access. Correct the window, or remove the resource.`,
    [endIn(planned)],
  );
}

/** A window that ended between the plan and the apply. */
export function endedMeanwhile(planned: ObjectValue): DiagnosticError {
  return refusal(
    'The window is in the past',
    `The window ended at ${textOf(planned, 'expires_at') ?? ''}, after the plan, so nothing was granted. Correct the window, or remove the resource.`,
    [endIn(planned)],
  );
}

/** A grant whose window is changed to one that is over. With -replace it would be planned as a change first, and end here again. */
export function changedTooLate(
  noun: Timed,
  prior: ObjectValue,
  planned: ObjectValue,
  config: ObjectValue,
): DiagnosticError {
  const isAnchored = (config['starts_at'] ?? null) === null && textOf(planned, 'duration') !== undefined;
  const remedy = isAnchored
    ? 'A duration counts from the first grant. Write a longer one, or have the whole duration granted anew: terraform taint with the address above, then terraform apply. To end it now, remove the resource.'
    : 'Correct the window, or write it as it was. To end it now, remove the resource.';
  const formerEnd = textOf(prior, 'expires_at');
  return refusal(
    'The window is in the past',
    `The ${noun} was granted${formerEnd === undefined ? '' : ` until ${formerEnd}`}. As it is changed it would have ended at ${needText(planned, 'expires_at')}, so it would give no access. ${remedy}`,
    [endIn(planned)],
  );
}

/** A grant that is gone from the workspace before its end: someone revoked it, or deleted it with its owner. */
export function grantedAgain(noun: Timed, planned: ObjectValue): Diagnostic {
  const until = textOf(planned, 'expires_at');
  const others = noun === 'permission' ? 'person or data source' : 'person or role';
  return warning(
    'Grants again what was revoked',
    `The ${noun} is gone from the workspace: it was revoked, or deleted with its ${others}. It is granted again${until === undefined ? '' : ` until ${until}`}, as its duration counts from the first grant. To leave it revoked, remove the resource.`,
    [endIn(planned)],
  );
}

/** The attribute that says when access ends. */
function endIn(planned: ObjectValue): string {
  return textOf(planned, 'duration') === undefined ? 'expires_at' : 'duration';
}
