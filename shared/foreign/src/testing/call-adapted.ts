// A processor of another interface, called as a replica calls it.
import type { JsonValue, Stage, StageInput, Verdict } from '@millrace/contracts';
import { callStage, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { callContext, callEntry, buildConversation, stageCall } from '@millrace/testkit';

export const AS = { id: 'adapted', version: '1.0.0' };

const tool = { name: 'clock', description: 'a clock', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
const toolCall = { toolCallId: 'c1', toolName: 'clock', args: { zone: 'UTC' } };
/** Valid input for every stage. */
export const INPUT: Partial<StageInput> = {
  conversation: buildConversation({ remembered: ['old'], input: ['hello'] }, ['Be kind.']),
  model: 'openai/a',
  tools: [tool],
  modelSettings: { temperature: 1 },
  tool,
  toolCall,
  result: { at: 'noon' },
  text: 'My address is secret.',
  toolCalls: [toolCall],
};

export async function callAdapted(
  definition: ProcessorDefinition,
  stage: Stage,
  more: { input?: Partial<StageInput>; resumeData?: JsonValue } = {},
): Promise<Verdict> {
  const { input, resumeData } = more;
  const entry = callEntry(definition.id, {}, resumeData === undefined ? {} : { resumeData });
  const call = stageCall(stage, [entry], { ...INPUT, ...input });
  const { verdicts } = await callStage(call, createHostedProcessors([definition]), callContext());
  const [verdict] = verdicts;
  if (!verdict) throw new Error('a verdict was expected');
  return verdict;
}
