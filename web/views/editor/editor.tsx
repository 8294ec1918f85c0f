import type { DataSourceReference, DataSourceType, MyEditor } from '@rolecall/api';
import { useEffect, useMemo } from 'preact/hooks';
import { accessNow } from '../../events.ts';
import { Failure } from '../../parts/failure.tsx';
import { call, Problem } from '../../person-client.ts';
import { useResource } from '../../resource.ts';
import { route } from '../../router.ts';
import { me } from '../../session.ts';
import { Bench } from './bench.tsx';
import { Lost } from './lost.tsx';
import { Workbench } from './workbench.ts';

interface Found {
  readonly source: DataSourceReference;
  /** Absent while the person does not reach the data source. */
  readonly editor?: { readonly detail: MyEditor; readonly type: DataSourceType; readonly hasGateway: boolean };
  /** Why it is absent, in words. */
  readonly why?: string;
}

/** One of the person's editors: tabs of SQL on a data source, and what they run. */
export function Editor() {
  const id = route.value.params['editor'] ?? '';
  const { loaded, reload } = useResource((signal) => find(id, signal));
  const result = loaded.value;
  if (result === undefined) return <p class="quiet">Opening the editor…</p>;
  if ('error' in result) return <Failure error={result.error} retry={reload} />;
  const { source, editor, why } = result.value;
  if (editor === undefined) return <Closed source={source} why={why ?? ''} reload={reload} />;
  return <Opened {...editor} />;
}

async function find(id: string, signal: AbortSignal): Promise<Found> {
  const params = { editor: id };
  try {
    const detail = await call('getMyEditor', { params }, signal);
    const { dataSource: source } = detail;
    const { dataSource, gateway } = await call('getMyAccess', { params: { dataSource: source.id } }, signal);
    return { source, editor: { detail, type: dataSource.type, hasGateway: gateway !== null } };
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'access_ended')) throw error;
    const listed = (await call('listMyEditors', {}, signal)).find((editor) => editor.id === id);
    if (listed === undefined) throw error;
    return { source: listed.dataSource, why: error.message };
  }
}

function Closed({ source, why, reload }: { source: DataSourceReference; why: string; reload: () => void }) {
  const isBack = accessNow.value.get(source.id)?.allowed === true;
  useEffect(() => {
    if (isBack) reload();
  }, [isBack]);
  return <Lost source={source} why={why} />;
}

function Opened({ detail, type, hasGateway }: NonNullable<Found['editor']>) {
  const bench = useMemo(() => new Workbench(detail, { person: me.value?.person.id ?? '', type, hasGateway }), [detail]);
  useEffect(
    () => () => {
      bench.close();
    },
    [bench],
  );
  return <Bench bench={bench} />;
}
