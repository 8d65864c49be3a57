// What the service tools is: a host for the tools that ship with Millrace.
import { processorService } from '@millrace/processor';
import { calculator } from './calculator/calculator.ts';
import { createClock } from './clock.ts';

export const toolsService = processorService({
  name: 'tools',
  version: '0.1.0',
  description: 'Tools that a model can call: a calculator and a clock.',
  tools: [calculator, createClock(() => new Date())],
});
