/**
 * How Node is to run the provider. What a call leaves behind is young and many calls are side by side, so that by
 * itself V8 would let the heap grow to several times what is needed.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=2', '--max-old-space-size=256'];
