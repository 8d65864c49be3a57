// The processors with fixed models and endpoints, each with its case.
import type { ProcessorDefinition } from '@millrace/processor';
import { listProcessors } from '../processors.ts';
import { NO_LOG } from '../shape/run-logger/run-logger.ts';
import { NO_STORE } from '../store/guard-store.ts';
import { FIXED_ENDPOINTS } from './fixed-endpoints.ts';
import { GUARD_CASES, type GuardCase } from './guard-cases.ts';
import { FIXED_MODELS } from './judging-provider.ts';

/** @throws if a processor has no case */
export const listCases = (): [ProcessorDefinition, GuardCase][] =>
  listProcessors({ models: FIXED_MODELS, store: NO_STORE, endpoints: FIXED_ENDPOINTS, log: NO_LOG }).map(
    (definition) => {
      const given = GUARD_CASES[definition.id];
      if (!given) throw new Error(`${definition.id}: add a case to testing/guard-cases.ts`);
      return [definition, given];
    },
  );
