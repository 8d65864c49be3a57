// Builds the part of a message for a file that a client sends inline, as a data URL, or as an http(s) URL.
import { MillraceError, hasMediaTypeFormat, isBase64, type ImageDetail, type MessagePart } from '@millrace/contracts';

/** Characters of the name of a file. */
export const MAX_FILENAME = 256;

type FileOrigin = {
  /** Media type that the request names. */
  given?: string | undefined;
  /** Media type of data that has none. */
  otherType: string;
  filename?: string | null | undefined;
  detail?: ImageDetail | null | undefined;
  /** Member of the request, for errors. */
  path: string;
};
type SubmittedFilePart = Extract<MessagePart, { type: 'file' }>;

/** Guards read the text of a file as UTF-8: in another charset a model could read another text. */
const CHARSETS: ReadonlySet<string> = new Set(['charset=utf-8', 'charset=us-ascii']);
/** Characters of the type and the parameters of a data URL. */
const MAX_HEAD_CHARS = 300;

/** @throws message-invalid for a data URL without base64, with other parameters, or with another type than `given` */
export function createFilePart(data: string, origin: FileOrigin): SubmittedFilePart {
  const { filename, detail } = origin;
  return {
    ...readFile(data, origin),
    ...(filename !== undefined && filename !== null && { filename }),
    ...(detail && { detail }),
  };
}

function readFile(data: string, { given: named, otherType, path }: FileOrigin): SubmittedFilePart {
  // A browser that does not know the type of a file names an empty one.
  const given = named === '' ? undefined : named;
  if (listParameters(given).some((parameter) => parameter.startsWith('charset=') && !CHARSETS.has(parameter)))
    throw createFileError('A file', path, 'has a media type with another parameter than charset=utf-8');
  if (!/^data:/i.test(data)) return { type: 'file', data, mimeType: given ?? otherType };
  const { type, bytes } = splitDataUrl(data, path);
  const mimeType = type === '' ? (given ?? otherType) : type;
  if (given !== undefined && !isSameType(given, mimeType))
    throw createDataUrlError(path, `has another type than "${given.slice(0, MAX_HEAD_CHARS)}"`);
  return { type: 'file', data: bytes, mimeType };
}

function splitDataUrl(url: string, path: string): { type: string; bytes: string } {
  const comma = url.indexOf(',');
  const head = comma > MAX_HEAD_CHARS ? '' : url.slice('data:'.length, Math.max(comma, 0));
  const [type = '', ...parameters] = head.split(';');
  const bytes = url.slice(comma + 1);
  if (parameters.pop()?.toLowerCase() !== 'base64') throw createDataUrlError(path, 'is not encoded as base64');
  if (!isBase64(bytes)) throw createDataUrlError(path, 'has no base64 data');
  if (type !== '' && !hasMediaTypeFormat(type)) throw createDataUrlError(path, 'has no valid media type');
  if (listParameters([type, ...parameters].join(';')).some((parameter) => !CHARSETS.has(parameter)))
    throw createDataUrlError(path, 'has another parameter than charset=utf-8');
  return { type, bytes };
}

const listParameters = (type = ''): string[] => type.toLowerCase().replaceAll(/["\s]/g, '').split(';').slice(1);

/** Parameters, and a type such as image/*, do not count. */
function isSameType(given: string, type: string): boolean {
  const [one, other] = [given, type].map((text) => text.replace(/;.*$/s, '').trim().toLowerCase().split('/'));
  return one?.[0] === other?.[0] && (one?.[1] === other?.[1] || one?.[1] === '*' || other?.[1] === '*');
}

/** Refuses a file by the id of the provider's store: no guard can read it. @throws message-invalid */
export function requireFile(data: string | null | undefined, path: string): string {
  if (data !== undefined && data !== null) return data;
  throw createFileError('A file', path, 'has no data: the gateway stores no files, and takes none by "file_id"');
}

/** Refuses a file in the result of a tool: no guard judges it, and models of chat completions take texts alone. */
export const createResultFileError = (path: string): MillraceError =>
  new MillraceError('not-built-yet', 'The result of a tool has a file, which is not supported.', {
    path,
    remedy: 'Send the result as text, and the file in a message of the user after it.',
  });

const createDataUrlError = (path: string, problem: string): MillraceError =>
  createFileError('A data URL', path, problem);

const createFileError = (subject: string, path: string, problem: string): MillraceError =>
  new MillraceError('message-invalid', `${subject} of the request ${problem}.`, {
    path,
    remedy: 'Send the file as data:TYPE;base64,BYTES, for example data:image/png;base64,iVBORw0KGgo=',
  });

/** Returns the URL of a stored file: its data is a URL or base64. */
export const toFileUrl = ({ data, mimeType }: { data: string; mimeType: string }): string =>
  /^(https?|data):/.test(data) ? data : `data:${mimeType};base64,${data}`;
