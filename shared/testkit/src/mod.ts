// For tests only: real servers, conformance suites, leak checks. Only ever a devDependency.
export { createUserKey } from '@millrace/bus';
export { askStage } from './stages/ask-stage.ts';
export { useBus, type TestBus } from './servers/bus.ts';
export { GUARD_CREDENTIAL, useExternalGuard, type ExternalGuard } from './stages/external-guard.ts';
export { inputRedactor } from './stages/input-redactor.ts';
export { createOperatorMode, credsFile, type OperatorMode } from './servers/operator-mode.ts';
export { listMarkedValues, type MarkedValue } from './stages/mark-places.ts';
export { findDearReading, listHostileValues } from './stages/hostile-values.ts';
export { eventually, type EventuallyOptions } from './run/eventually.ts';
export { freezeProcess } from './run/freeze-process.ts';
export { useNats, type TestNats } from './servers/nats.ts';
export { useOwnRedis, type OwnRedis } from './servers/own-redis.ts';
export { findQdrant, useQdrant, type TestQdrant } from './servers/qdrant.ts';
export { useRedis, useRedisRecord, type TestRedis } from './servers/redis.ts';
export { useService, type TestService } from './services/service.ts';
export { defineMethods } from './stages/define-methods.ts';
export {
  defineProcessor,
  defineTool,
  passingProcessor,
  useProcessors,
  type Processor,
  type ProcessorDefinition,
} from './services/processors.ts';
export { useSharedStack, type SharedStack } from './services/shared-stack.ts';
export { useStack, type TestStack } from './services/stack.ts';
export {
  callContext,
  callEntry,
  buildConversation,
  stageCall,
  streamedText,
  TEST_RUN,
  textChunks,
} from './stages/stage-call.ts';
export { processorConformance } from './conformance/processor-conformance.ts';
export { processorBounds } from './conformance/processor-bounds.ts';
export type { ConformanceCase } from './conformance/subject.ts';
export { aRun, callStages, type StageCallInput, type StageCallResult } from './stages/call-stages.ts';
export { invalidAgent, serveScriptedApi, type ScriptedApi } from './scripted/scripted-api.ts';
export type { ScriptedRun } from './scripted/scripted-run.ts';
export { appliedAgent } from './scripted/applied-agent.ts';
export { processorMetadata } from './scripted/service-info.ts';
export * from './wire/mod.ts';
export { inheritedEnv } from './run/inherited-env.ts';
export { countStoredText } from './stages/stored-text.ts';
export { writableFiles } from './run/writable-files.ts';
export { createCollectedLog } from './run/collected-log.ts';
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
} from './stages/method-args.ts';
