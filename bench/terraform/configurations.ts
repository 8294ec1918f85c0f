import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many of a thousand objects are what; the rest are memberships. */
const shares = { people: 400, roles: 40, dataSources: 10, permissions: 150 };

const requirement = 'terraform {\n  required_providers {\n    rolecall = { source = "rolecall/rolecall" }\n  }\n';

export interface Objects {
  count: number;
  roles: number;
}

/**
 * Writes a configuration of objects, a block each, as `for_each` costs Terraform more than any provider.
 *
 * @returns what is in it
 */
export function writeObjects(folder: string, count: number, address: string): Objects {
  const of = (share: number): number => Math.max(1, Math.round((count * share) / 1000));
  const [people, roles, sources] = [of(shares.people), of(shares.roles), of(shares.dataSources)];
  const permissions = of(shares.permissions);
  const memberships = Math.max(0, count - people - roles - sources - permissions);
  write(folder, address, requirement, [
    ...times(people, (index) =>
      block('rolecall_person', index, {
        username: text(`p${index}`),
        name: text(`Person ${index}`),
        email: text(`p${index}@example.com`),
      }),
    ),
    ...times(roles, (index) => block('rolecall_role', index, { name: text(`role-${index}`) })),
    ...times(sources, (index) =>
      block('rolecall_data_source', index, {
        name: text(`Source ${index}`),
        alias: text(`source-${index}`),
        uri: text(`postgresql://reader@db-${index}.internal:5432/main`),
      }),
    ),
    ...times(permissions, (index) =>
      block('rolecall_permission', index, {
        person_id: `rolecall_person.n${index % people}.id`,
        data_source_id: `rolecall_data_source.n${Math.floor(index / people) % sources}.id`,
        starts_at: text('2026-01-01T00:00:00Z'),
        expires_at: text('2046-01-01T00:00:00Z'),
      }),
    ),
    ...times(memberships, (index) => {
      const round = Math.floor(index / roles);
      const person = ((index % roles) * Math.floor(people / roles) + round) % people;
      return block('rolecall_role_person', index, {
        role_id: `rolecall_role.n${index % roles}.id`,
        person_id: `rolecall_person.n${person}.id`,
      });
    }),
  ]);
  return { count: people + roles + sources + permissions + memberships, roles };
}

/** As many objects of Terraform's own, which do nothing and need no provider to be started. */
export function writeBuiltIn(folder: string, count: number, address: string): void {
  write(
    folder,
    address,
    'terraform {\n',
    times(count, (index) => block('terraform_data', index, { input: text(`Object ${index}`) })),
  );
}

function write(folder: string, address: string, head: string, blocks: readonly string[]): void {
  const backend = `  backend "http" {\n    address = "${address}"\n  }\n}\n`;
  writeFileSync(join(folder, 'main.tf'), `${head}${backend}${blocks.join('')}`);
}

function block(type: string, index: number, attributes: Record<string, string>): string {
  const lines = Object.entries(attributes).map(([name, value]) => `  ${name} = ${value}\n`);
  return `resource "${type}" "n${index}" {\n${lines.join('')}}\n`;
}

const text = (value: string): string => JSON.stringify(value);

function times(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
