// Builds the text that the model judges: the text itself, or a JSON object with the inputs that it refers to. JSON
// frames each input, so that the end of one cannot imitate another.
import {
  findFileKind,
  isBase64,
  readMessageText,
  listModelParts,
  type FileKind,
  type JsonValue,
  type Message,
} from '@millrace/contracts';
import type { ModelFile } from '@millrace/models';
import type { MessageList } from '@millrace/processor';
import type { JudgedInput } from './judge-options.ts';

/** `text`: a message, a window of the answer or a tool result. `file`: the kind of the attached file. */
export type Subject = { text: string } | { toolCall: { tool: string; arguments: JsonValue } } | { file: FileKind };

/** `message`: id of the message with the file. */
export type JudgedFile = { message: string; kind: FileKind; file: ModelFile };

/** Returns the files of the kinds. The orchestrator does not pass a file behind a URL. */
export function listJudgedFiles({ id, content }: Message, kinds: readonly FileKind[] = []): JudgedFile[] {
  return content.parts.flatMap((part) => {
    if (part.type !== 'file' || !isBase64(part.data)) return [];
    const kind = findFileKind(part.mimeType);
    if (kind === undefined || !kinds.includes(kind)) return [];
    return [{ message: id, kind, file: { mediaType: part.mimeType, data: part.data } }];
  });
}

type InputLimits = { include: readonly JudgedInput[]; maxCharacters: number };

/** Code units of remembered messages in `request`; the newest are kept. The messages of the run are never cut. */
const MAX_REMEMBERED = 8_192;

/** The result may exceed `maxCharacters` if the subject and the request alone do: the judge then blocks. */
export function buildJudgedText(
  { include, maxCharacters }: InputLimits,
  subject: Subject,
  messageList: MessageList,
): string {
  if ('text' in subject && include.length === 0) return subject.text;
  const given = { ...subject, ...(include.includes('request') && { request: listRequest(messageList) }) };
  if (!include.includes('sources')) return JSON.stringify(given);
  const room = maxCharacters - JSON.stringify({ ...given, sources: [] }).length;
  return JSON.stringify({ ...given, sources: keepNewest(listSources(messageList), room) });
}

/** Texts of users and of the assistant, in order. */
function listRequest({ get }: MessageList): { role: string; text: string }[] {
  const toTurns = (messages: readonly Message[]) =>
    messages.flatMap((message) => {
      const text = readMessageText(message);
      return text === '' || (message.role !== 'user' && message.role !== 'assistant')
        ? []
        : [{ role: message.role, text }];
    });
  return [...keepNewest(toTurns(get.remembered.db()), MAX_REMEMBERED), ...toTurns(get.input.db())];
}

/** Everything that the assistant could look up, the newest last. */
function listSources(list: MessageList): string[] {
  const remembered = list.get.remembered.db();
  return [
    ...list.getAllSystemMessages().map(({ content }) => content),
    ...remembered.map(readMessageText),
    ...[...remembered, ...list.get.input.db(), ...list.get.response.db()].flatMap(listToolResults),
  ].filter((text) => text.trim() !== '');
}

const listToolResults = (message: Message): string[] =>
  listModelParts(message).flatMap((part) => {
    if (part.type !== 'tool-invocation') return [];
    const { result } = part.toolInvocation;
    return result === undefined ? [] : [typeof result === 'string' ? result : JSON.stringify(result)];
  });

/** Keeps the last values that fit into `room` code units of JSON. The oldest of them, if it is a text, is cut to the rest. */
function keepNewest<T>(values: readonly T[], room: number): T[] {
  const kept: T[] = [];
  let left = room;
  for (const value of values.toReversed()) {
    const size = JSON.stringify(value).length + 1;
    if (size > left) {
      const cut = typeof value === 'string' ? cutText(value, left) : '';
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a text is cut, and to a text
      return cut === '' ? kept : [cut as T, ...kept];
    }
    left -= size;
    kept.unshift(value);
  }
  return kept;
}

/** Keeps the beginning of a text. In JSON a code unit takes at most six. */
const cutText = (text: string, room: number): string => {
  const cut = text.slice(0, Math.max(0, room - 3)).toWellFormed();
  return JSON.stringify(cut).length + 1 <= room ? cut : cut.slice(0, Math.floor(cut.length / 6)).toWellFormed();
};
