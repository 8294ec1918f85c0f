import { resetTwoFactor } from './actions/reset-two-factor.ts';
import { sendMessage } from './actions/send-message.ts';
import { configurationSchema } from './configuration.ts';
import { dataSources } from './data-sources/registry.ts';
import { definitions } from './functions/definitions.ts';
import { durationSeconds, redactUri } from './functions/text-functions.ts';
import type { Provider } from './plugin/framework/provider.ts';
import { dataSource } from './resources/data-source/data-source.ts';
import { permission } from './resources/permission/permission.ts';
import { person } from './resources/person/person.ts';
import { role } from './resources/role/role.ts';
import { roleDataSource, rolePerson } from './resources/role/role-member.ts';
import { roleDataSources, rolePeople } from './resources/role/role-members.ts';
import { boundToStore } from './resources/shared/bound-to-store.ts';
import { warnsOfOtherManagers } from './resources/shared/other-managers.ts';
import { snippet } from './resources/snippet/snippet.ts';
import type { Workspace } from './workspace/workspace.ts';

/**
 * The Terraform provider `rolecall`.
 *
 * @param env where what the configuration leaves out is looked up
 */
export function createProvider(
  env: Readonly<Record<string, string | undefined>>,
  version: string,
): Provider<Workspace> {
  return {
    name: 'rolecall',
    version,
    schema: configurationSchema,
    resources: [
      ...[dataSource, person, role, rolePerson, roleDataSource, permission, snippet].map(warnsOfOtherManagers),
      rolePeople,
      roleDataSources,
    ].map(boundToStore),
    dataSources,
    functions: [definitions, durationSeconds, redactUri],
    actions: [resetTwoFactor, sendMessage],
    // Terraform validates with a provider that it never configures: what speaks to the workspace is not read there.
    configure: async (...given) => (await import('./configure.ts')).configure(env, ...given),
  };
}
