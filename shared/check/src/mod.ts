// The conformance suite of docs/wire.md: over the bus, against any processor that is running, in whatever language.
export { casesFileSchema, type CasesFile } from './cases.ts';
export { checkProcessors, type CheckOptions, type CheckReport, type RuleResult } from './check-processor.ts';
export { reportText } from './report-text.ts';
