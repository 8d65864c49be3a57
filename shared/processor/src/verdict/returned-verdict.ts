// Converts a method's return value to a verdict. Reads every shape of processor.ts, by stage; a member that the stage
// does not have is rejected by name.
import {
  MillraceError,
  changesSchema,
  isObject,
  listIssues,
  findRefusedChange,
  type Changes,
  type Stage,
  type Verdict,
} from '@millrace/contracts';
import { boundText } from './bounded.ts';
import { checkVerdict } from './failure-verdict.ts';
import { applyReturnedMessages, type GivenMessages } from './returned-messages.ts';

type ReturnedMembers = Record<string, unknown>;

/** @throws coded errors for unreadable values */
export function toReturnedVerdict(stage: Stage, result: unknown, given: GivenMessages): Verdict {
  const members = stage === 'processLLMResponse' ? {} : readMembers(stage, result, given);
  const ops = given.list.takeOps();
  if (ops.length === 0 && Object.keys(members).length === 0) return { type: 'continue' };
  refuseStray(stage, members);
  const { halt, response, reason, deny, code, chunks, retry, ...rest } = members;
  if (stage === 'processAPIError' && retry === true) return retryVerdict(stage, rest, given);
  const changes = checkChanges(stage, { ...rest, ...(ops.length > 0 && { ops }) });
  const withChanges = Object.keys(changes).length > 0 && { changes };
  if (halt === true) {
    const text = typeof response === 'string' ? response : (asText(reason) ?? '');
    return checkVerdict(stage, {
      type: 'halt',
      response: text,
      ...pickOptional('reason', asReason(reason)),
      ...withChanges,
    });
  }
  if (deny === true) {
    return checkVerdict(stage, {
      type: 'deny',
      reason: asReason(reason) ?? 'Denied.',
      ...pickOptional('code', asReason(code)),
    });
  }
  if (Array.isArray(chunks)) return checkVerdict(stage, { type: 'respond', chunks: chunks.map(withSender) });
  return { type: 'continue', ...withChanges };
}

/** Adds the members of a chunk that the orchestrator sets: a processor may return `{type, payload}`. */
const withSender = <C>(chunk: C): C => (isObject(chunk) ? { runId: '', from: 'AGENT', ...chunk } : chunk);

/** The model of a retry is a member of its verdict, not a change. */
function retryVerdict(stage: Stage, { model, ...rest }: ReturnedMembers, given: GivenMessages): Verdict {
  const ops = given.list.takeOps();
  const { model: id, ...changes } = checkChanges(stage, { ...rest, ...(ops.length > 0 && { ops }), model });
  return {
    type: 'retry',
    ...(id !== undefined && { model: id }),
    ...(Object.keys(changes).length > 0 && { changes }),
  };
}

/**
 * Rejects members that have a meaning only together with another one, or in another stage: a processor that sets them
 * expects a verdict.
 */
function refuseStray(stage: Stage, { halt, deny, retry, response, reason, code, chunks }: ReturnedMembers): void {
  const stray = [
    response !== undefined && halt !== true && 'response',
    reason !== undefined && halt === undefined && deny === undefined && 'reason',
    code !== undefined && deny === undefined && 'code',
    retry === true && stage !== 'processAPIError' && 'retry',
    chunks !== undefined && !Array.isArray(chunks) && 'chunks',
  ].find((member) => member !== false);
  if (stray === undefined) return;
  throw new MillraceError('processor-verdict-refused', `${stage} returned "${stray}", which has no meaning there.`, {
    remedy: 'Return {halt: true, response}, {deny: true, reason, code}, or allowed changes of the stage.',
  });
}

function readMembers(stage: Stage, result: unknown, given: GivenMessages): ReturnedMembers {
  switch (stage) {
    case 'processInput':
    case 'processOutputStep':
    case 'processOutputResult':
      return applyReturnedMessages(result, given);
    case 'processInputStep':
      return toStepMembers(applyReturnedMessages(result, given));
    case 'processToolCall':
      return callMembers(toMembers(result));
    case 'processLLMRequest':
      return toResponseMembers(toMembers(result));
    default:
      return toMembers(result);
  }
}

function toMembers(result: unknown): ReturnedMembers {
  if (result === undefined || result === null) return {};
  if (typeof result === 'object' && !Array.isArray(result)) return { ...result };
  throw new MillraceError(
    'processor-failed',
    `The method returned ${Array.isArray(result) ? 'an array' : `a ${typeof result}`}.`,
  );
}

/** Tools by name (a ToolSet) become a list; an undefined activeTools is unchanged. */
function toStepMembers({ tools, ...rest }: ReturnedMembers): ReturnedMembers {
  if (tools === undefined || tools === null) return rest;
  return { ...rest, tools: Array.isArray(tools) ? tools : Object.values(tools) };
}

/** Accepts {call, deny, reason} of other frameworks as well as {args}. */
function callMembers({ call, ...rest }: ReturnedMembers): ReturnedMembers {
  const args = typeof call === 'object' && call !== null && 'args' in call ? call.args : undefined;
  return args === undefined ? rest : { args, ...rest };
}

function toResponseMembers({ response, ...rest }: ReturnedMembers): ReturnedMembers {
  if (rest['halt'] === true) return { ...rest, response };
  const chunks =
    typeof response === 'object' && response !== null && 'chunks' in response ? response.chunks : undefined;
  return chunks === undefined ? { ...rest, response } : { ...rest, chunks };
}

function checkChanges(stage: Stage, members: ReturnedMembers): Changes {
  const present = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  for (const [key, value] of Object.entries(present)) {
    if (typeof value !== 'function' && !(key === 'model' && typeof value === 'object')) continue;
    throw new MillraceError('not-json', `${stage} returned a value for ${key} that cannot be serialized.`, {
      remedy: 'Return data: a model is an id such as "openai/gpt-5-mini".',
    });
  }
  const changes = changesSchema.safeParse(present);
  if (!changes.success) {
    const issues = listIssues(changes.error);
    const lines = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ');
    throw new MillraceError('processor-verdict-refused', `The return value of ${stage} does not fit: ${lines}`, {
      issues,
    });
  }
  const { model, ...others } = changes.data;
  const refused = findRefusedChange(
    stage,
    stage === 'processAPIError' ? others : { ...others, ...(model && { model }) },
  );
  if (refused === undefined) return changes.data;
  throw new MillraceError('processor-verdict-refused', `${stage} cannot change "${refused}".`);
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const asReason = (value: unknown): string | undefined => (typeof value === 'string' ? boundText(value) : undefined);
const pickOptional = <K extends string>(key: K, value: string | undefined) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key loses its name
  (value === undefined ? {} : { [key]: value }) as { [key in K]?: string };
