import { useAction } from '../../browser/use-action.ts';
import { useLive } from '../../browser/use-live.ts';
import { Failure } from '../../parts/failure.tsx';
import { Choice, Form } from '../../parts/form.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { navigate } from '../../router.ts';

/** Opens an editor with a new tab that holds a text. */
export function InsertIntoEditor({ title, text }: { readonly title: string; readonly text: string }) {
  const { loaded, reload } = useResource((signal) => call('listMyAccess', {}, signal));
  useLive(reload, ['access']);
  const action = useAction();
  const access = loaded.value;
  if (access === undefined) return null;
  if ('error' in access) return <Failure error={access.error} retry={reload} />;
  const reached = access.value.dataSources.filter(({ allowed }) => allowed);
  if (reached.length === 0) return <p class="quiet">You reach no data source to run it on at the moment.</p>;
  return (
    <Form
      action={action}
      label="Insert into the editor"
      submit={async ({ dataSource = '' }) => {
        const editor = await call('openEditor', { params: { dataSource } });
        const tab = await call('createTab', { params: { editor: editor.id }, body: { title, text } });
        navigate(`/editor/${encodeURIComponent(editor.id)}?tab=${encodeURIComponent(tab.id)}`);
      }}
    >
      <Choice
        label="Data source"
        name="dataSource"
        options={reached.map(({ dataSource: { id, name, alias } }) => [
          id,
          alias === null ? name : `${name} (${alias})`,
        ])}
      />
    </Form>
  );
}
