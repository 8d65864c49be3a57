// Keeps the text of structured content and of arguments: the client of MCP parses and writes messages itself, JSON.parse rounds numbers, and
// JSON.stringify writes another text. The bytes of the server are changed before: the content becomes an object with its text under a random
// name, which no server can know. The bytes for the server are changed after: such an object becomes its text.
import { Writable } from 'node:stream';
import { ReadBuffer, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readJson, takeMemberText, type JsonObject } from '@millrace/contracts';

const NAME = `millrace-${crypto.randomUUID()}`;

/** Returns the text of structured content that was kept. */
export function readKeptText(content: unknown): string | undefined {
  const text = typeof content === 'object' && content !== null ? Reflect.get(content, NAME) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Returns the message with kept content, or the same text. @param message JSON-RPC */
export function keepContent(message: string): string {
  if (!message.includes('"structuredContent"') || !readJson(message)) return message;
  const found = takeMemberText(message, ['result', 'structuredContent']);
  if (!found || JSON.stringify(JSON.parse(found.text)) === found.text) return message;
  const kept = JSON.stringify({ [NAME]: found.text });
  return `${message.slice(0, found.start)}${kept}${message.slice(found.end)}`;
}

/** Returns arguments that the transports of this module send as the text. @param text of a JSON object */
export const keepArguments = (text: string): JsonObject => ({ [NAME]: text });

/** Returns the message with the text of its kept arguments, or the same text. @param message JSON-RPC */
export function writeArguments(message: string): string {
  if (!message.includes(NAME)) return message;
  const found = takeMemberText(message, ['params', 'arguments']);
  const text = found && readKeptText(JSON.parse(found.text));
  return text === undefined ? message : `${message.slice(0, found?.start)}${text}${message.slice(found?.end)}`;
}

const findEnd = (text: string, mark: string): number => {
  const at = text.lastIndexOf(mark);
  return at < 0 ? 0 : at + mark.length;
};

/** Characters before the last one of an end: an end may begin in the parts before. */
const END_REACH = 2;

/** Returns a stream that keeps the content of each event of server-sent events. @param maxChars of one event */
export function createEventKeeper(maxChars: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest: string[] = [];
  let length = 0;
  let tail = '';
  const dropRest = (): string => {
    const text = rest.join('');
    [rest, length, tail] = [[], 0, ''];
    return text;
  };
  const addRest = (text: string): void => {
    rest.push(text);
    length += text.length;
    tail = (tail + text).slice(-END_REACH);
  };
  return new TransformStream({
    transform(part, controller) {
      const text = decoder.decode(part, { stream: true });
      const searched = tail + text;
      const end = Math.max(findEnd(searched, '\n\n'), findEnd(searched, '\n\r\n')) - tail.length;
      if (end > 0) {
        const events = dropRest() + text.slice(0, end);
        for (const event of events.split(/(?<=\r?\n\r?\n)/)) controller.enqueue(encoder.encode(keepEvent(event)));
      }
      addRest(text.slice(Math.max(0, end)));
      if (length > maxChars) throw new Error(`an event has more than ${maxChars} characters`);
    },
    flush: (controller) => controller.enqueue(encoder.encode(keepEvent(dropRest() + decoder.decode()))),
  });
}

function keepEvent(event: string): string {
  if (!event.includes('"structuredContent"')) return event;
  const lines = event.split(/\r?\n/);
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, ''));
  const others = lines.filter((line) => line !== '' && !line.startsWith('data:'));
  const kept = keepContent(data.join('\n')).split('\n');
  return `${[...others, ...kept.map((line) => `data: ${line}`)].join('\n')}\n\n`;
}

/** Reads the lines of a process, and keeps the content of each. */
class KeepingBuffer extends ReadBuffer {
  readonly #maxBytes: number;
  /** The parts of a line without its end. */
  #rest: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    super({ maxBufferSize: maxBytes });
    this.#maxBytes = maxBytes;
  }

  override append(part: Buffer): void {
    const end = part.lastIndexOf('\n') + 1;
    if (end > 0) {
      const lines = Buffer.concat([...this.#dropRest(), part.subarray(0, end)]).toString('utf8');
      super.append(Buffer.from(lines.split('\n').map(keepContent).join('\n')));
    }
    this.#rest.push(part.subarray(end));
    this.#length += part.length - end;
    // The buffer refuses a line that is too long.
    if (this.#length > this.#maxBytes) super.append(Buffer.concat(this.#dropRest()));
  }

  override clear(): void {
    this.#dropRest();
    super.clear();
  }

  #dropRest(): Buffer[] {
    const parts = this.#rest;
    [this.#rest, this.#length] = [[], 0];
    return parts;
  }
}

type ProcessParts = ConstructorParameters<typeof StdioClientTransport>[0] & { maxBufferSize: number };

/** Sends one line for each message: a line break between two values of the arguments becomes a blank. */
class KeepingProcess extends StdioClientTransport {
  override send(message: JSONRPCMessage): Promise<void> {
    const line = JSON.stringify(message);
    const written = writeArguments(line);
    if (written === line) return super.send(message);
    const child: unknown = Reflect.get(this, '_process');
    const stdin: unknown = typeof child === 'object' && child !== null ? Reflect.get(child, 'stdin') : undefined;
    if (!(stdin instanceof Writable)) throw new Error('the process of an MCP server is not running');
    const { promise, resolve } = Promise.withResolvers<void>();
    if (stdin.write(`${written.replaceAll(/[\r\n]/g, ' ')}\n`)) resolve();
    else stdin.once('drain', resolve);
    return promise;
  }
}

/** Creates the transport of a process. Its reader is a field without a parameter. */
export function createKeepingProcess(parts: ProcessParts): StdioClientTransport {
  const transport = new KeepingProcess(parts);
  if (!Reflect.has(transport, '_readBuffer')) throw new Error('the transport of MCP has no buffer under its name');
  Reflect.set(transport, '_readBuffer', new KeepingBuffer(parts.maxBufferSize));
  return transport;
}
