// Maps all values of a message that a model, a client or a store may read. Excluded are only ids, roles, dates, states
// and media types of the right form, and the bytes of files that are not text.
import { listStrings, mapFileText } from '@millrace/processor';
import { hasIdFormat, hasStructureFormat, type JsonValue, type Message, type MessagePart } from '@millrace/contracts';

type FilePart = Extract<MessagePart, { type: 'file' }>;
/** @param kind text: the text of the message; data: all other values */
export type MapValue = (value: JsonValue, kind: 'text' | 'data') => JsonValue;

const MESSAGE_KEEPS = ['id', 'role', 'createdAt', 'threadId', 'resourceId', 'content'];
const CONTENT_KEEPS = ['format', 'parts', 'content'];
const PART_KEEPS = ['type', 'toolInvocation', 'source', 'label'];
const FILE_KEEPS = ['type', 'data', 'mimeType', 'label'];
const INVOCATION_KEEPS = ['state', 'toolCallId', 'isError', 'denied'];
const SOURCE_KEEPS = ['id', 'sourceType'];

/** Members that a caller or a processor could fill with text. */
const FORMATTED = new Set(['createdAt', 'mimeType', 'label']);

/** Returns the message with every such value mapped, or the same message if nothing changed. */
export function mapMessage(message: Message, map: MapValue): Message {
  const { content } = message;
  const parts = content.parts.map((part) => mapPart(part, map));
  const flat = content.content === undefined ? undefined : toText(map(content.content, 'text'));
  const mapped = mapMembers(content, CONTENT_KEEPS, (value) => map(value, 'data'));
  const outer = mapMembers(message, MESSAGE_KEEPS, (value) => map(value, 'data'));
  const isSame =
    mapped === content && flat === content.content && parts.every((part, at) => part === content.parts[at]);
  if (isSame) return outer;
  return { ...outer, content: { ...mapped, parts, ...(flat !== undefined && { content: flat }) } };
}

/** Returns all texts that `mapMessage` visits, one per line. */
export function joinMessageTexts(message: Message): string {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    for (const text of listStrings(value)) texts.push(text);
    return value;
  });
  return texts.join('\n');
}

function mapPart(part: MessagePart, map: MapValue): MessagePart {
  const mapData = (value: JsonValue) => map(value, 'data');
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return mapMembers(part, PART_KEEPS, (value) =>
        typeof value === 'string' ? toText(map(value, 'text')) : mapData(value),
      );
    case 'tool-invocation': {
      const toolInvocation = mapMembers(part.toolInvocation, INVOCATION_KEEPS, mapData);
      const outer = mapMembers(part, PART_KEEPS, mapData);
      return toolInvocation === part.toolInvocation ? outer : { ...outer, toolInvocation };
    }
    case 'source': {
      const source = mapMembers(part.source, hasIdFormat(part.source.id) ? SOURCE_KEEPS : ['sourceType'], mapData);
      const outer = mapMembers(part, PART_KEEPS, mapData);
      return source === part.source ? outer : { ...outer, source };
    }
    case 'file': {
      const outer = mapMembers(part, FILE_KEEPS, mapData);
      const bytes = mapFileData(part, map);
      return bytes === part.data ? outer : { ...outer, data: bytes };
    }
    default:
      // Maps a part of an unknown type like the others, because it is stored too.
      return mapMembers(part, ['type', 'label'], mapData);
  }
}

/** A file is data: the white space of code or a table must stay. */
const mapFileData = ({ data, mimeType }: FilePart, map: MapValue): string =>
  mapFileText(data, mimeType, (text) => map(text, 'data'));

/** Maps all members except the listed ones; returns the same object if nothing changed. */
function mapMembers<T extends object>(object: T, keeps: readonly string[], map: (value: JsonValue) => JsonValue): T {
  const changed = Object.entries(object).flatMap(([name, value]: [string, JsonValue | undefined]) => {
    if (value === undefined || (keeps.includes(name) && hasForm(name, value))) return [];
    const mapped = map(value);
    return mapped === value ? [] : [[name, mapped] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

const hasForm = (name: string, value: JsonValue): boolean =>
  name === 'toolCallId' ? hasIdFormat(value) : !FORMATTED.has(name) || hasStructureFormat(name, value);

/** Keeps a mapped text a string. */
const toText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
