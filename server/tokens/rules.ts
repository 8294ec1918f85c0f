import { isLoopbackHost, scopes } from '@rolecall/api';
import { z } from 'zod';
import { parseSettings } from '../settings-error.ts';

/** Pattern of a token's claim: one of these texts, or a prefix that ends in `*`. */
const claimPattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((text) => !text.slice(0, -1).includes('*'), 'may have a * only at its end')
  .refine((text) => !text.endsWith('*') || /[/:]\*$/.test(text), 'may end in a * only after a / or a :');

const lifetime = z
  .string()
  .regex(/^[1-9]\d{0,3}[smh]$/, 'must be a duration such as 15m')
  .transform((text) => Number(text.slice(0, -1)) * { s: 1, m: 60, h: 3600 }[text.slice(-1) as 's' | 'm' | 'h'])
  .refine((seconds) => seconds >= 60 && seconds <= 3600, 'must be 1m to 1h');

/** The address of an issuer. */
export const issuerUrl = z
  .string()
  .refine(
    (text) => isIssuerUrl(text),
    'must be an https address without query, as the iss claim of the tokens has it (http only for this machine)',
  );

const ruleSchema = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z0-9._-]{1,50}$/, 'must be 1 to 50 letters, digits, dots, hyphens and underscores'),
    issuer: issuerUrl,
    audience: z.string().min(1).max(500),
    claims: z
      .record(z.string().min(1), z.union([claimPattern, z.array(claimPattern).min(1).max(50)]))
      .refine((claims) => Object.keys(claims).length > 0, 'must have at least one claim'),
    scope: z.enum(scopes),
    dataSources: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
    lifetime: lifetime.default(900),
  })
  .superRefine(({ issuer, claims }, context) => {
    const owners = sharedIssuers[issuer];
    if (owners === undefined || owners.some((name) => namesOwner(claims[name]))) return;
    const message = `must have one of ${owners.join(', ')}, with the owner before any *: anyone can get a token of this issuer`;
    context.addIssue({ code: 'custom', path: ['claims'], message });
  });

const trustSchema = z.strictObject({ rules: z.array(ruleSchema).min(1).max(100) }).superRefine(({ rules }, context) => {
  for (const [index, { name }] of rules.entries()) {
    if (rules.findIndex((rule) => rule.name === name) === index) continue;
    context.addIssue({ code: 'custom', path: ['rules', index, 'name'], message: 'is the name of another rule' });
  }
});

/** True if each pattern names the token's owner: `repo:acme/*` does, `repo:*` matches everyone's tokens. */
function namesOwner(wanted: string | readonly string[] | undefined): boolean {
  if (wanted === undefined) return false;
  const patterns = typeof wanted === 'string' ? [wanted] : wanted;
  return patterns.every((pattern) => !pattern.endsWith('*') || /^([^:/*]+\/|[^:*]+:[^:/*]+[/:])/.test(pattern));
}

/** Issuers that give tokens to anyone, and the claims that name a token's owner. */
const sharedIssuers: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    'repository',
    'repository_id',
    'repository_owner',
    'repository_owner_id',
    'sub',
  ],
  'https://gitlab.com': ['project_path', 'project_id', 'namespace_path', 'namespace_id', 'sub'],
};

/** Maps tokens of pipelines to API keys. */
export type TrustRule = z.output<typeof ruleSchema>;

/** Reads the content of a trust file, parsed. @throws SettingsError */
export function parseTrust(value: unknown): TrustRule[] {
  return parseSettings(trustSchema, value).rules;
}

/** The first rule that a verified token fits. A token for several audiences fits none: another of them could use it here. */
export function findRule(
  rules: readonly TrustRule[],
  claims: Readonly<Record<string, unknown>>,
): TrustRule | undefined {
  const { iss, aud } = claims;
  const [audience, ...others] = Array.isArray(aud) ? (aud as readonly unknown[]) : [aud];
  if (others.length > 0) return undefined;
  return rules.find(
    (rule) =>
      rule.issuer === iss &&
      rule.audience === audience &&
      Object.entries(rule.claims).every(([name, wanted]) =>
        fits(Object.hasOwn(claims, name) ? claims[name] : null, wanted),
      ),
  );
}

function fits(value: unknown, wanted: string | readonly string[]): boolean {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  const text = String(value);
  const patterns = typeof wanted === 'string' ? [wanted] : wanted;
  return patterns.some((pattern) =>
    // Something must follow the prefix: the prefix alone names something else.
    pattern.endsWith('*') ? text.length >= pattern.length && text.startsWith(pattern.slice(0, -1)) : text === pattern,
  );
}

function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) return false;
  return isSafe(url);
}

/** Keys fetched over plain HTTP could be anyone's. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
