// The stages around a model call: processInputStep, processLLMRequest, processLLMResponse, processAPIError.
import { isObject, MillraceError } from '@millrace/contracts';
import { withDates } from './foreign-messages.ts';
import { createForeignCall, type Foreign, type StageBridge } from './foreign-call.ts';
import { createForeignModel, readModelId } from './foreign-model.ts';
import { applyForeignMessages } from './foreign-results.ts';
import { toForeignSteps } from './foreign-steps.ts';
import { copyJson } from './json-values.ts';
import { toPromptV2 } from './prompt-v2.ts';
import { listUntaggedSystem } from './system-messages.ts';

type ModelStages = Pick<
  StageBridge,
  'processInputStep' | 'processLLMRequest' | 'processLLMResponse' | 'processAPIError'
>;

export function createModelStages(foreign: Foreign): ModelStages {
  return {
    async processInputStep(args) {
      const { messageList, tools, activeTools, toolChoice, modelSettings, providerOptions, structuredOutput } = args;
      const call = createForeignCall(foreign, args, messageList);
      const scope = withDates(messageList.get.all.db());
      const result = await call.callMethod('processInputStep', {
        messages: [...scope],
        systemMessages: listUntaggedSystem(messageList),
        steps: toForeignSteps(args.steps),
        model: createForeignModel(args.model),
        tools,
        activeTools,
        toolChoice,
        modelSettings,
        providerOptions,
        structuredOutput,
        llmRequestStage: typeof foreign.processor.processLLMRequest === 'function' || undefined,
      });
      const given = { list: messageList, foreignList: call.list, scope, emptyMeansNone: false };
      return toStepChanges(applyForeignMessages(result, given));
    },

    async processLLMRequest(args) {
      const call = createForeignCall(foreign, args);
      const { prompt, restore } = toPromptV2(args.prompt);
      const result = await call.callMethod('processLLMRequest', {
        prompt,
        model: createForeignModel(args.model),
        steps: toForeignSteps(args.steps),
      });
      const members = isObject(result) ? result : {};
      const { response } = members;
      if (response !== undefined) return buildResponse(response, args.run.runId);
      // In-place edits of the prompt reach the model, as in the reference.
      const changed = restore('prompt' in members ? members['prompt'] : prompt);
      return changed === undefined ? undefined : { prompt: changed };
    },

    async processLLMResponse(args) {
      const { chunks, fromCache, warnings, request, rawResponse } = args;
      const stripped = chunks.map(({ runId: _runId, from: _from, ...chunk }) => chunk);
      await createForeignCall(foreign, args).callMethod('processLLMResponse', {
        chunks: stripped,
        model: createForeignModel(args.model),
        steps: toForeignSteps(args.steps),
        fromCache,
        warnings,
        ...(request !== null && { request }),
        ...(rawResponse !== null && { rawResponse }),
      });
      return undefined;
    },

    async processAPIError(args) {
      const { messageList, error } = args;
      const call = createForeignCall(foreign, args, messageList);
      const messages = [...withDates(messageList.get.all.db())];
      const result = await call.callMethod('processAPIError', { messages, error, steps: toForeignSteps(args.steps) });
      return { retry: isObject(result) && result['retry'] === true };
    },
  };
}

/** The run counts the retries; the runtime validates the other return values. */
function toStepChanges({ model, tools, retryCount: _count, ...members }: Record<string, unknown>): object {
  const taken = Object.entries(members).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(taken.map(([name, value]) => [name, copyJson(value, name)])),
    ...(model !== undefined && { model: readModelId(model) }),
    ...(tools !== undefined && { tools: readTools(tools) }),
  };
}

/** @throws not-json, naming the tool that is a function */
function readTools(tools: unknown): unknown {
  for (const [name, tool] of Object.entries(isObject(tools) ? tools : {})) {
    if (!isObject(tool) || typeof tool['execute'] !== 'function') continue;
    throw new MillraceError('not-json', `The tool "${name}" is a function of the processor's own: it cannot travel.`, {
      path: `tools.${name}`,
      remedy: 'Serve it as a tool (defineTool), list it in the agent, and return its name in activeTools.',
    });
  }
  return copyJson(tools, 'tools');
}

function buildResponse(response: unknown, runId: string) {
  const chunks: unknown = isObject(response) ? response['chunks'] : undefined;
  if (!Array.isArray(chunks)) {
    throw new MillraceError('processor-failed', 'processLLMRequest returned a response that has no chunks.');
  }
  const own = chunks.map((chunk: unknown) => ({ ...(isObject(chunk) ? chunk : {}), runId, from: 'AGENT' }));
  return { response: { chunks: copyJson(own, 'response.chunks') } };
}
