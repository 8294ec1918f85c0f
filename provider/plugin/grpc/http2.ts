/**
 * Node's HTTP/2, read when it is first asked for: the snapshot from which the executable starts is made before that, and
 * cannot hold it.
 */
export const http2 = () => process.getBuiltinModule('node:http2');
