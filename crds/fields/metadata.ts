/** `metadata` of a definition: the fields that Rolecall reads, and those that it ignores. */

import { z } from 'zod';
import { pattern } from './fields.ts';

export const group = 'rolecall.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;

/** DNS-1123 subdomain, the form of Kubernetes names. */
export const dnsNamePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Fields that Kubernetes itself writes; accepted, so that Rolecall can read the output of `kubectl get -o yaml`. */
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

/** The fields of metadata in definitions. `checkAnnotations` checks the annotations of rolecall.dev. */
export const metadataSchema = z
  .strictObject({
    name: pattern({
      description: 'The name of this definition, unique for its kind (and namespace).',
      max: 253,
      pattern: dnsNamePattern,
      message: 'is not a valid Kubernetes name',
      remedy: nameRemedy,
    }),
    namespace: pattern({
      description: 'The Kubernetes namespace. Optional on the command line.',
      max: 63,
      pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      message: 'is not a valid Kubernetes namespace',
      remedy: 'Write lower-case letters, digits and dashes.',
    }).exactOptional(),
    labels: z
      .record(z.string(), z.string())
      .describe('Labels of your choice. A Role can select DataSources by theirs.')
      .default({}),
    annotations: z
      .record(z.string(), z.string())
      .describe('Annotations. Those of rolecall.dev control Rolecall; others are your choice.')
      .default({}),
  })
  .describe('What identifies this definition.');

export type Metadata = z.output<typeof metadataSchema>;
