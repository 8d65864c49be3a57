// Applies what the processors of the input have changed in the texts of the caller's schema and tools. Descriptions and
// titles are prose: the model gets the changed text. Names and values are the contract with the caller: a change of one is
// refused. Pure.
import {
  isObject,
  type JsonSchema,
  type JsonValue,
  type Message,
  type RunAction,
  type RunRequest,
  type RunState,
} from '@millrace/contracts';
import { collectTexts, LINE_END, makeTextMessages, type SubmittedTexts } from '../settings/schema-texts.ts';

type SubmittedMembers = Pick<RunRequest, 'structuredOutput' | 'clientTools'>;
/** `tool`: the tool of the caller that has the text, if one has. */
export type RefusedChange = { member: SubmittedTexts['member']; tool?: string | undefined };
type SubmittedChange = { members: SubmittedMembers | undefined } | { refused: RefusedChange };
type ChangedTexts = ReadonlyMap<string, string>;

/** Members of a schema that a model reads and no caller compares. */
const PROSE = new Set(['description', 'title', '$comment']);
/** Members of a schema that contain values, not schemas. */
const VALUES = new Set(['const', 'default', 'enum', 'examples']);

/** Returns the changed members of the request, undefined if nothing changed, or the first change that is refused. */
export function readSubmittedChange({
  request,
  conversation,
}: Pick<RunState, 'request' | 'conversation'>): SubmittedChange {
  const left = makeTextMessages(request).map((given) => ({
    given,
    changed: readChangedTexts(
      given,
      conversation.entries.find(({ message }) => message.id === given.message.id)?.message,
    ),
  }));
  for (const { given, changed } of left) {
    const refused = findRefused(request, given, changed);
    if (refused) return { refused };
  }
  const changes = new Map(left.map(({ given, changed }) => [given.member, changed ?? new Map()] as const));
  if ([...changes.values()].every(({ size }) => size === 0)) return { members: undefined };
  return { members: applyChanges(request, changes) };
}

/** Returns the new text of each changed one, or undefined if a text has no counterpart. */
function readChangedTexts(
  { texts, message: given }: SubmittedTexts,
  left: Message | undefined,
): ChangedTexts | undefined {
  const parts = left?.content.parts ?? [];
  if (left?.role !== given.role || parts.length !== texts.length) return undefined;
  const changed = new Map<string, string>();
  for (const [at, text] of texts.entries()) {
    const part = parts[at];
    if (part?.type !== 'text') return undefined;
    const isLast = at === texts.length - 1;
    const now = !isLast && part.text.endsWith(LINE_END) ? part.text.slice(0, -LINE_END.length) : part.text;
    if (now !== text) changed.set(text, now);
  }
  return changed;
}

function findRefused(
  { structuredOutput, clientTools = [] }: SubmittedMembers,
  { member }: SubmittedTexts,
  changed: ChangedTexts | undefined,
): RefusedChange | undefined {
  if (!changed) return { member };
  const isChanged = (text: string) => changed.has(text);
  if (member === 'modelSettings') return changed.size > 0 ? { member } : undefined;
  if (member === 'structuredOutput') {
    const { name = '', schema = {} } = structuredOutput ?? {};
    return [name, ...collectContract(schema)].some(isChanged) ? { member } : undefined;
  }
  const tool = clientTools.find(({ name, inputSchema }) => [name, ...collectContract(inputSchema)].some(isChanged));
  return tool && { member, tool: tool.name };
}

/** Returns the texts of a schema that are no prose. */
function collectContract(schema: JsonValue): string[] {
  return collectTexts(mapProse(schema, () => ''));
}

function applyChanges(
  { structuredOutput, clientTools }: SubmittedMembers,
  changes: ReadonlyMap<SubmittedTexts['member'], ChangedTexts>,
): SubmittedMembers {
  const readIn = (member: SubmittedTexts['member']) => (text: string) => changes.get(member)?.get(text) ?? text;
  const readOutput = readIn('structuredOutput');
  const readTool = readIn('clientTools');
  return {
    ...(structuredOutput && {
      structuredOutput: {
        ...structuredOutput,
        ...(structuredOutput.description !== undefined && { description: readOutput(structuredOutput.description) }),
        schema: mapSchema(structuredOutput.schema, readOutput),
      },
    }),
    ...(clientTools && {
      clientTools: clientTools.map((tool) => ({
        ...tool,
        description: readTool(tool.description),
        inputSchema: mapSchema(tool.inputSchema, readTool),
      })),
    }),
  };
}

function mapSchema(schema: JsonSchema, map: (text: string) => string): JsonSchema {
  const mapped = mapProse(schema, map);
  return isObject(mapped) ? mapped : schema;
}

function mapProse(schema: JsonValue, map: (text: string) => string): JsonValue {
  if (Array.isArray(schema)) return schema.map((member) => mapProse(member, map));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => {
      if (VALUES.has(name)) return [name, member];
      return [name, PROSE.has(name) && typeof member === 'string' ? map(member) : mapProse(member, map)];
    }),
  );
}

/** Gives the model the changed prose: in the request, and in the agent and the plan of the run, which contain it. */
export function changeSubmitted(
  state: RunState,
  { structuredOutput, clientTools }: Extract<RunAction, { action: 'submitted-changed' }>,
): RunState {
  const { agent, plan } = state.applied;
  const changed = new Map((clientTools ?? []).map((tool) => [tool.name, tool]));
  const tools = plan.tools.map((tool) => ({ ...tool, ...changed.get(tool.name) }));
  return {
    ...state,
    request: { ...state.request, ...(structuredOutput && { structuredOutput }), ...(clientTools && { clientTools }) },
    applied: {
      ...state.applied,
      agent: { ...agent, ...(structuredOutput && { structuredOutput }) },
      plan: { ...plan, tools },
    },
  };
}
