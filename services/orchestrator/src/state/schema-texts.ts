// The texts of the schema that a caller submits: the model reads them, so the processors of the input judge them, as a
// message of the caller that exists during processInput only. If a processor changes or removes that message, the run
// fails, because a schema with changed texts would be another one. Pure.
import {
  labelSubmitted,
  messageText,
  textMessage,
  type JsonValue,
  type Message,
  type MessageOp,
  type RunRequest,
  type RunState,
} from '@millrace/contracts';

type SchemaState = Pick<RunState, 'request' | 'conversation'>;

/** Words of JSON Schema: without them, the message has the texts of the caller only. */
const KEYWORDS: ReadonlySet<string> = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema additionalItems additionalProperties allOf anyOf
  array boolean const contains contentEncoding contentMediaType default definitions dependentRequired dependentSchemas
  deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if integer items maxContains
  maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties multipleOf name not null
  number object oneOf pattern patternProperties prefixItems properties propertyNames readOnly required schema string
  then title type unevaluatedItems unevaluatedProperties uniqueItems writeOnly`.split(/\s+/),
);
/** Of the dialect that generators write into each schema. */
const DIALECT = /^https?:\/\/json-schema\.org\//;

/** Returns the message with the texts of the schema; undefined if it has none. */
function makeSchemaMessage({ runId, structuredOutput }: RunRequest): Message | undefined {
  if (!structuredOutput) return undefined;
  const { schema, name = '', description = '' } = structuredOutput;
  const texts = new Set([name, description].filter(Boolean).concat(collectTexts(schema)));
  if (texts.size === 0) return undefined;
  return labelSubmitted(textMessage(nameSchemaMessage(runId), 'user', [...texts].join('\n')));
}

/** Returns an id that begins with the run's own one, as no message of a caller does. */
const nameSchemaMessage = (runId: string): string => `${runId}.schema`;

/**
 * Returns the operations that add the message, unless the conversation has it. The last message of the user stays the
 * last one, because memories search with it.
 */
export function addSchemaTexts({ request, conversation: { entries } }: SchemaState): MessageOp[] {
  const message = makeSchemaMessage(request);
  if (!message || entries.some((entry) => entry.message.id === message.id)) return [];
  const last = entries.findLast((entry) => entry.source === 'input' && entry.message.role === 'user')?.message;
  return [{ op: 'add', source: 'input', message, ...(last && { before: last.id }) }];
}

export const removeSchemaTexts = ({ request, conversation: { entries } }: SchemaState): MessageOp[] => {
  const id = nameSchemaMessage(request.runId);
  return entries.some((entry) => entry.message.id === id) ? [{ op: 'remove', ids: [id] }] : [];
};

function collectTexts(value: JsonValue): string[] {
  if (typeof value === 'string') return KEYWORDS.has(value) || DIALECT.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  return Object.entries(value).flatMap(([name, member]) => [...collectTexts(name), ...collectTexts(member)]);
}

/** Returns whether the processors of the input left the texts of the schema as the caller has submitted them. */
export function hasSchemaTexts({ request, conversation }: SchemaState): boolean {
  const submitted = makeSchemaMessage(request);
  if (!submitted) return true;
  const left = conversation.entries.find(({ message }) => message.id === submitted.id)?.message;
  return left !== undefined && messageText(left) === messageText(submitted) && left.role === submitted.role;
}
