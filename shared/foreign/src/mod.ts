// Processors that were written for other frameworks, served as they are: what adapts the reference interface, and those of the families
// of modifiers and of the phases before and after a model.
export { foreignProcessor, type ForeignDefinition, type ForeignSource } from './reference/foreign-processor.ts';
export { serveForeign } from './reference/serve-foreign.ts';
export type { ForeignProcessor, ForeignStage } from './reference/reference-interface.ts';
