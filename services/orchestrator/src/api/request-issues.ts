// Checks a submitted request beyond its schema: roles of the messages, ids that would collide with another message,
// files that no model can read, overrides that the agent does not allow. Runs before anything is stored and reports all
// problems at once. Pure.
import {
  MAX_VALUE_NESTING,
  MillraceError,
  hasMediaTypeFormat,
  hasStructureFormat,
  isBase64,
  isNestedDeeper,
  mayBePartType,
  findStructureExample,
  getOwnMember,
  readMemoryKey,
  type AppliedAgent,
  type Issue,
  type Message,
  type MessagePart,
  type Role,
  type RunRequest,
  type StoredRequest,
} from '@millrace/contracts';
import type { SchemaChecker } from '../peers/schema-checker.ts';
import { findOptionIssues } from '../agents/option-issues.ts';
import { collectOverridable, overrideUses } from '../settings/override-plan.ts';
import { resolveRunAgent } from '../settings/run-agent.ts';

/** Maximum number of listed issues. */
const MAX_ISSUES = 32;

/** @throws run-refused: the first problem, with all of them as issues */
export function refuseBadRequest(request: StoredRequest, applied: AppliedAgent): void {
  const found = [...findRequestIssues(request, applied.agent.callerRoles), ...findOverrideIssues(request, applied)];
  const issues = [...findDepthIssues(request), ...found, ...findReplacedIssues(request, applied)];
  if (issues.length > 0) throw createIssuesError(issues);
}

/** Builds the refusal of a run: the first issue, with all of them. */
export function createIssuesError(issues: readonly Issue[]): MillraceError {
  const [first] = issues;
  const more = issues.length === 1 ? '' : ` There are ${issues.length} problems.`;
  const { message = '', path, remedy } = first ?? {};
  return new MillraceError('run-refused', message + more, { path, remedy, issues: issues.slice(0, MAX_ISSUES) });
}

/** @throws run-refused: the schema cannot be compiled; queue-full, timeout */
export async function refuseBadSchema({ structuredOutput }: RunRequest, schemas: SchemaChecker): Promise<void> {
  if (!structuredOutput) return;
  const problem = await schemas.check(structuredOutput.schema);
  if (problem === undefined) return;
  throw new MillraceError('run-refused', `The schema is not valid: ${problem}.`, {
    path: 'structuredOutput.schema',
    remedy: 'Send a JSON Schema of the dialect 2020-12.',
  });
}

/**
 * The command, the run's records and the requests to its processors contain the request, and are messages themselves.
 */
function findDepthIssues(request: RunRequest): Issue[] {
  const deep = Object.entries(request).find(([, value]) => isNestedDeeper(value, MAX_VALUE_NESTING));
  return deep
    ? [issue(deep[0], `It is nested deeper than ${MAX_VALUE_NESTING}.`, 'Flatten it, or send it as a text.')]
    : [];
}

/** Options are checked only if everything else is valid: a processor that is not allowed has no schema. */
function findOverrideIssues(request: StoredRequest, applied: AppliedAgent): Issue[] {
  const own = resolveRunAgent(applied, request);
  if ('issues' in own) return own.issues;
  const { maxProcessorRetries: allowed = 0 } = own.applied.agent;
  if (request.maxProcessorRetries !== undefined && request.maxProcessorRetries > allowed) {
    const message = `The agent allows ${allowed} retries by processors.`;
    return [issue('maxProcessorRetries', message, 'Request fewer, or set `maxProcessorRetries` of the agent.')];
  }
  const overridable = collectOverridable(applied.plan, request);
  return findOptionIssues(
    overrideUses(request).flatMap(({ path, processor, options }) => {
      const schema = getOwnMember(overridable, processor)?.optionsSchema;
      return schema ? [{ processor, schema, options: options ?? {}, place: path, path: `${path}.options` }] : [];
    }),
  );
}

/** Without a history, messages would stay that the caller takes for replaced. */
function findReplacedIssues({ replaces, threadId }: RunRequest, { plan }: AppliedAgent): Issue[] {
  if (!replaces) return [];
  const hasHistory = Object.values(plan.entries).some(
    ({ processor, memoryKey }) => readMemoryKey(processor, { memoryKey }) === 'lastMessages',
  );
  if (hasHistory && threadId !== undefined) return [];
  const message = hasHistory ? 'The run has no thread.' : 'The agent has no history.';
  return [issue('replaces', message, 'Name the thread, and set memory.lastMessages in the agent; or omit "replaces".')];
}

export function findRequestIssues({ runId, messages }: RunRequest, callerRoles: readonly Role[]): Issue[] {
  const firstAt = new Map<string, number>();
  return messages.flatMap((message, at) => {
    const path = `messages[${at}]`;
    const there = firstAt.get(message.id);
    firstAt.set(message.id, there ?? at);
    return [
      ...findRoleIssues(message, path, callerRoles),
      ...findIdIssues(message, path, runId, there),
      ...formatIssues('id', message.id, path),
      ...formatIssues('createdAt', message.createdAt, path),
      ...formatIssues('threadId', message.threadId, path),
      ...formatIssues('resourceId', message.resourceId, path),
      ...message.content.parts.flatMap((part, n) => findPartIssues(part, `${path}.content.parts[${n}]`)),
    ];
  });
}

function findRoleIssues({ role }: Message, path: string, callerRoles: readonly Role[]): Issue[] {
  if (callerRoles.includes(role)) return [];
  const allowed = [...callerRoles, role].join(', ');
  return [
    issue(
      `${path}.role`,
      `Callers of this agent may not submit ${role} messages.`,
      `Submit ${callerRoles.join(', ')}; or put it into the agent's instructions, or set callerRoles: [${allowed}] there.`,
    ),
  ];
}

/** Refuses two messages with one id: a guard would replace the first, and the model would read the second unjudged. */
function findIdIssues({ id }: Message, path: string, runId: string, there: number | undefined): Issue[] {
  const issues: Issue[] = [];
  if (there !== undefined)
    issues.push(
      issue(`${path}.id`, `messages[${there}] has the id "${id}" too.`, 'Use a different id for each message.'),
    );
  if (id.startsWith(runId))
    issues.push(
      issue(
        `${path}.id`,
        `The id "${id}" begins with the run's own id, which is reserved for answers.`,
        'Choose another id.',
      ),
    );
  return issues;
}

/** Guards skip these members, so they must not contain text. */
const formatIssues = (name: string, value: string | undefined, path: string): Issue[] =>
  hasStructureFormat(name, value) ? [] : [createFormatIssue(name, path)];

/** Guards judge a media type that is not known: it need not be one. */
const findMediaTypeIssues = (mimeType: string, path: string): Issue[] =>
  hasMediaTypeFormat(mimeType) ? [] : [createFormatIssue('mimeType', path)];

const createFormatIssue = (name: string, path: string): Issue =>
  issue(`${path}.${name}`, `"${name}" has the wrong form.`, `Send a value such as "${findStructureExample(name)}".`);

function findTypeIssues(type: string, path: string): Issue[] {
  if (mayBePartType(type)) return [];
  const remedy = 'Send a part of the type text, reasoning, file, source, step-start or tool-invocation.';
  return [issue(`${path}.type`, 'The type of this part is not 1 to 64 letters, digits, _, ., :, / and -.', remedy)];
}

function findPartIssues(part: MessagePart, path: string): Issue[] {
  switch (part.type) {
    case 'file':
      return [...findFileIssues(part, path), ...findMediaTypeIssues(part.mimeType, path)];
    case 'tool-invocation':
      return formatIssues('toolCallId', part.toolInvocation.toolCallId, `${path}.toolInvocation`);
    default:
      return findTypeIssues(part.type, path);
  }
}

function findFileIssues(part: MessagePart, path: string): Issue[] {
  if (part.type !== 'file') return [];
  if (isHttpUrl(part.data) || isBase64(part.data)) return [];
  return [
    issue(
      `${path}.data`,
      'The data of this file is neither base64 nor an http(s) URL.',
      'Send the bytes as base64, without a "data:" prefix, or a complete http:// or https:// URL.',
    ),
  ];
}

const isHttpUrl = (data: string): boolean => /^https?:\/\//.test(data) && URL.canParse(data);
const issue = (path: string, message: string, remedy: string): Issue => ({
  code: 'run-refused',
  path,
  message,
  remedy,
});
