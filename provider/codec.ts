/** The codecs of the plugin protocol, for tools that speak it, and for tests. */

export { decode } from './plugin/messages/decode.ts';
export { encode } from './plugin/messages/encode.ts';
export { ProtobufError } from './plugin/messages/fields.ts';
export { calls } from './plugin/messages/messages.ts';
export { makeCertificate } from './plugin/process/certificate.ts';
export { ConformError } from './plugin/values/conform-error.ts';
export { decodeValue } from './plugin/values/decode.ts';
export { encodeValue } from './plugin/values/encode.ts';
export type { Type } from './plugin/values/type.ts';
export { Decimal, Dynamic, isSame, Unknown, unknown, type Value } from './plugin/values/value.ts';
