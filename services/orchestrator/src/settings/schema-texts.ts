// The texts of the schema, the tools and the stop sequences that a caller submits: the model or its provider reads them, so the
// processors of the input judge them, as messages of the caller that exist during processInput only, with a part for each text. The model gets a
// description or a title as a processor has changed it. If a processor changes a name or a value, or removes the message, the
// run fails, because the schema would be another one (`submitted-changes.ts`). Pure.
import {
  buildTextMessage,
  withLabels,
  type JsonValue,
  type Label,
  type Message,
  type MessageOp,
  type RunRequest,
  type RunState,
} from '@millrace/contracts';

type SchemaState = Pick<RunState, 'request' | 'applied' | 'conversation'>;

/** Origin of the definitions of a caller: an application may pass descriptions of a third party on. */
const ORIGIN = 'caller';

/** Words of JSON Schema: without them, the message has the texts of the caller only. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema additionalItems additionalProperties allOf anyOf
  array boolean const contains contentEncoding contentMediaType default definitions dependentRequired dependentSchemas
  deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if integer items maxContains
  maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties multipleOf name not null
  number object oneOf pattern patternProperties prefixItems properties propertyNames readOnly required schema string
  then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly`.split(/\s+/),
);
/** The whole address of a dialect, as generators write it into each schema. */
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/20\d\d-\d\d|draft-0\d)\/schema#?$/;

/** A member of the request whose texts are judged, with them. */
export type SubmittedTexts = {
  member: 'structuredOutput' | 'clientTools' | 'modelSettings';
  /** Different texts, one for each part of the message. */
  texts: readonly string[];
  message: Message;
};

/** Separates the texts for processors that join the parts. */
export const LINE_END = '\n';

/** Returns a message for each member with texts. */
export function makeTextMessages(request: RunRequest): SubmittedTexts[] {
  const { runId, structuredOutput, clientTools = [], modelSettings } = request;
  const { schema = {}, name = '', description = '' } = structuredOutput ?? {};
  const ofTools = clientTools.flatMap((tool) => [tool.name, tool.description, ...collectTexts(tool.inputSchema)]);
  return [
    ...makeMessage('structuredOutput', `${runId}.schema`, [name, description, ...collectTexts(schema)]),
    ...makeMessage('clientTools', `${runId}.tools`, ofTools),
    ...makeMessage(
      'modelSettings',
      `${runId}.stop`,
      (modelSettings?.stopSequences ?? []).map((text) => text.trim()),
    ),
  ];
}

/** @param id begins with that of the run, as no id of a caller's message does */
function makeMessage(member: SubmittedTexts['member'], id: string, texts: readonly string[]): SubmittedTexts[] {
  const distinct = [...new Set(texts.filter(Boolean))];
  if (distinct.length === 0) return [];
  const parts = distinct.map((text, at) => ({
    type: 'text' as const,
    text: at < distinct.length - 1 ? `${text}${LINE_END}` : text,
  }));
  const message = buildTextMessage(id, 'user', '');
  return [{ member, texts: distinct, message: { ...message, content: { format: 2, parts } } }];
}

/**
 * Returns the operations that add the messages that the conversation does not have. The last message of the user stays
 * the last one, because memories search with it.
 */
export function addSchemaTexts({ request, applied, conversation: { entries } }: SchemaState): MessageOp[] {
  const label: Label = { origin: ORIGIN, trust: applied.agent.definitionTrust ?? 'untrusted' };
  const own: Label = { origin: ORIGIN, trust: 'trusted' };
  const last = entries.findLast((entry) => entry.source === 'input' && entry.message.role === 'user')?.message;
  return makeTextMessages(request)
    .filter(({ message }) => entries.every((entry) => entry.message.id !== message.id))
    .map(({ member, message }) => ({
      op: 'add',
      source: 'input',
      message: withLabels(message, () => (isDefinition({ member }) ? label : own)),
      ...(last && { before: last.id }),
    }));
}

/** Returns the origins by which the definitions of the caller taint the run: the model reads them in each prompt. */
export function listDefinitionOrigins({ request, applied }: Pick<RunState, 'request' | 'applied'>): string[] {
  const isTrusted = applied.agent.definitionTrust === 'trusted';
  return isTrusted || !makeTextMessages(request).some(isDefinition) ? [] : [ORIGIN];
}

/** The provider reads a stop sequence, and no model does. */
const isDefinition = ({ member }: Pick<SubmittedTexts, 'member'>): boolean => member !== 'modelSettings';

/** Returns whether a prompt of the run holds untrusted definitions of the caller. */
export const holdsDefinitions = ({ origins }: RunState['taint']): boolean => origins.includes(ORIGIN);

export function removeSchemaTexts({ request, conversation: { entries } }: Omit<SchemaState, 'applied'>): MessageOp[] {
  const own = makeTextMessages(request).map(({ message }) => message.id);
  const ids = own.filter((id) => entries.some((entry) => entry.message.id === id));
  return ids.length > 0 ? [{ op: 'remove', ids }] : [];
}

export function collectTexts(value: JsonValue): string[] {
  if (typeof value === 'string') return KEYWORDS.has(value) || DIALECT.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  return Object.entries(value).flatMap(([name, member]) => [...collectTexts(name), ...collectTexts(member)]);
}
