import type { DataSourceDetail, Person } from '@rolecall/api';
import { SavedSessions } from '../../../../cli/person/saved-sessions.ts';
import { makers } from '../../../server/support/make.ts';
import { type SignedIn, signedIn } from '../../../server/support/person.ts';
import type { TestService } from '../../../server/support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A person who has run `rolecall login`. */
export interface AsPerson extends Disposable {
  readonly person: Person;
  readonly source: DataSourceDetail;
  /** The permission by which they reach the data source. */
  readonly grant: string;
  /** The name by which a command names the data source. */
  readonly alias: string;
  readonly env: Record<string, string>;
  /** The session that the command line has. */
  readonly session: SignedIn;
}

/** Lets a new person in, and saves a session of theirs as the command line does. */
export async function asPerson(service: TestService, configUri: string): Promise<AsPerson> {
  const make = makers(service);
  const folder = temporaryFolder();
  const [person, source] = [await make.person(), await make.dataSource({ configUri })];
  const { id: grant } = await make.permission(source.id, person.id);
  const session = await signedIn(service, person.id, { kind: 'command_line' });
  const env = { XDG_CONFIG_HOME: folder.path, ROLECALL_URL: service.url };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  new SavedSessions(env).save(service.url, { token: session.token, expiresAt, person: person.username });
  return {
    ...{ person, source, grant, env, session },
    alias: source.alias ?? source.name,
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
    },
  };
}
