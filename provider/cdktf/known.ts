import { DefaultTokenResolver, StringConcat, Token, Tokenization } from 'cdktf';
import type { Construct } from 'constructs';
import { PropertyError, UnresolvedTokenError } from './errors.ts';

/**
 * Refuses a token where a value has to be known at synthesis.
 *
 * @param property what the value is called, such as `members[1]`
 * @param remedy what to pass instead, as a sentence
 * @throws UnresolvedTokenError that names the construct, the property and the expression
 */
export function needKnown(construct: Construct, property: string, value: unknown, remedy: string): void {
  if (Token.isUnresolved(value))
    throw new UnresolvedTokenError(construct, property, expressionOf(construct, value), remedy);
}

/** The same for a text that must not be empty either. */
export function needText(construct: Construct, property: string, value: string, remedy: string): void {
  needKnown(construct, property, value, remedy);
  if (value === '') throw new PropertyError(construct, property, 'is empty', remedy);
}

function expressionOf(construct: Construct, value: unknown): string {
  const resolver = new DefaultTokenResolver(new StringConcat());
  const resolved: unknown = Tokenization.resolve(value, { scope: construct, resolver, preparing: false });
  return typeof resolved === 'string' ? resolved : JSON.stringify(resolved);
}
