/**
 * How Node is to run the provider. What a call leaves behind is soon garbage, and by itself V8 lets the heap grow to
 * several times what is needed before it looks. The bound leaves room for ten times the objects that Terraform plans
 * in a minute. One thread beside the main one: on a machine of two processors more of them stand in Terraform's way.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=2', '--max-old-space-size=128', '--v8-pool-size=1'];
