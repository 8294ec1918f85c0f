import { OptionsError } from '@rolecall/api';
import { checkIdentities, type OperatorIdentity } from '@rolecall/operator';
import { CliError } from '../../errors.ts';

const names = ['url', 'audience', 'token-file', 'namespace'] as const;

/** Reads the values of `--identity`. @throws CliError that names what is wrong */
export function readIdentities(texts: readonly string[] = []): readonly OperatorIdentity[] {
  try {
    const identities = texts.map(readIdentity);
    checkIdentities(identities);
    return identities;
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new CliError('ERR_USAGE', `--identity: ${error.message}`);
  }
}

function readIdentity(text: string): OperatorIdentity {
  const given = new Map<string, string[]>();
  for (const setting of text.split(',')) {
    const [, name = '', value = ''] = /^([a-z-]+)=(.+)$/.exec(setting) ?? [];
    if (!names.some((setting) => setting === name))
      throw new OptionsError(
        `each setting is one of ${names.map((setting) => `${setting}=…`).join(', ')}, with a comma between`,
      );
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  const valueOf = (name: (typeof names)[number]): string | undefined => {
    const [value, ...others] = given.get(name) ?? [];
    if (others.length > 0) throw new OptionsError(`${name} is given twice`);
    return value;
  };
  const [url, tokenFile] = [valueOf('url'), valueOf('token-file')];
  if (url === undefined) throw new OptionsError('url is missing');
  if (tokenFile === undefined) throw new OptionsError('token-file is missing');
  return { url, tokenFile, audience: valueOf('audience'), namespaces: given.get('namespace') ?? [] };
}
