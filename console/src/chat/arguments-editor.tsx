import type { JsonValue, ToolCall } from '@millrace/contracts';
import { JsonView } from '../ui/json-view.tsx';

/** Shows the call that waits. */
export function ArgumentsEditor({ toolCall }: { toolCall: ToolCall; onChange(args: JsonValue | undefined): void }) {
  return <JsonView value={toolCall.args} label={`Arguments of ${toolCall.toolName}`} />;
}
