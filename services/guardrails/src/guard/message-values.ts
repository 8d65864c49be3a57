// Maps all values of a message that a model, a client or a store may read, and the names of unknown members. Excluded are only
// ids, roles, dates and states of the right form, known types of parts and media, and the bytes of files that are not text.
import {
  isKnownName,
  listTexts,
  mapFileText,
  mapMetadata,
  withMappedMembers,
  type MappedMember,
} from '@millrace/processor';
import {
  hasIdFormat,
  hasStructureFormat,
  isKnownPartType,
  type JsonValue,
  type Message,
  type MessagePart,
} from '@millrace/contracts';

type FilePart = Extract<MessagePart, { type: 'file' }>;
/** @param kind text: the text of the message; data: all other values */
export type MapValue = (value: JsonValue, kind: 'text' | 'data') => JsonValue;

const MESSAGE_KEEPS = ['id', 'role', 'createdAt', 'threadId', 'resourceId', 'content'];
const CONTENT_KEEPS = ['format', 'parts', 'content'];
const PART_KEEPS = ['type', 'toolInvocation', 'source', 'label'];
const REASONING_KEEPS = [...PART_KEEPS, 'providerMetadata'];
const FILE_KEEPS = ['type', 'data', 'mimeType', 'label'];
const INVOCATION_KEEPS = ['state', 'toolCallId', 'isError', 'denied'];

/** Members that a caller or a processor could fill with text. */
const FORMATTED = new Set(['createdAt', 'mimeType', 'label', 'threadId', 'resourceId', 'sourceType']);

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
    for (const text of listTexts(value)) texts.push(text);
    return value;
  });
  return texts.join('\n');
}

function mapPart(part: MessagePart, map: MapValue): MessagePart {
  const mapData = (value: JsonValue) => map(value, 'data');
  switch (part.type) {
    case 'text':
      return mapTextPart(part, PART_KEEPS, map);
    case 'reasoning': {
      const outer = mapTextPart(part, REASONING_KEEPS, map);
      const providerMetadata = mapMetadata(part.providerMetadata, mapData);
      return providerMetadata === part.providerMetadata ? outer : { ...outer, providerMetadata };
    }
    case 'tool-invocation': {
      const toolInvocation = mapMembers(part.toolInvocation, INVOCATION_KEEPS, mapData);
      const outer = mapMembers(part, PART_KEEPS, mapData);
      return toolInvocation === part.toolInvocation ? outer : { ...outer, toolInvocation };
    }
    case 'source': {
      const source = mapMembers(part.source, ['sourceType'], mapData);
      const outer = mapMembers(part, PART_KEEPS, mapData);
      return source === part.source ? outer : { ...outer, source };
    }
    case 'file': {
      const outer = mapMembers(part, FILE_KEEPS, mapData);
      const bytes = mapFileData(part, map);
      return bytes === part.data ? outer : { ...outer, data: bytes };
    }
    default:
      return mapOtherPart(part, mapData);
  }
}

const mapTextPart = <P extends MessagePart>(part: P, keeps: readonly string[], map: MapValue): P =>
  mapMembers(part, keeps, (value) => (typeof value === 'string' ? toText(map(value, 'text')) : map(value, 'data')));

/** Maps a part of an unknown type, its type included, because it is stored too. */
function mapOtherPart<P extends { type: string }>(part: P, map: (value: JsonValue) => JsonValue): P {
  if (isKnownPartType(part.type)) return mapMembers(part, PART_KEEPS, map);
  const type = toText(map(part.type));
  const mapped = mapMembers(part, ['type', 'label'], map);
  if (type === part.type) return mapped;
  // A part of a known type has another shape.
  return { ...mapped, type: isKnownPartType(type) ? `data-${type}` : type };
}

/** A file is data: the white space of code or a table must stay. */
const mapFileData = ({ data, mimeType }: FilePart, map: MapValue): string =>
  mapFileText(data, mimeType, (text) => map(text, 'data'));

/** Maps all members except the listed ones, and the names that are not known; returns the same object if nothing changed. */
function mapMembers<T extends object>(object: T, keeps: readonly string[], map: (value: JsonValue) => JsonValue): T {
  const members = Object.entries(object).map(([before, value]: [string, JsonValue | undefined]): MappedMember => {
    if (value === undefined || (keeps.includes(before) && hasForm(before, value)))
      return { before, name: before, value };
    if (isKnownName(before)) return { before, name: before, value: map(value) };
    const [[name, mapped] = [before, value]] = Object.entries(Object(map({ [before]: value })));
    return { before, name, value: mapped };
  });
  return withMappedMembers(object, members);
}

function hasForm(name: string, value: JsonValue): boolean {
  if (name === 'toolCallId') return hasIdFormat(value);
  if (!FORMATTED.has(name)) return true;
  return (name === 'label' || typeof value === 'string') && hasStructureFormat(name, value);
}

/** Keeps a mapped text a string. */
const toText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
