// Exports the processor interface, the message list and runProcessorService(), for services with processors and tools.
export * from './stream/chunk-text.ts';
export { listStrings, mapStrings } from './message-list/map-strings.ts';
export { mapFileText } from './stream/file-text.ts';
export { isKnownName, STRUCTURE_NAMES } from './stream/chunk-names.ts';
export * from './stream/map-texts.ts';
export * from './stream/hold-back.ts';
export { MessageList, type ListedSystemMessage, type MessageView } from './message-list/message-list.ts';
export * from './message-list/message-text.ts';
export * from './processor/processor.ts';
export * from './processor/processor-definition.ts';
export type { RequestContext } from './processor/request-context.ts';
export { callStage, type StageOutcome } from './serve/call-stage.ts';
export { callStream } from './serve/stream-batch.ts';
export { createEntryArgs, type CallContext } from './verdict/entry-args.ts';
export { createHostedProcessors, type HostedProcessors } from './serve/hosted-processor.ts';
export {
  processorService,
  runProcessorService,
  type Offer,
  type ProcessorServiceOptions,
  advertiseService,
  type AdvertiseServiceOptions,
} from './processor-service.ts';
export { serveProcessors, type ServeProcessorsOptions } from './serve/serve-processors.ts';
export { serveTools, type ServeToolsOptions } from './tools/serve-tools.ts';
export { StopError, type AbortOptions, type SuspendOptions } from './processor/stop.ts';
export {
  JsonText,
  defineTool,
  describeTool,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from './tools/tool-definition.ts';
export { asJson } from './verdict/bounded.ts';
export type { BatchAnswer } from './serve/stream-batch.ts';
