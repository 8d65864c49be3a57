// Calls a processor of one method as a replica does.
import { READS_ALL, type Stage, type StageInput, type Verdict } from '@millrace/contracts';
import { callContext, callEntry, buildConversation, defineMethods, stageCall } from '@millrace/testkit';
import { callStage } from '../serve/call-stage.ts';
import { createHostedProcessors } from '../serve/hosted-processor.ts';
import type { ProcessInputArgs, Processor } from '../processor/processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';

const toolCall = { toolCallId: '1', toolName: 'clock', args: { zone: 'UTC' } };
const tool = {
  name: 'clock',
  description: '',
  inputSchema: {},
  subject: 'mr.v1.tool.tools.clock',
  idempotent: true,
  timeoutMs: 1_000,
};

/** Valid input for every stage. */
const INPUT: Partial<StageInput> = {
  conversation: buildConversation({ input: ['hello'], response: ['hi'] }),
  model: 'openai/a',
  prompt: [],
  toolCall,
  tool,
  result: 'noon',
  text: 'hi',
};

export const defineWithMethods = (methods: Omit<Processor, 'id'>): ProcessorDefinition =>
  defineMethods('one', methods, { reads: [...READS_ALL] });

/**
 * Returns the verdict for a method that returns, or throws, the result of `method`. Some stages omit some arguments.
 */
export async function callForVerdict(
  stage: Exclude<Stage, 'processOutputStream'>,
  method: (args: ProcessInputArgs) => unknown,
): Promise<Verdict> {
  const definition = defineWithMethods({ [stage]: method });
  const call = stageCall(stage, [callEntry('one')], INPUT);
  const { verdicts } = await callStage(call, createHostedProcessors([definition]), callContext());
  const [verdict] = verdicts;
  if (!verdict) throw new Error('a verdict was expected');
  return verdict;
}
