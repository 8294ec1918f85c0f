import { randomBytes } from 'node:crypto';
import {
  CallError,
  type Client,
  NetworkError,
  ProblemError,
  RedirectError,
  type Scope,
  TimeoutError,
  UnexpectedAnswerError,
} from '@rolecall/api';
import type { Connection } from '../../workspace/connection.ts';
import { describeCall } from '../../workspace/describe-call.ts';
import { type Finding, failure, ok, skipped, warning } from './finding.ts';

/**
 * Finds out whether the service answers, takes the key, and what the key may do. But for the roles, which show that the URL
 * leads to a workspace, it asks for things that are not there: the service looks at the key first, and nothing is changed.
 *
 * @param needsAdmin whether what is declared takes the scope admin, on a service without snapshots
 */
export async function lookAtKey(client: Client, connection: Connection, needsAdmin: boolean): Promise<Finding[]> {
  const describe = (error: CallError) => findingsOf(error, connection);
  const fault = await findFault(client, describe);
  if (fault !== undefined) return fault;
  const unknown = randomBytes(9).toString('hex').slice(0, 12);
  const admin = await ask(() => client.call('getDataSourceDetail', { params: { dataSource: unknown } }), describe);
  if (admin !== 'scope') return typeof admin === 'string' ? [answers, scopeFinding('admin', needsAdmin)] : admin;
  const write = await ask(() => client.call('lockPerson', { params: { person: unknown } }), describe);
  if (typeof write !== 'string') return write;
  const scope = write === 'scope' ? 'read' : 'write';
  const readsConnections = needsAdmin ? await ask(() => client.call('readSnapshot', {}), describe) : 'allowed';
  return [answers, scopeFinding(scope, readsConnections !== 'allowed')];
}

const answers = ok('service', 'it answers, and takes the API key');

/** A service that is not there, or not at this path of the URL, would answer all that follows alike. */
async function findFault(client: Client, describe: Describe): Promise<Finding[] | undefined> {
  try {
    await client.call('listRoles', {});
    return undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return describe(error);
  }
}

/** @returns `scope` where the key's is too small, `allowed` where it is not, and findings where neither is known */
async function ask(call: () => Promise<unknown>, describe: Describe): Promise<'scope' | 'allowed' | Finding[]> {
  try {
    await call();
    return 'allowed';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error instanceof ProblemError) {
      if (error.kind === 'not-found') return 'allowed';
      if (error.kind === 'scope') return 'scope';
    }
    return describe(error);
  }
}

type Describe = (error: CallError) => Finding[];

/** Tells what a failed call shows about the key and the service. */
export function findingsOf(error: CallError, connection: Connection): Finding[] {
  const unknownScope = skipped('scope', 'unknown: the service did not say');
  const what = describeCall(error, connection);
  if (error instanceof ProblemError) {
    if (error.kind === 'unauthenticated' || error.problem === 'token_refused')
      return [failure('key', what), unknownScope];
    if (error.kind === 'not-found') return [failure('service', what), unknownScope];
    return [warning('service', what, 'Ask again later.'), unknownScope];
  }
  if (error instanceof NetworkError || error instanceof TimeoutError) return [failure('service', what), unknownScope];
  if (error instanceof UnexpectedAnswerError || error instanceof RedirectError) {
    return [failure('service', `the URL does not lead to a workspace service: ${error.what}`), unknownScope];
  }
  throw error;
}

const uses: Readonly<Record<Scope, string>> = {
  read: 'plans and reports',
  write: 'plans, reports and changes',
  admin: 'everything, connections of data sources and queries included',
};

function scopeFinding(scope: Scope, needsAdmin: boolean): Finding {
  if (scope === 'admin' || !needsAdmin) return ok('scope', `${scope}: enough for ${uses[scope]}`);
  return failure(
    'scope',
    `${scope}, but DataSources are declared, whose connections only admin may read on this service. Make a key with --scope admin to plan or apply them.`,
  );
}
