import type { DataSourceReference } from '@rolecall/api';
import { useEffect } from 'preact/hooks';
import type { TabText } from '../../editor/tab-text.ts';
import { HowToAsk } from '../../parts/how-to-ask.tsx';
import { Told } from '../../parts/moment.tsx';
import { lossInView } from '../../parts/notices.tsx';
import { call } from '../../person-client.ts';
import { useResource } from '../../resource.ts';

interface LostProps {
  readonly source: DataSourceReference;
  /** Reason why the access ended, in words. */
  readonly why: string;
  readonly tabs?: readonly TabText[];
}

/** Says that access has ended, why, and how it comes back. */
export function Lost({ source, why, tabs = [] }: LostProps) {
  const { loaded } = useResource((signal) => call('getMyAccess', { params: { dataSource: source.id } }, signal));
  const resource = loaded.value;
  useEffect(() => {
    lossInView.value = source.id;
    return () => {
      lossInView.value = undefined;
    };
  }, [source.id]);
  return (
    <section class="lost" aria-label="Access">
      <h1>{source.name}</h1>
      <div class="notice bad" role="alert">
        <p>
          <Told text={sentence(why)} /> Queries that were running have been stopped.
        </p>
        <HowToAsk grants={resource !== undefined && 'value' in resource ? resource.value.ended : []} />
        <p>This page opens again by itself when your access returns.</p>
      </div>
      {tabs.length > 0 && (
        <>
          <h2>Your tabs are kept</h2>
          <ul class="lines">
            {tabs.map((tab) => (
              <li key={tab.id}>{tab.title}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        <a href="/">What you reach</a>
      </p>
    </section>
  );
}

function sentence(text: string): string {
  const trimmed = text.trim() === '' ? 'your access has ended' : text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? '' : '.'}`;
}
