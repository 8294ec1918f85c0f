/** `metadata` of a definition: what Rolecall reads of it, and what it lets pass. */

import { z } from 'zod';
import { pattern } from './fields.ts';

export const group = 'rolecall.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** DNS-1123 subdomain, as Kubernetes demands of names. */
export const dnsNamePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** What Kubernetes itself writes into metadata; accepted, so that the output of `kubectl get -o yaml` can be read. */
export const bookkeeping = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'generateName',
  'managedFields',
  'finalizers',
  'ownerReferences',
  'selfLink',
] as const;

const nameRemedy = 'Write lower-case letters, digits, dashes and dots, beginning and ending with a letter or digit.';

/** The fields of metadata that definitions write. Annotations of rolecall.dev are checked by `checkAnnotations`. */
export const metadataSchema = z
  .strictObject({
    name: pattern({
      description: 'The name of this definition, unique for its kind (and namespace).',
      max: 253,
      pattern: dnsNamePattern,
      message: 'is not a name that Kubernetes allows',
      remedy: nameRemedy,
    }),
    namespace: pattern({
      description: 'The Kubernetes namespace. The command line reads it, but needs none.',
      max: 63,
      pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      message: 'is not a name that Kubernetes allows for a namespace',
      remedy: 'Write lower-case letters, digits and dashes.',
    }).exactOptional(),
    labels: z.record(z.string(), z.string()).describe('Labels, free to choose.').default({}),
    annotations: z
      .record(z.string(), z.string())
      .describe('Annotations. Those of rolecall.dev are for Rolecall, others are free to choose.')
      .default({}),
  })
  .describe('What identifies this definition.');

export type Metadata = z.output<typeof metadataSchema>;
