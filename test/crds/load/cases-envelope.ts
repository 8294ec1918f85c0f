import type { Case } from './case.ts';
import { head, personText } from './support.ts';

/** What can be wrong with apiVersion, kind and metadata. */
export const envelopeCases: readonly Case[] = [
  {
    promise: 'a list at the top is no definition',
    input: '- kind: Person\n',
    problems: [{ code: 'document_type', at: '1:1', message: /a list/, remedy: /mapping with apiVersion/ }],
  },
  {
    promise: 'a single value is no definition',
    input: `${personText('ada')}---\nhello\n`,
    problems: [{ code: 'document_type', at: '9:1', message: /single value/, remedy: /---/ }],
  },
  {
    promise: 'a missing apiVersion is a warning',
    input: personText('ada').replace(/^.*\n/, ''),
    problems: [
      { code: 'api_version_missing', severity: 'warning', at: '1:1', remedy: /Add apiVersion: rolecall.dev\/v1alpha1/ },
    ],
  },
  {
    promise: 'a wrong version names the right one',
    input: personText('ada').replace('v1alpha1', 'v1'),
    problems: [
      { code: 'api_version', at: '1:13', path: 'apiVersion', remedy: /Write apiVersion: rolecall.dev\/v1alpha1/ },
    ],
  },
  {
    promise: 'a group that is nearly ours is an error, and the rest is checked all the same',
    input: personText('ada', '  lockd: true\n').replace('rolecall.dev', 'rolecal.dev'),
    problems: [
      {
        code: 'api_version',
        at: '1:13',
        path: 'apiVersion',
        message: /rolecal\.dev/,
        remedy: /rolecall.dev\/v1alpha1/,
      },
      { code: 'field_unknown', at: '8:3', path: 'spec.lockd', remedy: /Did you mean locked\?/ },
    ],
  },
  {
    promise: 'one of our kinds in no group is an error',
    input: personText('ada').replace('rolecall.dev/v1alpha1', 'v1'),
    problems: [{ code: 'api_version', at: '1:13', path: 'apiVersion', remedy: /rolecall.dev\/v1alpha1/ }],
  },
  {
    promise: 'an apiVersion that is no text is an error',
    input: personText('ada').replace('rolecall.dev/v1alpha1', '1'),
    problems: [{ code: 'api_version', at: '1:13', path: 'apiVersion', remedy: /rolecall.dev\/v1alpha1/ }],
  },
  {
    promise: 'an unknown kind suggests the nearest',
    input: head('Persn'),
    problems: [{ code: 'kind_unknown', at: '2:7', path: 'kind', message: /"Persn"/, remedy: /Did you mean Person\?/ }],
  },
  {
    promise: 'a kind in the wrong case is one error, and the rest is checked',
    input: personText('ada', '  lockd: true\n').replace('Person', 'person'),
    problems: [
      { code: 'kind_unknown', at: '2:7', path: 'kind', remedy: /Did you mean Person\?/ },
      { code: 'field_unknown', at: '8:3', path: 'spec.lockd', remedy: /locked/ },
    ],
  },
  {
    promise: 'names of fields in the wrong case are errors at their own lines, and make no others',
    input: personText('ada').replace('apiVersion', 'ApiVersion').replace('kind', 'Kind').replace('spec', 'Spec'),
    problems: [
      { code: 'field_unknown', at: '1:1', path: 'ApiVersion', remedy: /Did you mean apiVersion\?/ },
      { code: 'field_unknown', at: '2:1', path: 'Kind', remedy: /Did you mean kind\?/ },
      { code: 'field_unknown', at: '5:1', path: 'Spec', remedy: /Did you mean spec\?/ },
    ],
  },
  {
    promise: 'an empty apiVersion is an error at its own line',
    input: personText('ada').replace(' rolecall.dev/v1alpha1', ''),
    problems: [{ code: 'api_version', at: '1:1', path: 'apiVersion', remedy: /Write apiVersion: rolecall/ }],
  },
  {
    promise: 'a kind like no other lists all',
    input: head('Deployment'),
    problems: [{ code: 'kind_unknown', at: '2:7', path: 'kind', remedy: /Workspace, DataSource, Person, Role/ }],
  },
  {
    promise: 'a kind that is no text is an error',
    input: head('7'),
    problems: [{ code: 'kind_unknown', at: '2:7', path: 'kind', remedy: /Write Workspace/ }],
  },
  {
    promise: 'a missing kind lists all',
    input: 'apiVersion: rolecall.dev/v1alpha1\nmetadata: { name: x }\n',
    problems: [{ code: 'kind_missing', at: '1:1', remedy: /Add kind: Workspace, .* or Snippet/ }],
  },
  {
    promise: 'a file of something else says that it may be left out',
    input: 'services:\n  web: {}\n',
    problems: [{ code: 'kind_missing', at: '1:1', remedy: /Add apiVersion: .* leave this file out/ }],
  },
  {
    promise: 'missing metadata is an error',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\n',
    problems: [{ code: 'field_missing', at: '1:1', path: 'metadata', remedy: /Add metadata/ }],
  },
  {
    promise: 'a missing name is an error at metadata',
    input: 'apiVersion: rolecall.dev/v1alpha1\nkind: Role\nmetadata:\n  labels: {}\n',
    problems: [{ code: 'field_missing', at: '3:1', path: 'metadata.name', remedy: /Add name/ }],
  },
  {
    promise: 'a name that Kubernetes refuses comes with one that it takes',
    input: head('Role', 'Data Ännalysts_1'),
    problems: [{ code: 'name_invalid', at: '4:9', path: 'metadata.name', remedy: /For example: data-annalysts-1\./ }],
  },
  {
    promise: 'a name that is a number asks for quotation marks',
    input: head('Role', '2024'),
    problems: [
      {
        code: 'field_type',
        at: '4:9',
        path: 'metadata.name',
        message: /the number 2024/,
        remedy: /Quote it: name: "2024"/,
      },
    ],
  },
  {
    promise: 'an unknown field of metadata suggests the nearest',
    input: `${head('Role')}  anotations: {}\n`,
    problems: [{ code: 'field_unknown', at: '5:3', path: 'metadata.anotations', remedy: /Did you mean annotations\?/ }],
  },
  {
    promise: 'an unknown annotation of ours suggests the nearest',
    input: `${head('Role')}  annotations:\n    rolecall.dev/protectd: "true"\n    example.com/anything: here\n`,
    problems: [
      {
        code: 'annotation_unknown',
        at: '6:5',
        path: 'metadata.annotations["rolecall.dev/protectd"]',
        remedy: /Did you mean rolecall.dev\/protected\?/,
      },
    ],
  },
  {
    promise: 'an annotation of ours takes "true" or "false" only',
    input: `${head('Role')}  annotations:\n    rolecall.dev/paused: true\n    rolecall.dev/protected: "yes"\n`,
    problems: [
      {
        code: 'annotation_value',
        at: '6:26',
        path: 'metadata.annotations["rolecall.dev/paused"]',
        remedy: /Quote it: rolecall.dev\/paused: "true"/,
      },
      {
        code: 'annotation_value',
        at: '7:29',
        path: 'metadata.annotations["rolecall.dev/protected"]',
        remedy: /"true" or "false"/,
      },
    ],
  },
  {
    promise: 'the annotations that are for a cluster are known, and one of them takes any text',
    input: `${head('Role')}  annotations:\n    rolecall.dev/released: "true"\n    rolecall.dev/reconcile-requested-at: "2026-12-01T08:00:00Z"\n`,
    problems: [],
  },
  {
    promise: 'an annotation of an earlier version is a warning',
    input: personText('ada').replace('spec:', '  annotations: { rolecall.dev/replace-allowed: "true" }\nspec:'),
    problems: [
      {
        code: 'annotation_without_effect',
        severity: 'warning',
        at: '5:18',
        path: 'metadata.annotations["rolecall.dev/replace-allowed"]',
        message: /has no effect any more: people are edited in place$/,
        remedy: /^Remove it\.$/,
      },
    ],
  },
  {
    promise: 'an annotation of ours on a kind for which it does nothing is a warning',
    input: [
      `${head('Role', 'r')}  annotations: { rolecall.dev/ended: "true", rolecall.dev/protected: "true" }\n`,
      `${head('Workspace', 'w')}  annotations: { rolecall.dev/paused: "true" }\n`,
      `${head('Snippet', 's')}  annotations: { rolecall.dev/protected: "true", rolecall.dev/paused: "true" }\nspec: { text: x }\n`,
      personText('ada').replace('spec:', '  annotations: { rolecall.dev/ended: "false" }\nspec:'),
    ].join('---\n'),
    problems: [
      {
        code: 'annotation_without_effect',
        severity: 'warning',
        at: '5:18',
        path: 'metadata.annotations["rolecall.dev/ended"]',
        message: /has no effect on a Role, only on Permission$/,
        remedy: /Remove it/,
      },
      {
        code: 'annotation_without_effect',
        severity: 'warning',
        at: '11:18',
        path: 'metadata.annotations["rolecall.dev/paused"]',
        message: /on a Workspace, only on DataSource, /,
        remedy: /Remove it/,
      },
      {
        code: 'annotation_without_effect',
        severity: 'warning',
        at: '17:18',
        path: 'metadata.annotations["rolecall.dev/protected"]',
        message: /only on Person and Role$/,
        remedy: /Remove it/,
      },
      {
        code: 'annotation_without_effect',
        severity: 'warning',
        at: '24:18',
        path: 'metadata.annotations["rolecall.dev/ended"]',
        remedy: /Remove it/,
      },
    ],
  },
  {
    promise: 'a label that is a number asks for quotation marks',
    input: `${head('Role')}  labels: { cost-center: 0042 }\n`,
    problems: [{ code: 'field_type', at: '5:26', path: 'metadata.labels.cost-center', remedy: /"0042"/ }],
  },
  {
    promise: 'a field of the spec at the top is sent there',
    input: `${head('Role')}people: []\nstatsu: {}\n`,
    problems: [
      { code: 'field_unknown', at: '5:1', path: 'people', remedy: /Move people into spec/ },
      { code: 'field_unknown', at: '6:1', path: 'statsu', remedy: /Did you mean status\?/ },
    ],
  },
];
