// Resolves one processor at one stage to an agent with a single entry, as `agents apply` resolves a definition. Pure.
import {
  LIST_OF_STAGE,
  MillraceError,
  TRIED_STAGES,
  readMemoryKey,
  type AppliedAgent,
  type TriedStage,
  type TryRequest,
} from '@millrace/contracts';
import { findProcessor, createMissingIssue, type KnownProcessors } from '../agents/entry-uses.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';

/** The model is never called. */
const NO_MODEL = 'openai/none';
export const TRY_AGENT = 'try';

export type TriedAgent = { applied: AppliedAgent; stage: TriedStage };

/** @throws processor-unknown, entry-without-stage, run-refused for a memory, options-invalid */
export function resolveTry(
  { processor, stage: asked, options }: Pick<TryRequest, 'processor' | 'stage' | 'options'>,
  known: KnownProcessors,
): TriedAgent {
  const found = findProcessor(processor, known);
  if (!found) {
    const { message, remedy } = createMissingIssue('processor', processor, [...known.processors.keys()], known.refused);
    throw new MillraceError('processor-unknown', message, { path: 'processor', remedy });
  }
  const { descriptor } = found;
  if (readMemoryKey(descriptor.id, descriptor) !== undefined)
    throw new MillraceError('run-refused', `"${descriptor.id}" is a memory, which cannot be called alone.`, {
      path: 'processor',
      remedy: 'Run an agent with this memory.',
    });
  const own = TRIED_STAGES.filter((stage) => descriptor.stages.includes(stage));
  const stage = asked ?? own[0];
  if (stage === undefined || !own.includes(stage))
    throw new MillraceError(
      'entry-without-stage',
      `"${descriptor.id}" has ${asked === undefined ? 'no stage that can be called alone' : `no ${asked}`}; it has ${descriptor.stages.join(', ')}.`,
      { path: 'stage', remedy: `Choose one of ${own.join(', ') || 'another processor'}.` },
    );
  const entry = { use: descriptor.id, options };
  const resolved = resolveAgent({ name: TRY_AGENT, model: NO_MODEL, [LIST_OF_STAGE[stage]]: [entry] }, known);
  if ('issues' in resolved) throw refuseOptions(descriptor.id, resolved.issues);
  const { agent, plan } = resolved;
  const files = plan.files === 'judged' ? plan.files : 'text';
  return { applied: { agent, plan: { ...plan, files }, revision: 0, appliedAt: new Date(0).toISOString() }, stage };
}

/** The caller sent options, not a list of entries: the paths begin there. */
function refuseOptions(
  processor: string,
  issues: readonly { code: string; message: string; path?: string | undefined }[],
): MillraceError {
  const placed = issues.map((issue) => ({
    code: 'options-invalid' as const,
    message: issue.message,
    path: (issue.path ?? 'options').replace(/^(?:input|output|error)\[0\]\.?/, '') || 'options',
  }));
  const text = placed.map(({ path, message }) => `${path}: ${message}`).join(' ');
  return new MillraceError('options-invalid', text, {
    path: placed[0]?.path ?? 'options',
    issues: placed,
    remedy: `millrace processors show ${processor} lists the options of the processor.`,
  });
}
