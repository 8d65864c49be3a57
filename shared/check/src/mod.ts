// Exports the conformance suite of docs/wire.md: it checks any running processor over the bus, in any language.
export { casesFileSchema, type CasesFile } from './cases.ts';
export { checkProcessors, type CheckOptions, type CheckReport } from './check-processor.ts';
export type { RuleResult } from './run-rule.ts';
export { formatReport } from './report-text.ts';
