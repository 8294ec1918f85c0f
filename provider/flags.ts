/**
 * How Node is to run the provider. What a call leaves behind is soon garbage, and by itself V8 lets the heap grow to
 * several times what is needed before it looks. The bound leaves room for ten times the objects that Terraform plans
 * in a minute.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=2', '--max-old-space-size=128'];
