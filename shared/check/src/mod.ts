// Exports the conformance suite of docs/wire.md: it checks any running processor over the bus, in any language.
export { casesFileSchema, type CasesFile } from './cases.ts';
export { checkProcessors, type CheckOptions, type CheckReport, type RuleResult } from './check-processor.ts';
export { reportText } from './report-text.ts';
