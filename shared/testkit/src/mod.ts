// For tests only: real servers, conformance suites, leak checks. Only ever a devDependency.
export { createUserKey } from '@millrace/bus';
export { askStage } from './ask-stage.ts';
export { useBus, type TestBus } from './bus.ts';
export { GUARD_CREDENTIAL, useExternalGuard, type ExternalGuard } from './external-guard.ts';
export { inputRedactor } from './input-redactor.ts';
export { createOperatorMode, credsFile, type OperatorMode } from './operator-mode.ts';
export { listMarkedValues, type MarkedValue } from './mark-places.ts';
export { findDearReading, listHostileValues } from './hostile-values.ts';
export { eventually, type EventuallyOptions } from './eventually.ts';
export { freezeProcess } from './freeze-process.ts';
export { useNats, type TestNats } from './nats.ts';
export { useOwnRedis, type OwnRedis } from './own-redis.ts';
export { findQdrant, useQdrant, type TestQdrant } from './qdrant.ts';
export { useRedis, useRedisRecord, type TestRedis } from './redis.ts';
export { useService, type TestService } from './service.ts';
export {
  defineProcessor,
  defineTool,
  passingProcessor,
  useProcessors,
  type Processor,
  type ProcessorDefinition,
} from './processors.ts';
export { useSharedStack, type SharedStack } from './shared-stack.ts';
export { useStack, type TestStack } from './stack.ts';
export {
  callContext,
  callEntry,
  buildConversation,
  stageCall,
  streamedText,
  TEST_RUN,
  textChunks,
} from './stage-call.ts';
export { processorConformance } from './conformance/processor-conformance.ts';
export { processorBounds } from './conformance/processor-bounds.ts';
export type { ConformanceCase } from './conformance/subject.ts';
export { aRun, callStages, type StageCallInput, type StageCallResult } from './call-stages.ts';
export { invalidAgent, serveScriptedApi, type ScriptedApi } from './scripted/scripted-api.ts';
export type { ScriptedRun } from './scripted/scripted-run.ts';
export { appliedAgent } from './scripted/applied-agent.ts';
export { processorEndpoint, processorMetadata, serviceInfo } from './scripted/service-info.ts';
export { inheritedEnv } from './inherited-env.ts';
export { countStoredText } from './stored-text.ts';
export { writableFiles } from './writable-files.ts';
export { createCollectedLog } from './collected-log.ts';
export {
  type TestArgs,
  commonArgs,
  inputArgs,
  resultArgs,
  toolCallArgs,
  toolResultArgs,
  streamArgs,
  catchStop,
  stepArgs,
} from './method-args.ts';
