import type { Case } from './case.ts';
import { personText } from './support.ts';

/** What can be wrong with files. */
export const fileCases: readonly Case[] = [
  {
    promise: 'bytes that are not UTF-8 are found to the byte',
    input: { 'a.yaml': Buffer.concat([Buffer.from('kind: é\nnäme: '), Buffer.of(0xc3, 0x28)]) },
    problems: [{ code: 'file_encoding', at: '2:7', message: /at byte 16 \(0xC3\)/, remedy: /Save the file as UTF-8/ }],
  },
  {
    promise: 'UTF-16 is named',
    input: { 'a.yaml': Buffer.from('\uFEFFkind: Role', 'utf16le') },
    problems: [{ code: 'file_encoding', at: '1:1', message: /UTF-16/, remedy: /UTF-8/ }],
  },
  {
    promise: 'a NUL byte is found, as in UTF-16 without its mark',
    input: { 'a.yaml': Buffer.from('kind: Role', 'utf16le') },
    problems: [{ code: 'file_encoding', at: '1:2', message: /NUL byte/, remedy: /UTF-8/ }],
  },
  {
    promise: 'a byte order mark in the middle is found, as of two files that were joined',
    input: { 'a.yaml': `\uFEFF${personText('ada')}---\n\uFEFF${personText('grace')}` },
    problems: [{ code: 'file_encoding', at: '9:1', message: /in its middle/, remedy: /Remove the mark/ }],
  },
  {
    promise: 'files over 64 MiB are refused',
    input: { 'a.yaml': Buffer.alloc(64 * 1024 * 1024 + 1, '#'), 'b.yaml': personText('ada') },
    problems: [{ code: 'file_too_large', at: '0:0', message: /64 MiB/, remedy: /Split/ }],
  },
];
