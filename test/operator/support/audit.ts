import { readFile } from 'node:fs/promises';
import type { PolicyRule } from '../../../operator/rbac/rules.ts';

/** A request as the audit log of an API server has it (audit.k8s.io/v1). */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
}

export async function readAudit(file: string, username: string): Promise<AuditEvent[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  // What the API server writes is what its documentation says.
  return lines.map((line) => JSON.parse(line) as AuditEvent).filter(({ user }) => user.username === username);
}

/** What a request was about, as a rule says it: `patch rolecall.dev people/status`. */
export function useOf({ verb, objectRef }: AuditEvent): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  return `${verb} ${apiGroup} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Everything that rules allow, in the same words. */
export function allowedBy(rules: readonly PolicyRule[]): string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((one) => verbs.map((verb) => `${verb} ${group} ${one}`))),
  );
}
