// Produces a step's answer: processInputStep, processLLMRequest, the model's stream, processLLMResponse,
// processOutputStep. Repeats from processInputStep on if processAPIError requests it.
import {
  PROMPT_VERSION,
  findReadsAt,
  listEntries,
  readFirstModel,
  type JsonValue,
  type StageInput,
  type StepAnswer,
} from '@millrace/contracts';
import { askModel, type ModelAnswer } from '../model/ask-model.ts';
import type { StepModelCall } from '../model/step-call.ts';
import { buildPrompt } from '../model/prompt.ts';
import { buildAnswer, makeClosingChunks } from './closing-chunks.ts';
import { reportCutOff } from '../model/report-cut-off.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { acceptAnswer, judgeAnswer } from './accept-answer.ts';
import { runStage } from '../stages/run-stage.ts';
import type { StageFold } from '../calls/verdict-fold.ts';
import type { Run } from '../state/run-context.ts';
import { omitFiles, type FileRule } from '../settings/allowed-files.ts';
import { chooseProviderOptions, chooseTool } from '../settings/caller-settings.ts';
import { appendStep } from '../state/step-results.ts';
import { listGuards } from './guard-versions.ts';
import { buildStepInput } from './step-input.ts';

export async function answerStage(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.getState();
  if (open?.answer) return undefined;
  if (open?.draft) return judgeAnswer(run, open.draft);
  for (;;) {
    const asked = await askOnce(run);
    if ('interrupt' in asked) return asked.interrupt;
    if ('again' in asked) continue;
    // From here on results last: the answer is cached, its calls are made, its text is stored.
    const { answered, call } = asked;
    const answer = buildAnswer(call, answered);
    const settled = await run.overlap.awaitVerdict();
    const judged: Pick<StageFold, 'interrupt' | 'stopped'> = settled
      ? { interrupt: settled }
      : await judgeResponse(run, call, answered, answer);
    const { interrupt, stopped } = judged;
    if (!interrupt) return acceptAnswer(run, call, answer, answered);
    if (answer.fromCache) return interrupt;
    const notified = await reportCutOff(run, buildStepInput(run), {
      model: answer.model,
      usage: answer.usage,
      by: stopped?.entry,
    });
    return interrupt.form === 'rewind' && notified ? notified : interrupt;
  }
}

async function askOnce(run: Run) {
  const prepared = await prepareCall(run);
  if ('interrupt' in prepared) return prepared;
  const requested = await judgeRequest(run, prepared.call);
  if ('interrupt' in requested) return requested;
  run.saving.asked = true;
  return askModel(run, requested.call, buildStepInput(run), (call) => makeClosingChunks(run, call));
}

const readFileRule = ({ plan, getState }: Run): FileRule => ({
  files: plan.files,
  passed: new Set(getState().passedFiles),
});

/** Runs processInputStep: each processor sees the changes of the ones before it. */
async function prepareCall(run: Run): Promise<{ call: StepModelCall } | { interrupt: Interrupt }> {
  const { agent, plan } = run;
  const { request, steps } = run.getState();
  const chosen = chooseTool(request, steps.length);
  const input: StageInput = {
    ...buildStepInput(run),
    model: run.getState().open?.model ?? readFirstModel(agent),
    tools: plan.tools,
    activeTools: null,
    modelSettings: agent.modelSettings ?? {},
    providerOptions: chooseProviderOptions(request, agent.providerOptions),
    ...(chosen && { toolChoice: chosen }),
    ...(agent.structuredOutput && { structuredOutput: agent.structuredOutput }),
  };
  const result = await runStage(run, 'processInputStep', input);
  if (result.interrupt) return { interrupt: result.interrupt };
  const { tools = [], activeTools, toolChoice, structuredOutput, modelSettings = {}, providerOptions } = result.input;
  return {
    call: {
      model: result.input.model ?? readFirstModel(agent),
      prompt: omitFiles(buildPrompt(run.getState().conversation, plan), readFileRule(run)),
      tools: tools.filter((tool) => !activeTools || activeTools.includes(tool.name)),
      toolChoice,
      modelSettings,
      providerOptions,
      structuredOutput: structuredOutput ?? undefined,
    },
  };
}

/** Runs processLLMRequest: it changes the prompt of this call only, or returns a complete cached answer. */
async function judgeRequest(
  run: Run,
  call: StepModelCall,
): Promise<{ call: StepModelCall } | { interrupt: Interrupt }> {
  const { model, prompt, tools, toolChoice, modelSettings, providerOptions, structuredOutput } = call;
  const { conversation: _, ...common } = buildStepInput(run);
  const input: StageInput = {
    ...common,
    model,
    prompt,
    promptVersion: PROMPT_VERSION,
    tools,
    modelSettings,
    guards: listGuards(run.plan),
    ...(providerOptions && { providerOptions }),
    ...(toolChoice && { toolChoice }),
    ...(structuredOutput && { structuredOutput }),
  };
  const result = await runStage(run, 'processLLMRequest', input);
  if (result.interrupt) return { interrupt: result.interrupt };
  const verdict = result.stopped?.verdict;
  const cached = verdict?.type === 'respond' ? verdict.chunks : undefined;
  return { call: { ...call, prompt: omitFiles(result.input.prompt ?? prompt, readFileRule(run)), cached } };
}

/** Runs processLLMResponse on the text that passed, also on a cached one. The stage changes nothing. */
async function judgeResponse(
  run: Run,
  call: StepModelCall,
  answered: ModelAnswer,
  answer: StepAnswer,
): Promise<StageFold> {
  const { conversation: _, ...common } = buildStepInput(run);
  const { builder, warnings } = answered;
  const input: StageInput = {
    ...common,
    steps: appendStep(run.getState(), answer),
    model: call.model,
    chunks: [...builder.listChunks()],
    fromCache: answer.fromCache,
    warnings,
    finishReason: answer.finishReason,
    usage: answer.usage,
    modelCall: run.getState().modelCalls,
    ...describeProviderCall(run, answered),
  };
  return runStage(run, 'processLLMResponse', input);
}

/** The body is as long as the prompt: it is serialized only if an entry reads it. */
function describeProviderCall(
  { plan }: Run,
  { request, rawResponse }: ModelAnswer,
): Pick<StageInput, 'request' | 'rawResponse'> {
  if (
    !listEntries(plan, 'processLLMResponse').some(({ reads }) =>
      findReadsAt(reads, 'processLLMResponse').includes('request'),
    )
  )
    return {};
  return { request: asJson(request), rawResponse: asJson(rawResponse) };
}

/** Converts a value that JSON cannot represent to null. */
function asJson(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return null;
  }
}
