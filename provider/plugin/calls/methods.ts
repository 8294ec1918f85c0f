import type { Provider } from '../framework/provider.ts';
import { openSession } from '../framework/session.ts';
import { GrpcError, grpcStatus } from '../grpc/frame.ts';
import type { Method, Methods } from '../grpc/server.ts';
import { decode } from '../messages/decode.ts';
import { encode } from '../messages/encode.ts';
import { ProtobufError } from '../messages/fields.ts';
import { type CallName, calls } from '../messages/messages.ts';
import type { Log } from '../process/log.ts';
import { actionCalls } from './actions.ts';
import { applyCalls } from './apply.ts';
import { configureCalls } from './configure.ts';
import { functionCalls } from './functions.ts';
import type { Handler, Handlers, ResponseOf } from './handlers.ts';
import { listCalls } from './list.ts';
import { planCalls } from './plan.ts';
import { readCalls } from './read.ts';
import { schemaCalls } from './schemas.ts';
import { upgradeCalls } from './upgrade.ts';
import { validateCalls } from './validate.ts';

const service = '/tfplugin6.Provider/';

/** The methods of one connection of Terraform's, with a configuration of its own. */
export function openProvider<W>(provider: Provider<W>, log: Log): Methods {
  const session = openSession(provider, log);
  const handlers: Handlers = {
    ...schemaCalls(session),
    ...validateCalls(session),
    ...configureCalls(session),
    ...planCalls(session),
    ...applyCalls(session),
    ...readCalls(session),
    ...upgradeCalls(session),
    ...listCalls(session),
    ...functionCalls(session),
    ...actionCalls(session),
  };
  return (path) => {
    const name = path.startsWith(service) ? path.slice(service.length) : '';
    if (!Object.hasOwn(calls, name)) return undefined;
    // Looked up in the table of calls just now.
    const call = name as CallName;
    const handler = handlers[call];
    // Each handler takes the request of its own call; the name in a variable hides that.
    return handler === undefined ? undefined : toMethod(call, handler as Handler<CallName>, log);
  };
}

type AnyResponse = ResponseOf<CallName>;

function toMethod(name: CallName, handler: Handler<CallName>, log: Log): Method {
  const { request: requestFields, response: responseFields } = calls[name];
  const write = (response: AnyResponse): Buffer => encode(responseFields, response);
  return (message) => {
    log('trace', 'call', { call: name });
    let request: object;
    try {
      request = decode(requestFields, message);
    } catch (error) {
      if (error instanceof ProtobufError) throw new GrpcError(grpcStatus.invalidArgument, `${name}: ${error.message}`);
      throw error;
    }
    const answer = handler(request);
    return Symbol.asyncIterator in answer ? writeAll(answer, write) : Promise.resolve(answer).then(write);
  };
}

async function* writeAll(answers: AsyncIterable<AnyResponse>, write: (answer: AnyResponse) => Buffer) {
  for await (const answer of answers) yield write(answer);
}
