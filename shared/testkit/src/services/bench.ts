// Exports the parts for the bench and the fault program, without the test runner.
export {
  startNats,
  startRedis,
  chooseCacheDir as defaultCacheDir,
  pickFreePort,
  type NatsServer,
  type RedisServer,
} from '@millrace/servers';
export { connectBus, type Bus } from '@millrace/bus';
export { createModels } from '@millrace/models';
export { JsonText, defineProcessor, defineTool, runProcessorService } from '@millrace/processor';
export { createBusUsers } from '../servers/bus-users.ts';
export { eventually } from '../run/eventually.ts';
export { startStack, type Stack } from './start-stack.ts';
export { writableFiles } from '../run/writable-files.ts';
