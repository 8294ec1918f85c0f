import { useAction } from '../browser/use-action.ts';
import { call } from '../person-client.ts';
import { navigate } from '../router.ts';
import { Failure } from './failure.tsx';

interface OpenEditorProps {
  /** The id of the data source. */
  readonly dataSource: string;
  readonly name: string;
}

/** Opens the person's editor on a data source, which is made the first time. */
export function OpenEditor({ dataSource, name }: OpenEditorProps) {
  const action = useAction();
  const open = async () => {
    const { id } = await call('openEditor', { params: { dataSource } });
    navigate(`/editor/${id}`);
  };
  return (
    <>
      <Failure error={action.error} />
      <button
        class="main"
        type="button"
        aria-label={`Open ${name}`}
        disabled={action.busy}
        onClick={() => {
          action.run(open);
        }}
      >
        Open
      </button>
    </>
  );
}
