// A processor whose stream sees a run with these system messages.
import { MessageList, type Processor } from '@millrace/processor';

export function withSystem(processor: Processor, ...contents: string[]): Processor {
  const system = contents.map((content) => ({ tag: 'instructions', content }));
  const messageList = new MessageList({ entries: [], system }, 'response');
  return { ...processor, processOutputStream: (args) => processor.processOutputStream?.({ ...args, messageList }) };
}
