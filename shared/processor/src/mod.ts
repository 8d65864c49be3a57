// What makes a service a processor: the interface, the message list, and serveProcessors().
export * from './chunk-text.ts';
export * from './hold-back.ts';
export { MessageList, type MessageView } from './message-list.ts';
export * from './message-text.ts';
export * from './processor.ts';
export * from './processor-definition.ts';
export type { RequestContext } from './request-context.ts';
export { callStage, type StageOutcome } from './call-stage.ts';
export type { CallContext } from './common-args.ts';
export { createHostedProcessors, type HostedProcessors } from './hosted-processor.ts';
export { serveProcessors, type ServeProcessorsOptions } from './serve-processors.ts';
export { StopError, type AbortOptions } from './stop.ts';
