import { type Fields, type MessageInput, tableOf } from './fields.ts';
import { ProtobufWriter } from './writer.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Writes a message.
 *
 * @throws ProtobufError when a number is not a safe integer
 */
export function encode<F extends Fields>(fields: F, value: MessageInput<F>): Buffer {
  const writer = new ProtobufWriter();
  writeFields(fields, value, writer);
  return writer.finish();
}

function writeFields(fields: Fields, value: Values, writer: ProtobufWriter): void {
  for (const { name, number, field } of tableOf(fields).values()) {
    const content = value[name];
    if (content === undefined) continue;
    switch (field.kind) {
      case 'string':
        if (content !== '') writer.string(number, content as string);
        break;
      case 'bytes':
        if ((content as Uint8Array).length > 0) writer.bytes(number, content as Uint8Array);
        break;
      case 'bool':
        if (content === true) writer.int(number, 1);
        break;
      case 'int':
        if (content !== 0 || field.presence === true) writer.int(number, content as number);
        break;
      case 'message':
        writer.message(number, () => {
          writeFields(field.fields(), content as Values, writer);
        });
        break;
      case 'messages':
        for (const item of content as readonly Values[]) {
          writer.message(number, () => {
            writeFields(field.fields(), item, writer);
          });
        }
        break;
      case 'map':
        for (const [key, item] of Object.entries(content as Readonly<Record<string, Values>>)) {
          writer.message(number, () => {
            writer.string(1, key);
            writer.message(2, () => {
              writeFields(field.fields(), item, writer);
            });
          });
        }
        break;
    }
  }
}
