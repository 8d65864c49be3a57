// Bounds the bytes of an answer that the AI SDK keeps in memory: it reads a body whole, and an event up to its blank line, whatever their size.
import { MillraceError } from '@millrace/contracts';
import type { Fetch } from './http-post.ts';

/**
 * Bytes of one event. The longest one repeats the whole answer, and the instructions and tools of its request: 1 Mi characters of six bytes each
 * (JSON escapes), and 2 MiB.
 */
export const MAX_EVENT_BYTES = 8 * 1024 * 1024;
/** Bytes of a body that is no event stream: 100 vectors of 4,096 numbers need some 10 MiB. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Bytes of an error's body that are read; the rest is dropped. */
export const MAX_ERROR_BODY_BYTES = 1024 * 1024;

/** A blank line, for each form of a line end; the usual form is first. */
const BLANK_LINES = ['\n\n', '\n\r\n', '\r\r'] as const;

/** @returns a function that throws model-answer-too-large if the bytes since the last blank line exceed MAX_EVENT_BYTES */
export function createEventBound(): (bytes: Uint8Array) => void {
  let open = 0;
  let tail: Uint8Array = new Uint8Array();
  return (bytes) => {
    const read = Buffer.concat([tail, bytes]);
    const blankAt = findBlankLine(read);
    open = blankAt < 0 ? open + bytes.length : read.length - blankAt;
    tail = read.subarray(-2);
    if (open > MAX_EVENT_BYTES) throw createTooLargeError('An event', MAX_EVENT_BYTES);
  };
}

/** Returns the index of a blank line near the end, or -1. Reads the bytes once if they hold the usual form. */
function findBlankLine(read: Buffer): number {
  for (const blank of BLANK_LINES) {
    const at = read.lastIndexOf(blank);
    if (at >= 0) return at;
  }
  return -1;
}

export const isEventStream = (contentType: string | null | undefined): boolean =>
  contentType?.toLowerCase().startsWith('text/event-stream') === true;

/** `fetch` with `boundResponse`. */
export const fetchBounded: Fetch = async (url, init) => boundResponse(await fetch(url, init));

/** Returns the response with a bounded body. Its connection is closed at the bound. */
export function boundResponse(response: Response): Response {
  const { body, ok, status, statusText, headers } = response;
  if (!body) return response;
  const isEvents = ok && isEventStream(headers.get('content-type'));
  const bounded = body.pipeThrough(isEvents ? boundEvents() : ok ? boundWhole() : cutWhole());
  return new Response(bounded, { status, statusText, headers });
}

type BodyTransform = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

function boundEvents(): BodyTransform {
  const bound = createEventBound();
  return new TransformStream({
    transform(bytes, controller) {
      bound(bytes);
      controller.enqueue(bytes);
    },
  });
}

function boundWhole(): BodyTransform {
  let read = 0;
  return new TransformStream({
    transform(bytes, controller) {
      read += bytes.length;
      if (read > MAX_BODY_BYTES) throw createTooLargeError('The answer', MAX_BODY_BYTES);
      controller.enqueue(bytes);
    },
  });
}

function cutWhole(): BodyTransform {
  let room = MAX_ERROR_BODY_BYTES;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) controller.terminate();
    },
  });
}

const createTooLargeError = (subject: string, bound: number): MillraceError =>
  new MillraceError('model-answer-too-large', `${subject} of the provider is over ${bound} bytes.`);
