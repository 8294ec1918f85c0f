import { randomUUID } from 'node:crypto';
import { messageBounds, nameRules, textRules } from '@rolecall/api';
import { failure, warning } from '../plugin/framework/diagnostics.ts';
import type { Action } from '../plugin/framework/provider.ts';
import { optional, required } from '../plugin/framework/schema.ts';
import type { ObjectValue } from '../plugin/values/value.ts';
import { ruled, rules } from '../resources/shared/attributes.ts';
import { needText, textOf } from '../resources/shared/values.ts';
import { isGone } from '../workspace/failures.ts';
import type { Workspace } from '../workspace/workspace.ts';

const keys = ['editor_id', 'person_id', 'data_source_id'];
const only = (whose: string) => optional('string', `${whose} Give exactly one of the three.`, rules.optionalId);

/** Tells people something where they work: that a database is about to be down, say. */
export const sendMessage: Action<Workspace> = {
  type: 'rolecall_send_message',
  schema: {
    version: 0,
    description:
      'Shows a message in editors: in one, in all of a person, or in all on a data source, such as before its maintenance. An editor that is opened later does not show it.',
    attributes: {
      title: required('string', 'The title.', ruled(nameRules, 'Write a line of at most 255 characters.')),
      message: required(
        'string',
        'The text.',
        ruled(textRules(messageBounds), 'Write a text of at most 10,000 characters.'),
      ),
      editor_id: only('The identifier of the editor.'),
      person_id: only('The identifier of the person in whose editors it is shown.'),
      data_source_id: only('The identifier of the data source in whose editors it is shown.'),
    },
  },
  validate: (config, report) => {
    const given = keys.filter((key) => (config[key] ?? null) !== null);
    if (given.length === 1) return;
    const what = given.length === 0 ? 'none is given' : `${given.join(' and ')} are given`;
    report(failure('Which editors?', `Give exactly one of ${keys.join(', ')}; ${what}.`, given.slice(1, 2)));
  },
  invoke: async (config, { workspace, report }) => {
    const body = { title: needText(config, 'title'), message: needText(config, 'message') };
    let count = 0;
    for (const editor of await editorsOf(config, workspace)) {
      try {
        const options = { idempotencyKey: randomUUID() };
        await workspace.call('createEditorMessage', { params: { editor }, body }, options);
        count += 1;
      } catch (error) {
        // Someone has closed it since it was listed. An editor that the configuration names has to be there.
        if (isGone(error) && editor !== config['editor_id']) continue;
        if (count > 0)
          report(
            warning(
              'Shown in part',
              `${shownIn(count)} already, and would show it twice if you invoked the action again.`,
            ),
          );
        throw error;
      }
    }
    return `${shownIn(count)}.`;
  },
};

const shownIn = (count: number): string => `${count} ${count === 1 ? 'editor shows' : 'editors show'} the message`;

async function editorsOf(config: ObjectValue, workspace: Workspace): Promise<readonly string[]> {
  const [editor, person] = [textOf(config, 'editor_id'), textOf(config, 'person_id')];
  if (editor !== undefined) return [editor];
  const editors =
    person === undefined
      ? await workspace.call('listDataSourceEditors', { params: { dataSource: needText(config, 'data_source_id') } })
      : await workspace.call('listPersonEditors', { params: { person } });
  return editors.map(({ id }) => id);
}
