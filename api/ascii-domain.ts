/** Internationalised domains, which are stored and compared in their ASCII form: `xn--mnchen-3ya.example` for `münchen.example`. */

/**
 * The ASCII form of a domain (UTS 46).
 *
 * @returns the domain as it is if it is ASCII, or if it has no such form: an invisible character, a character that stands for a plain
 *   one, such as of full width, or what no domain may have
 */
export function asciiDomain(domain: string): string {
  const isWritten = /^(?:[A-Za-z0-9._-]|[^\x00-\x7f])+$/.test(domain);
  if (!isWritten || /^[\x00-\x7f]*$/.test(domain) || /\p{Default_Ignorable_Code_Point}/u.test(domain)) return domain;
  // The page has no module of Node's.
  const ascii = URL.parse(`http://${domain}`)?.hostname ?? domain;
  return /(?:^|\.)xn--/.test(ascii) ? ascii : domain;
}

/** An e-mail address with its domain in ASCII. */
export function asciiEmail(email: string): string {
  const domain = email.lastIndexOf('@') + 1;
  return `${email.slice(0, domain)}${asciiDomain(email.slice(domain))}`;
}

/** A connection URI with its host in ASCII. */
export function asciiUri(uri: string): string {
  return uri.replace(
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#:@[\]]+)(?=[:/?#]|$)/,
    (_all, prefix: string, host: string) => `${prefix}${asciiDomain(host)}`,
  );
}
