import { z } from 'zod';
import { nothing, wholeNumber } from './fields.ts';
import { tabId } from './person-api/resources/editor.ts';
import { factorId } from './person-api/resources/factor.ts';
import { gatewayPasswordId } from './person-api/resources/gateway.ts';
import { loginCode } from './person-api/resources/login.ts';
import { issuerId } from './person-api/resources/oidc.ts';
import { sessionId } from './person-api/resources/session.ts';
import { dataSourceId } from './resources/data-source.ts';
import { editorId, messageId } from './resources/editor.ts';
import { gatewaySessionId } from './resources/gateway-session.ts';
import { leaseId } from './resources/lease.ts';
import { permissionId } from './resources/permission.ts';
import { personId } from './resources/person.ts';
import { queryId } from './resources/query.ts';
import { roleId } from './resources/role.ts';
import { snippetId, snippetVersionId } from './resources/snippet.ts';

/** Parameters that a path can name. A name means the same in every path. */
const parameters = {
  code: loginCode,
  dataSource: dataSourceId,
  editor: editorId,
  factor: factorId,
  gatewaySession: gatewaySessionId,
  issuer: issuerId,
  lease: leaseId,
  messageId,
  password: gatewayPasswordId,
  permission: permissionId,
  person: personId,
  query: queryId,
  resultIndex: wholeNumber.meta({ description: 'index of the result, from 0', examples: ['0'] }),
  role: roleId,
  session: sessionId,
  snippet: snippetId,
  snippetVersion: snippetVersionId,
  tab: tabId,
} as const;

type Parameters = typeof parameters;

type NamesIn<Path> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** The schema of the parameters that a path names: `/person/:person` has `person`. */
export type ParamsOf<Path> = [NamesIn<Path>] extends [never]
  ? typeof nothing
  : z.ZodObject<Pick<Parameters, NamesIn<Path> & keyof Parameters>, z.core.$strict>;

/** Many paths name the same, and each schema takes its time to make. */
const made = new Map<string, z.ZodObject>([['', nothing]]);

/** @throws TypeError for a name that no path may have */
export function paramsOf(path: string): z.ZodObject {
  const names = [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => name);
  const key = names.join();
  let schema = made.get(key);
  if (schema === undefined) {
    schema = z.strictObject(Object.fromEntries(names.map((name) => [name, parameterOf(name)])));
    made.set(key, schema);
  }
  return schema;
}

function parameterOf(name: string): z.ZodType {
  if (!Object.hasOwn(parameters, name)) throw new TypeError(`no path parameter is called ${name}`);
  return parameters[name as keyof Parameters];
}
