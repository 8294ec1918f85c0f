import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Synthesises a stack, in a process of its own: `synthesise.ts BUNDLE FOLDER definitions PATH` from definitions, or
 * `… resources JSON` with the bindings alone, a resource for each of a configuration that was synthesised before.
 */
const [bundle = '', outdir = '', from = '', source = ''] = process.argv.slice(2);

interface Construct {
  readonly node: unknown;
}
type Built = new (scope: Construct, id: string, props: object) => Construct;

const require = createRequire(bundle);
const rolecall = require(bundle) as Record<string, Built & { tfResourceType?: string }>;
const { App, TerraformStack } = require('cdktf') as {
  App: new (options: object) => Construct & { synth: () => void };
  TerraformStack: new (scope: Construct, id: string) => Construct;
};

const app = new App({ outdir });
const stack = new TerraformStack(app, 'access');
build('RolecallProvider', 'rolecall', {});
if (from === 'definitions') build('Definitions', 'all', { paths: [source] });
else buildResources(readFileSync(source, 'utf8'));
app.synth();

function build(name: string, id: string, props: object): void {
  const Class = rolecall[name];
  if (Class === undefined) throw new Error(`there is no ${name}`);
  new Class(stack, id, props);
}

function buildResources(text: string): void {
  const { resource } = JSON.parse(text) as { resource: Record<string, Record<string, Record<string, unknown>>> };
  for (const [type, named] of Object.entries(resource)) {
    const name = camel(`_${type.replace('rolecall_', '')}`);
    for (const [id, { '//': _, ...attributes }] of Object.entries(named)) {
      build(name, id, Object.fromEntries(Object.entries(attributes).map(([key, value]) => [camel(key), value])));
    }
  }
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
