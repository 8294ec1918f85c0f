/** The codecs of the plugin protocol, for tools that speak it, and for tests. */

export { makeCertificate } from './plugin/certificate.ts';
export { decode } from './protobuf/decode.ts';
export { encode } from './protobuf/encode.ts';
export { ProtobufError } from './protobuf/fields.ts';
export { calls } from './protocol/messages.ts';
export { decodeValue } from './values/decode.ts';
export { encodeValue } from './values/encode.ts';
export { ConformError } from './values/path.ts';
export type { Type } from './values/type.ts';
export { Decimal, Dynamic, isSame, Unknown, unknown, type Value } from './values/value.ts';
