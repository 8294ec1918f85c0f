/** In milliseconds, and bytes. */
const limits = { answer: 5000, bytes: 256 * 1024 };

/** Makes a request to another server: it takes a bounded time, reads a bounded answer, and follows no redirect, which could lead anywhere. */
export async function fetchBounded(
  address: string,
  options: Pick<RequestInit, 'method' | 'headers'> & { readonly body?: RequestInit['body'] | undefined },
): Promise<Response> {
  const signal = AbortSignal.timeout(limits.answer);
  const answer = await fetch(address, { ...options, body: options.body ?? null, redirect: 'error', signal });
  const parts: Uint8Array[] = [];
  let size = 0;
  // The types of fetch's streams do not include their chunks.
  for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > limits.bytes) throw new Error(`its answer is larger than ${limits.bytes} bytes`);
    parts.push(part);
  }
  const { status, headers } = answer;
  return new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, headers });
}
