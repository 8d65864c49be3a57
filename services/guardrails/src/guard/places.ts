// Places that a guard with the option `on` can judge, and the answers of such a guard with the strategy filter.
import type { Processor } from '@millrace/processor';

export const PLACES = ['input', 'output', 'toolCall', 'toolResult'] as const;
export type TextPlaceName = (typeof PLACES)[number];

/** Replaces a tool result. */
export const LEFT_OUT = '[tool result removed by a guard]';
/** Reason of a denied tool call. */
export const DENIED = 'A guard denied this call.';

type PlaceMethods = Required<
  Pick<
    Processor,
    'processInput' | 'processOutputStream' | 'processToolCall' | 'processToolResult' | 'processOutputResult'
  >
>;

/** Returns a processor that calls the methods of the places only: everything else passes. */
export function judgePlaces(id: string, on: readonly TextPlaceName[], methods: PlaceMethods): Processor {
  const judges = (place: TextPlaceName): boolean => on.includes(place);
  return {
    id,
    processInput: (args) => (judges('input') ? methods.processInput(args) : undefined),
    processOutputStream: (args) => (judges('output') ? methods.processOutputStream(args) : args.part),
    processToolCall: (args) => (judges('toolCall') ? methods.processToolCall(args) : undefined),
    // An answer of the caller to the question of a tool is a text of the caller.
    processToolResult: (args) =>
      judges(args.resultOrigin === 'caller' ? 'input' : 'toolResult') ? methods.processToolResult(args) : undefined,
    processOutputResult: (args) => (judges('output') ? methods.processOutputResult(args) : undefined),
  };
}
