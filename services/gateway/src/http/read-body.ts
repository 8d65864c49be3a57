// Reads the JSON body of a request within its limit, and checks it against a schema.
import { MillraceError, REQUEST_BOUNDS, attachTexts, findExcess, parseValue } from '@millrace/contracts';
import type { z } from 'zod';

/** `onBytes` receives the number of bytes that have arrived; if it throws, its error refuses the body. */
export type BodyReading = { maxBytes: number; onBytes?: (bytes: number) => void };

/** A body of at most this declared length is not counted. */
const SMALL_BYTES = 16 * 1_024;

/** Reads no compressed body: a few bytes may decompress to any size. @throws message-too-large, message-invalid with every problem */
export async function readJsonBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  reading: BodyReading,
): Promise<z.output<S>> {
  return checkValue(parseBody(await readBytes(request, reading)), schema, 'The body');
}

/** @throws message-invalid */
export function checkValue<S extends z.ZodType>(value: unknown, schema: S, name: string): z.output<S> {
  const parsed = parseValue(schema, value);
  if ('ok' in parsed) return parsed.ok;
  const { issues } = parsed;
  const [first] = issues;
  throw new MillraceError(
    'message-invalid',
    `${name} is invalid: ${first?.path ?? ''} ${first?.message ?? ''}`.trim(),
    {
      path: first?.path,
      issues,
      remedy: 'Correct the listed members; GET /openapi.json has the schemas.',
    },
  );
}

/**
 * Returns a text of JSON within the bounds of a request. The server reads no more than the declared length.
 * @throws message-too-large, message-invalid, errors of `onBytes`
 */
export async function readBodyText(request: Request, reading: BodyReading): Promise<string> {
  return decodeBounded(await readBytes(request, reading));
}

function decodeBounded(bytes: Uint8Array): string {
  const excess = findExcess(bytes, REQUEST_BOUNDS);
  if (excess !== undefined) throw createExcessError(excess);
  return new TextDecoder().decode(bytes);
}

async function readBytes(request: Request, reading: BodyReading): Promise<Uint8Array> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw createEncodingError(encoding);
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > reading.maxBytes) throw createSizeError(reading.maxBytes);
  // The text of the server's request needs no web stream, unlike its body.
  const isSmall = declared !== null && Number(declared) <= SMALL_BYTES;
  try {
    return await (isSmall ? readSmall(request) : readStream(request.body, reading));
  } catch (error) {
    throw isAborted(error) ? createCutOffError(error) : error;
  }
}

const readSmall = async (request: Request): Promise<Uint8Array> => new Uint8Array(await request.arrayBuffer());

/** Returns whether the client has closed the connection: no defect of the gateway. */
const isAborted = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const createCutOffError = (cause: unknown): MillraceError =>
  new MillraceError('message-invalid', 'The connection closed before the end of the body.', { cause });

/** Rejects at once if `onBytes` throws. */
function readStream(body: ReadableStream<Uint8Array> | null, reading: BodyReading): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  void readToEnd(body, reading, reject).then(resolve, reject);
  return promise;
}

/** Reads on after a refusal, without keeping the bytes: the server closes a connection with an unread body. */
async function readToEnd(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, onBytes }: BodyReading,
  refuse: (error: unknown) => void,
): Promise<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let isRefused = false;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw createSizeError(maxBytes);
    if (isRefused) continue;
    try {
      onBytes?.(part.byteLength);
      parts.push(part);
    } catch (error) {
      isRefused = true;
      parts = [];
      refuse(error);
    }
  }
  return Buffer.concat(parts);
}

/** Parses a body of at most `REQUEST_BOUNDS`; an empty one is an empty object. @throws message-invalid */
export function parseBody(bytes: Uint8Array): unknown {
  const text = decodeBounded(bytes);
  if (text.trim() === '') return {};
  try {
    return attachTexts(JSON.parse(text), text, 'request');
  } catch (error) {
    if (MillraceError.isInstance(error)) throw error;
    throw new MillraceError('message-invalid', 'The body is not JSON.', {
      cause: error,
      remedy: 'Send a JSON object with content-type: application/json.',
    });
  }
}

const createExcessError = (excess: string): MillraceError =>
  new MillraceError('message-invalid', `The body ${excess}.`, {
    remedy: 'Flatten it, or send the data as a text.',
  });

const createEncodingError = (encoding: string): MillraceError =>
  new MillraceError('message-invalid', `The gateway reads no body of the encoding "${encoding.slice(0, 100)}".`, {
    path: 'content-encoding',
    remedy: 'Send the body without compression.',
  });

const createSizeError = (maxBytes: number): MillraceError =>
  new MillraceError('message-too-large', `The body is larger than ${maxBytes} bytes.`, {
    remedy: 'Send less, or raise MAX_BODY_BYTES of the gateway.',
  });
