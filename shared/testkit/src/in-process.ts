// What the quality program needs of this package: processors in its own process, without a bus and a test runner.
export { commonArgs, streamArgs } from './method-args.ts';
export { NOTES_TOOL } from './notes-tool.ts';
export { loadProcessors } from './load-processors.ts';
export { createProcessorChain, type ChainEntry, type ProcessorChain } from './processor-chain.ts';
export { startTestProvider } from '@millrace/models/testing';
export { describeProcessor, type ProcessorDefinition } from '@millrace/processor';
