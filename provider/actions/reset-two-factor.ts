import { refusal } from '../plugin/framework/diagnostics.ts';
import type { Action } from '../plugin/framework/provider.ts';
import { reference } from '../resources/shared/attributes.ts';
import { needText, textOf } from '../resources/shared/values.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Takes the second factor off someone who has lost it. */
export const resetTwoFactor: Action<Workspace> = {
  type: 'rolecall_reset_two_factor',
  schema: {
    version: 0,
    description:
      'Deletes the authenticator app, the recovery codes and the passkeys of a person who has lost them, and ends their sessions. For a person without any it does nothing.',
    attributes: { person_id: reference('person') },
  },
  plan: async (config, { workspace }) => {
    const id = textOf(config, 'person_id');
    if (id === undefined || !workspace.isKnown || (await workspace.view().people()).byId.has(id)) return;
    throw refusal(
      'No such person',
      `The workspace has no person with the id ${JSON.stringify(id)}. Correct it, or write it as rolecall_person.ada.id.`,
      ['person_id'],
    );
  },
  invoke: async (config, { workspace }) => {
    const person = needText(config, 'person_id');
    // Read before the reset, so that nothing can fail after it.
    const { username = person } = (await workspace.view().people()).byId.get(person) ?? {};
    await workspace.call('disableTwoFactor', { params: { person } });
    return `The second factor of ${username} is off.`;
  },
};
