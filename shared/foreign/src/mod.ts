// Serves processors of other frameworks unchanged: adapts the reference interface, the families of modifiers, and
// processors with phases before and after a model.
export {
  foreignProcessor,
  type ForeignDefinition,
  type ForeignSource,
  serveForeign,
} from './reference/foreign-processor.ts';
export type { ForeignProcessor, ForeignStage } from './reference/reference-interface.ts';
export { llmStep } from './modifiers/llm-step.ts';
export { messageModifier, type MessageModifierDefinition } from './modifiers/message-modifier.ts';
export type { ModifierDefinition } from './modifiers/modifier-interfaces.ts';
export type * from './modifiers/modifier-interfaces.ts';
export { responseModifier } from './modifiers/response-modifier.ts';
export { toolInjectionModifier, toolParameterModifier, toolValidationModifier } from './modifiers/tool-modifiers.ts';
export * from './phases/phase-interfaces.ts';
export { phaseProcessor } from './phases/phase-processor.ts';
export { createProcessorChain, type ProcessorChain } from './phases/processor-chain.ts';
