/** The Lease by which one of several processes leads (coordination.k8s.io/v1). */

/** The fields of a Lease, in the words of its API. */
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
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: LeaseSpec;
}

/** A time as Leases write it; with fewer digits the API server refuses it. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** The versions that a leader leaves when it releases the Lease: that of the newest object of each collection, by its name. */
export type Handover = Readonly<Record<string, string>>;

const handoverAnnotation = 'rolecall.dev/handover';

/** The annotations of a Lease that tell the next leader what the previous one had seen. */
export function handoverAnnotations(handover: Handover): Readonly<Record<string, string>> {
  return { [handoverAnnotation]: JSON.stringify(handover) };
}

/** @returns undefined where the Lease was not released in order, or its annotations cannot be read */
export function handoverOf({ metadata: { annotations }, spec }: Lease): Handover | undefined {
  const text = annotations?.[handoverAnnotation];
  // Its present holder has seen more than the process that wrote that.
  if (text === undefined || (spec.holderIdentity ?? '') !== '') return undefined;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== 'object' || read === null) return undefined;
    const entries = Object.entries(read).flatMap(([name, version]) =>
      typeof version === 'string' ? [[name, version]] : [],
    );
    return entries.length === Object.keys(read).length ? (Object.fromEntries(entries) as Handover) : undefined;
  } catch {
    return undefined;
  }
}

/** The path of a Lease. */
export function leasePath(namespace: string, name = ''): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === '' ? '' : `/${name}`}`;
}
