/**
 * Flags of Node for the provider. A call's objects soon become garbage, and without a bound V8 lets the heap grow to
 * several times the need before it collects. The bound leaves room for ten times the objects that Terraform plans
 * in a minute. One thread beside the main one: on a machine of two processors, more threads would slow Terraform down.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=2', '--max-old-space-size=128', '--v8-pool-size=1'];
