/** Networks by address, and which of them a process may connect to. */

export { type Address, formatAddress, parseAddress, parseNumericHost, writtenAddresses } from './address.ts';
export { NetworkError, type NetworkRules, networkPolicy, parseNetwork } from './networks.ts';
