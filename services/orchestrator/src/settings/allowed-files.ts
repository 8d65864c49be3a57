// Applies `files` of an agent: refuses files of a request, and replaces files of a prompt that memory or a processor has
// added. A file is its media type and its bytes: the same file in another message has the same verdict. Pure.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  findFileKind,
  isBase64,
  isKnownMediaType,
  isObject,
  isPlainType,
  isTextType,
  listJudgedKinds,
  type Conversation,
  type FileKind,
  type Files,
  type Issue,
  type Message,
  type MessagePart,
  type Plan,
  type PlanEntry,
  type Prompt,
  type RunState,
  type StageInput,
} from '@millrace/contracts';

export type SubmittedFile = Extract<MessagePart, { type: 'file' }>;
type FileContent = { data: unknown; mimeType: unknown };

/** `passed`: hashes of the files that entries of the input have judged and passed. */
export type FileRule = { files: Files | undefined; passed: ReadonlySet<string> };

/** Returns an issue for each file of the messages that the agent does not accept, whatever its processors find. */
export function findFileIssues(plan: Plan, messages: readonly Message[]): Issue[] {
  const { files } = plan;
  if (files === undefined || files === 'pass') return [];
  const kinds = files === 'judged' ? listJudgedKinds(plan) : [];
  return listFiles(messages).flatMap(({ path, part }): Issue[] => {
    if (isReadable(part) ? files !== 'refuse' : isOfKind(part, kinds)) return [];
    return [{ code: 'run-refused', path, ...describeRefusal(files, kinds) }];
  });
}

/** Returns the hashes of the files that the entry leaves in the input: those that it has kept, or put in place of others. */
export function listPassedFiles({ judgesFiles }: PlanEntry, { conversation }: StageInput): string[] {
  if (!judgesFiles) return [];
  return listInputFiles(conversation)
    .filter((part) => isOfKind(part, judgesFiles))
    .map(hashFile);
}

/** Returns the hashes of files that the messages of the source input still have. */
export function selectPassed(passed: readonly string[], { conversation }: Pick<StageInput, 'conversation'>): string[] {
  if (passed.length === 0) return [];
  const left = new Set(listInputFiles(conversation).map(hashFile));
  return passed.filter((hash) => left.has(hash));
}

type FileState = Pick<RunState, 'request' | 'applied' | 'conversation' | 'passedFiles'>;

/** Returns an issue for the first submitted file in the input that no entry has passed. */
export function findUnpassedFile({ request, conversation, passedFiles }: FileState): Issue | undefined {
  const left = new Set(
    listInputFiles(conversation)
      .filter((part) => !isReadable(part))
      .map(hashFile),
  );
  const isUnpassed = (hash: string) => left.has(hash) && !passedFiles.includes(hash);
  const found = listFiles(request.messages).find(({ part }) => isUnpassed(hashFile(part)));
  return found && { code: 'run-refused', path: found.path, ...UNPASSED };
}

/** Returns the files of the prompt that no entry has passed, and that an entry can judge; each one once. */
export function listUnpassedFiles({ conversation, passedFiles, applied }: FileState): SubmittedFile[] {
  const kinds = listJudgedKinds(applied.plan);
  const users = conversation.entries.flatMap(({ message }) => (message.role === 'user' ? [message] : []));
  const found = listFiles(users).flatMap(({ part }) =>
    isOfKind(part, kinds) ? [[hashFile(part), part] as const] : [],
  );
  const passed = new Set(passedFiles);
  return [...new Map(found)].flatMap(([hash, part]) => (passed.has(hash) ? [] : [part]));
}

const listInputFiles = (conversation: Conversation | undefined): SubmittedFile[] => {
  const own = conversation?.entries.filter(({ source }) => source === 'input') ?? [];
  return listFiles(own.map(({ message }) => message)).map(({ part }) => part);
};

/** A model, and the model of a processor, could read other bytes behind a URL than the other one. */
function isOfKind({ data, mimeType }: FileContent, kinds: readonly FileKind[]): boolean {
  const kind = findFileKind(mimeType);
  return kind !== undefined && kinds.includes(kind) && typeof data === 'string' && isBase64(data);
}

const hashFile = ({ data, mimeType }: FileContent): string =>
  createHash('sha256')
    .update(`${String(mimeType).toLowerCase()}\0`)
    .update(String(data))
    .digest('base64url');

/** Maximum number of listed files. */
const MAX_UNJUDGED = 100;

/** Returns the paths of the first files that no guard has read. */
export const listUnjudged = (messages: readonly Message[], passed: ReadonlySet<string>): string[] =>
  listFiles(messages)
    .flatMap(({ path, part }) => (isReadable(part) || passed.has(hashFile(part)) ? [] : [path]))
    .slice(0, MAX_UNJUDGED);

/** Returns the files of the messages with their paths. */
function listFiles(messages: readonly Message[]) {
  return messages.flatMap(({ content }, at) =>
    content.parts.flatMap((part, n) =>
      part.type === 'file' ? [{ path: `messages[${at}].content.parts[${n}]`, part }] : [],
    ),
  );
}

const REFUSALS = {
  refuse: {
    message: 'This agent accepts no files: its processors judge text.',
    remedy:
      'Send the content as text, or set `files: text` (text files), `files: judged` (with a processor that judges files) or `files: pass` (all, unjudged) in the agent.',
  },
  text: {
    message: 'This agent accepts only files that its processors read: UTF-8 of a text type as base64, no URL.',
    remedy: 'Send such a file or its text, or set `files: pass` (all files, unjudged) in the agent.',
  },
};

/** Refuses a file that no entry of the run judges. */
const describeRefusal = (files: 'refuse' | 'text' | 'judged', kinds: readonly FileKind[]) =>
  files !== 'judged'
    ? REFUSALS[files]
    : {
        message: `This agent accepts only files that its processors read, UTF-8 of a text type, or judge in this run: ${kinds.join(', ') || 'none'}; as base64, no URL.`,
        remedy: 'Send such a file or its text, or set `files: pass` (all files, unjudged) in the agent.',
      };

const UNPASSED = {
  message: 'No processor of this run has judged and passed this file.',
  remedy:
    'Repeat the run when the processor that judges files answers, because its failure was skipped, or set `files: pass` (all files, unjudged) in the agent.',
};

function isAllowed({ files, passed }: FileRule, file: FileContent): boolean {
  if (files === undefined || files === 'pass') return true;
  if (files === 'refuse') return false;
  return isReadable(file) || (files === 'judged' && passed.has(hashFile(file)));
}

/** Returns whether guards read all of the file: behind a URL, or in another encoding, a model could read another text. */
function isReadable({ data, mimeType }: FileContent): boolean {
  if (!isTextType(mimeType) || !isPlainType(mimeType) || typeof data !== 'string' || !isBase64(data)) return false;
  const bytes = Buffer.from(data, 'base64');
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Types of parts of a prompt that are no files. */
const NO_FILES: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call', 'tool-approval-response']);

/** Returns the prompt with a text in place of each file that the agent does not accept; the same prompt without any. */
export function omitFiles(prompt: Prompt, rule: FileRule): Prompt {
  if (rule.files === undefined || rule.files === 'pass') return prompt;
  return mapChanged(prompt, (message) => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const parts: unknown[] = mapChanged(content, (part: unknown) => omitFile(part, rule));
    return parts === content ? message : { ...message, content: parts };
  });
}

function omitFile(part: unknown, rule: FileRule): unknown {
  if (!isObject(part) || NO_FILES.has(part['type'])) return part;
  const { type, output } = part;
  if (type === 'tool-result') {
    if (!isObject(output) || output['type'] !== 'content' || !Array.isArray(output['value'])) return part;
    const value = mapChanged(output['value'], (one: unknown) => omitFile(one, rule));
    return value === output['value'] ? part : { ...part, output: { ...output, value } };
  }
  const { data, mediaType } = part;
  const isFile = type === 'file' && isObject(data) && data['type'] === 'data';
  if (isFile && isAllowed(rule, { data: data['data'], mimeType: mediaType })) return part;
  return { type: 'text', text: writeOmittedFile(mediaType, REASONS[rule.files ?? 'refuse']) };
}

/** Returns the text that takes the place of a file in a prompt. */
export function writeOmittedFile(mediaType: unknown, reason: string): string {
  const named = isKnownMediaType(mediaType) ? ` of the type ${String(mediaType)}` : '';
  return `[A file${named} is omitted here: ${reason}.]`;
}

const REASONS: Record<Files, string> = {
  refuse: 'this agent accepts no files',
  text: 'this agent accepts only files of text',
  judged: 'no processor of this run has judged and passed it',
  pass: '',
};

function mapChanged<T>(values: T[], map: (value: T) => T): T[] {
  const mapped = values.map(map);
  return mapped.every((value, at) => value === values[at]) ? values : mapped;
}
