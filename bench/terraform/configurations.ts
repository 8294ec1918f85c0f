import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Described, Reference } from './objects.ts';

/** The manager of the objects of a configuration. */
export interface Manager {
  /** Where terraform finds the provider; Terraform's own resources need none. */
  readonly source: string | undefined;
  readonly resource: (object: Reference) => { readonly type: string; readonly name: string };
  /** The attribute for an object's text, if the resource has none of these names. */
  readonly within: string | undefined;
}

/** A resource that only stores its arguments. */
const idle = (type: string, source: string | undefined): Manager => ({
  source,
  resource: ({ kind, index }) => ({ type, name: `${kind}_${index}` }),
  within: 'input',
});

export const managers = {
  rolecall: {
    source: 'rolecall/rolecall',
    resource: ({ kind, index }) => ({ type: `rolecall_${kind}`, name: `n${index}` }),
    within: undefined,
  },
  builtIn: idle('terraform_data', undefined),
  /** Likewise, for objects that have this resource's own attributes. */
  bare: { ...idle('terraform_data', undefined), within: undefined },
  go: idle('peer_object', 'rolecall/peer'),
} as const satisfies Record<string, Manager>;

/**
 * Writes a configuration, a block an object, as `for_each` costs Terraform more than any provider.
 *
 * @param address where the state is kept; a file beside it when left out
 */
export function writeConfiguration(
  folder: string,
  manager: Manager,
  objects: readonly Described[],
  address?: string,
): void {
  const blocks = objects.map((object) => blockOf(manager, object));
  writeFileSync(join(folder, 'main.tf'), `${settingsOf(manager, address)}${blocks.join('')}`);
}

function settingsOf({ source }: Manager, address: string | undefined): string {
  const name = source?.replace(/^.*\//, '');
  const provider = source === undefined ? '' : `  required_providers {\n    ${name} = { source = "${source}" }\n  }\n`;
  const backend = address === undefined ? '' : `  backend "http" {\n    address = "${address}"\n  }\n`;
  return `terraform {\n${provider}${backend}}\n`;
}

function blockOf(manager: Manager, object: Described): string {
  const { type, name } = manager.resource(object);
  const lines = Object.entries(object.attributes).map(([key, value]) => `  ${key} = ${expression(manager, value)}\n`);
  const body = manager.within === undefined ? lines.join('') : `  ${manager.within} = {\n${lines.join('')}  }\n`;
  return `resource "${type}" "${name}" {\n${body}}\n`;
}

function expression({ resource }: Manager, value: string | Reference): string {
  if (typeof value === 'string') return JSON.stringify(value);
  const { type, name } = resource(value);
  return `${type}.${name}.id`;
}
