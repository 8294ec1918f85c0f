import { apiVersion, checkDocument, type KindName } from '@rolecall/crds';
import { visible } from '@rolecall/reconcile';
import { toYaml } from './yaml.ts';

/** A definition as it will be written. */
export interface ExportedDocument {
  kind: KindName;
  name: string;
  annotations?: Readonly<Record<string, string>>;
  /** In the order in which fields are written; undefined ones are not. */
  spec: Readonly<Record<string, unknown>>;
  /** Lines before it, without their #. */
  comment?: readonly string[];
}

/** A definition and its file, relative to the folder of the export. */
export interface Placed {
  file: string;
  document: ExportedDocument;
}

/** Object that could not be declared. Plans leave it alone, except in exact collections. */
export interface LeftOut {
  /** Such as `Person "ada "`. */
  what: string;
  reason: string;
  remedy: string;
}

/** The definitions of one kind, and the objects that were left out. */
export interface Part {
  placed: Placed[];
  leftOut: LeftOut[];
}

export function emptyPart(): Part {
  return { placed: [], leftOut: [] };
}

/** The first thing that `validate` would refuse; undefined where it takes the document. */
export function faultOf(document: ExportedDocument): Pick<LeftOut, 'reason' | 'remedy'> | undefined {
  const checked = checkDocument(toValue(document));
  if (checked.type !== 'invalid') return undefined;
  const issue = checked.issues.find(({ severity }) => severity === 'error');
  const reason = `definitions cannot say it: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`;
  return { reason, remedy: 'change it in the workspace' };
}

/** The YAML of a file, its documents one after another. */
export function fileText(documents: readonly ExportedDocument[]): string {
  return documents.map(documentText).join('---\n');
}

function documentText(document: ExportedDocument): string {
  const comment = (document.comment ?? []).map((line) => `# ${visible(line)}`.trimEnd() + '\n').join('');
  return comment + toYaml(toValue(document));
}

function toValue({ kind, name, annotations, spec }: ExportedDocument): Record<string, unknown> {
  const fields = Object.entries(spec).filter(([, value]) => value !== undefined);
  return {
    apiVersion,
    kind,
    metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
    ...(fields.length === 0 ? {} : { spec: Object.fromEntries(fields) }),
  };
}

/** A name in quotation marks, as people see it. */
export function quoted(name: string): string {
  return visible(JSON.stringify(name));
}
