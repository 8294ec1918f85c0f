/** The Lease by which one of several processes leads (coordination.k8s.io/v1). */

/** What a Lease says, in the words of its API. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** MicroTime: RFC 3339 with six digits. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface Lease {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec: LeaseSpec;
}

/** A time as Leases write it; with fewer digits the API server refuses it. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** Where a Lease is. */
export function leasePath(namespace: string, name = ''): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === '' ? '' : `/${name}`}`;
}
