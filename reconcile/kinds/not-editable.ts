import { type DesiredObject, label } from '../model/desired.ts';
import type { FieldChange, Refusal } from '../model/step.ts';

/**
 * Refuses a change that a service with only the specified interface cannot make. To delete the object and create another one would delete
 * its memberships, permissions and editors.
 */
export function notEditable(
  desired: DesiredObject,
  what: 'people' | 'roles',
  changes: readonly FieldChange[],
): Refusal {
  const fields = changes.map(({ field, from, to }) => `${field} from ${from ?? ''} to ${to ?? ''}`).join(' and ');
  return {
    rail: 'not-editable',
    objects: [label(desired)],
    message: `${label(desired)} would change ${fields}, and this service cannot edit ${what}`,
    remedy: 'put the old value back, or delete it in the workspace, so that the next run creates it anew',
  };
}
