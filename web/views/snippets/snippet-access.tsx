import type { MySnippet } from '@rolecall/api';
import { useAction } from '../../browser/use-action.ts';
import { Choice, Form } from '../../parts/form.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { me } from '../../session.ts';
import { describeOwner, publicLevelOf, publicLevels } from './words.ts';

/** Changes who owns a snippet, and what the others may do with it. */
export function SnippetAccess({ snippet, reload }: { readonly snippet: MySnippet; readonly reload: () => void }) {
  const { id, publicAccessLevel } = snippet;
  const action = useAction();
  const { loaded } = useResource((signal) => call('listMyAccess', {}, signal));
  const access = loaded.value;
  if (access === undefined) return null;
  // The roles of the person are those that give them access.
  const grants = 'value' in access ? access.value.dataSources.flatMap(({ through }) => through) : [];
  const roles = new Map(grants.flatMap(({ through, id, name }) => (through === 'role' ? [[id, name ?? id]] : [])));
  return (
    <>
      <h2>Owner and access</h2>
      <Form
        action={action}
        label="Change"
        submit={async ({ owner = '', level = '' }) => {
          const chosen = publicLevelOf(level) ?? publicAccessLevel;
          const newOwner = owner === '' ? {} : { ownerRoleId: owner === 'me' ? null : owner };
          await call('changeMySnippet', { params: { snippet: id }, body: { publicAccessLevel: chosen, ...newOwner } });
          reload();
        }}
      >
        <Choice
          label="Owner"
          name="owner"
          value=""
          options={[
            ['', `as it is: ${describeOwner(snippet)}`],
            ['me', me.value?.person.name ?? ''],
            ...[...roles].map(([role, name]) => [role, `the role ${name}`] as const),
          ]}
        />
        <Choice label="Others may" name="level" value={publicAccessLevel} options={publicLevels} />
      </Form>
    </>
  );
}
