// Keeps the text of structured content: the client of MCP parses a message before anything else reads it, and JSON.parse
// rounds numbers. The bytes of the server are changed before: the content becomes an object with its text under a random
// name, which no server can know.
import { ReadBuffer } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readJson, takeMemberText } from '@millrace/contracts';

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

const findEnd = (text: string, mark: string): number => {
  const at = text.lastIndexOf(mark);
  return at < 0 ? 0 : at + mark.length;
};

/** Returns a stream that keeps the content of each event of server-sent events. @param maxChars of one event */
export function createEventKeeper(maxChars: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new TransformStream({
    transform(part, controller) {
      const text = rest + decoder.decode(part, { stream: true });
      const end = Math.max(findEnd(text, '\n\n'), findEnd(text, '\n\r\n'));
      rest = text.slice(end);
      if (rest.length > maxChars) throw new Error(`an event has more than ${maxChars} characters`);
      for (const event of text.slice(0, end).split(/(?<=\r?\n\r?\n)/))
        controller.enqueue(encoder.encode(keepEvent(event)));
    },
    flush: (controller) => controller.enqueue(encoder.encode(keepEvent(rest + decoder.decode()))),
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
      const lines = Buffer.concat([...this.#rest, part.subarray(0, end)]).toString('utf8');
      this.#keepRest([]);
      super.append(Buffer.from(lines.split('\n').map(keepContent).join('\n')));
    }
    this.#keepRest([...this.#rest, part.subarray(end)]);
    if (this.#length <= this.#maxBytes) return;
    const long = Buffer.concat(this.#rest);
    this.#keepRest([]);
    // The buffer refuses a line that is too long.
    super.append(long);
  }

  override clear(): void {
    this.#keepRest([]);
    super.clear();
  }

  #keepRest(parts: Buffer[]): void {
    this.#rest = parts;
    this.#length = parts.reduce((sum, { length }) => sum + length, 0);
  }
}

type ProcessParts = ConstructorParameters<typeof StdioClientTransport>[0] & { maxBufferSize: number };

/** Creates the transport of a process. Its reader is a field without a parameter. */
export function createKeepingProcess(parts: ProcessParts): StdioClientTransport {
  const transport = new StdioClientTransport(parts);
  if (!Reflect.has(transport, '_readBuffer')) throw new Error('the transport of MCP has no buffer under its name');
  Reflect.set(transport, '_readBuffer', new KeepingBuffer(parts.maxBufferSize));
  return transport;
}
