import { createHash } from 'node:crypto';

/** What an executable is for, and whether what it was signed with still fits. */
export interface Executable {
  readonly format: 'ELF' | 'Mach-O' | 'PE';
  readonly processor: 'x64' | 'arm64' | undefined;
  /** `fits`: every page has the hash that the signature names; `there`: a signature that only Windows can check. */
  readonly signature: 'none' | 'there' | 'fits' | 'broken';
}

/** Reads the head of an executable. @throws when it is none */
export function readExecutable(file: Buffer): Executable {
  if (file.readUInt32BE(0) === 0x7f454c46) {
    const processor = processors.ELF[file.readUInt16LE(18)];
    return { format: 'ELF', processor, signature: 'none' };
  }
  if (file.readUInt32LE(0) === 0xfeedfacf) {
    const processor = processors['Mach-O'][file.readUInt32LE(4)];
    return { format: 'Mach-O', processor, signature: appleSignature(file) };
  }
  if (file.toString('latin1', 0, 2) === 'MZ') {
    const head = file.readUInt32LE(0x3c);
    const processor = processors.PE[file.readUInt16LE(head + 4)];
    // The fifth directory of the optional header of a 64-bit program: where its certificates are.
    const certificates = file.readUInt32LE(head + 24 + 112 + 4 * 8);
    return { format: 'PE', processor, signature: certificates === 0 ? 'none' : 'there' };
  }
  throw new Error('no executable');
}

type Processors = Readonly<Record<number, 'x64' | 'arm64' | undefined>>;
const processors: Readonly<Record<Executable['format'], Processors>> = {
  ELF: { 0x3e: 'x64', 0xb7: 'arm64' },
  'Mach-O': { 0x01000007: 'x64', 0x0100000c: 'arm64' },
  PE: { 0x8664: 'x64', 0xaa64: 'arm64' },
};

const codeSignatureCommand = 0x1d;
const codeDirectoryMagic = 0xfade0c02;
const sha256Type = 2;

/** Holds each page of a program against the hashes of its code directory (Apple's cs_blobs.h). */
function appleSignature(file: Buffer): Executable['signature'] {
  const blob = signatureBlob(file);
  if (blob === undefined) return 'none';
  const directories = Array.from({ length: blob.readUInt32BE(8) }, (_, index) =>
    blob.subarray(blob.readUInt32BE(12 + index * 8 + 4)),
  ).filter((each) => each.readUInt32BE(0) === codeDirectoryMagic && each[37] === sha256Type);
  const [directory] = directories;
  if (directory === undefined) return 'broken';
  const [hashes, pages, limit] = [directory.readUInt32BE(16), directory.readUInt32BE(28), directory.readUInt32BE(32)];
  const [hashSize, pageSize] = [directory[36] ?? 0, 2 ** (directory[39] ?? 0)];
  for (let page = 0; page < pages; page += 1) {
    const content = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
    const named = directory.subarray(hashes + page * hashSize, hashes + (page + 1) * hashSize);
    if (!createHash('sha256').update(content).digest().equals(named)) return 'broken';
  }
  return 'fits';
}

function signatureBlob(file: Buffer): Buffer | undefined {
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    if (file.readUInt32LE(at) === codeSignatureCommand) {
      const offset = file.readUInt32LE(at + 8);
      return file.subarray(offset, offset + file.readUInt32LE(at + 12));
    }
    at += file.readUInt32LE(at + 4);
  }
  return undefined;
}
