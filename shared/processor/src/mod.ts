// What makes a service a processor: the interface, the message list, and serveProcessors(). And what makes it a host of tools.
export * from './chunk-text.ts';
export * from './hold-back.ts';
export { MessageList, type MessageView } from './message-list.ts';
export * from './message-text.ts';
export * from './processor.ts';
export * from './processor-definition.ts';
export type { RequestContext } from './request-context.ts';
export { advertiseService, type AdvertiseServiceOptions } from './advertise-service.ts';
export { callStage, type StageOutcome } from './call-stage.ts';
export { callStream } from './call-stream.ts';
export type { CallContext } from './common-args.ts';
export { createHostedProcessors, type HostedProcessors } from './hosted-processor.ts';
export { serveProcessors, type ServeProcessorsOptions } from './serve-processors.ts';
export { serveTools, type ServeToolsOptions } from './serve-tools.ts';
export { StopError, type AbortOptions } from './stop.ts';
export { defineTool, describeTool, type Tool, type ToolContext } from './tool-definition.ts';
export type { WholeAnswer } from './whole-stream.ts';
