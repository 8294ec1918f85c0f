import { frameHeader } from './run-protocol.ts';

/**
 * Takes the frames of a child process apart.
 *
 * @param onFrame gets a frame's kind and its body
 * @returns what takes the next chunk of the child's output
 */
export function frameReader(onFrame: (kind: number, body: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let have = 0;
  let wanted = frameHeader;
  return (chunk) => {
    parts.push(chunk);
    have += chunk.length;
    if (have < wanted) return;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, have);
    for (wanted = sizeOf(bytes); bytes.length >= wanted; wanted = sizeOf(bytes)) {
      onFrame(bytes[0] ?? 0, bytes.subarray(frameHeader, wanted));
      bytes = bytes.subarray(wanted);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    have = bytes.length;
  };
}

/** How long the frame that begins here is; its header, as long as that is not whole. */
function sizeOf(bytes: Buffer): number {
  return bytes.length < frameHeader ? frameHeader : frameHeader + bytes.readUInt32BE(1);
}
