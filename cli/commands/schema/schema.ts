import { buildJsonSchema, kindNames } from '@rolecall/crds';
import { planJsonSchema, printableJson } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { failUnlessReplaceable } from '../../files/out-file.ts';
import { writeWhole } from '../../files/write-whole.ts';

export interface SchemaOptions extends CommonOptions {
  kind?: string;
  out?: string;
  plan?: true;
}

/** Prints the JSON Schema of definitions or of plans, or writes it to a file. It is JSON in either format. */
export function printSchema({ io, output }: Context, { kind, out, plan }: SchemaOptions): ExitCode {
  if (plan === true && kind !== undefined) {
    throw new CliError('ERR_USAGE', 'give --kind or --plan, not both');
  }
  const schema = plan === true ? planJsonSchema() : schemaOf(kind);
  const text = `${printableJson(schema)}\n`;
  if (out === undefined) {
    io.stdout.write(text);
    return exitCodes.ok;
  }
  failUnlessReplaceable(out);
  writeWhole(out, text);
  output.document({ file: out });
  if (plan === true) {
    output.say(`Written to ${out}.`);
    return exitCodes.ok;
  }
  output.say(`Written to ${out}. In an editor with the YAML language server, a first line such as this one uses it:`);
  output.say(`  # yaml-language-server: $schema=${out}`);
  return exitCodes.ok;
}

function schemaOf(kind: string | undefined) {
  return kind === undefined ? buildJsonSchema() : schemaOfKind(buildJsonSchema(), knownKind(kind));
}

function knownKind(kind: string): string {
  const match = kindNames.find((name) => name.toLowerCase() === kind.toLowerCase());
  if (match !== undefined) return match;
  throw new CliError('ERR_USAGE', `--kind ${kind} does not exist: the kinds are ${kindNames.join(', ')}`);
}

type Json = Readonly<Record<string, unknown>>;

/** Narrows the schema of all kinds to one of them: what applied only if it was this kind applies without an if. */
function schemaOfKind({ $id: _id, ...whole }: Json, kind: string): Json {
  const { [`${kind}Spec`]: spec, Metadata } = mapping(whole['$defs']);
  const rules = Array.isArray(whole['allOf']) ? whole['allOf'].map(mapping) : [];
  const kindRule = rules.find((rule) => mapping(mapping(mapping(rule['if'])['properties'])['kind'])['const'] === kind);
  return {
    ...whole,
    title: `Rolecall ${kind}`,
    description: mapping(spec)['description'],
    properties: { ...mapping(whole['properties']), kind: { const: kind } },
    allOf: kindRule === undefined ? [] : [kindRule['then']],
    $defs: { Metadata, [`${kind}Spec`]: spec },
  };
}

function mapping(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
