// Defines the request for an answer of one step.
import type {
  Chunk,
  ModelSettings,
  Prompt,
  StageInput,
  StructuredOutput,
  ToolChoice,
  ToolDefinition,
} from '@millrace/contracts';
import type { SilenceLimits } from './watch-silence.ts';

/** The request as processInputStep and processLLMRequest left it. */
export type StepModelCall = {
  model: string;
  /** Time limits of the stream. */
  limits?: SilenceLimits | undefined;
  prompt: Prompt;
  tools: ToolDefinition[];
  toolChoice?: ToolChoice | undefined;
  modelSettings: ModelSettings;
  providerOptions: StageInput['providerOptions'];
  structuredOutput?: StructuredOutput | undefined;
  /** Chunks of an earlier answer instead of a call. */
  cached?: Chunk[] | undefined;
};
