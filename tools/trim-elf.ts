const magic = Buffer.from('\x7fELF\x02\x01', 'latin1');
const loaded = 1;

/**
 * An executable of Linux without what only a debugger reads: its symbols, and the table of its sections. Of Node's that is
 * a fifth, which Terraform would read again at every command, as it takes the sum of the whole file.
 *
 * @param program of another system, it is given back as it is
 * @see https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
 */
export function trimElf(program: Buffer): Buffer {
  if (!program.subarray(0, magic.length).equals(magic)) return program;
  const [start, size, count] = [
    Number(program.readBigUInt64LE(0x20)),
    program.readUInt16LE(0x36),
    program.readUInt16LE(0x38),
  ];
  const ends = Array.from({ length: count }, (_, index) => start + index * size)
    .filter((header) => program.readUInt32LE(header) === loaded)
    .map((header) => Number(program.readBigUInt64LE(header + 0x08) + program.readBigUInt64LE(header + 0x20)));
  const trimmed = Buffer.from(program.subarray(0, Math.max(...ends)));
  // Where the table of sections is, how many there are, and which of them has their names.
  trimmed.writeBigUInt64LE(0n, 0x28);
  trimmed.writeUInt16LE(0, 0x3c);
  trimmed.writeUInt16LE(0, 0x3e);
  return trimmed;
}
