// What the bench needs of this package, without the test runner.
export { startNats, defaultCacheDir, type NatsServer } from '@millrace/servers';
export { connectBus, type Bus } from '@millrace/bus';
export { defineProcessor, runProcessorService } from '@millrace/processor';
export { startStack, type Stack } from './start-stack.ts';
