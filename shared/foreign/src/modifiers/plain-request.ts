// Presents a model call as one object that may be changed in place, and detects the changes.
import type { MessageList, ProcessInputStepArgs } from '@millrace/processor';
import { applyPlainMessages, toPlainMessages } from '../plain/plain-messages.ts';
import type { PlainRequest } from './modifier-interfaces.ts';

export function toPlainRequest(args: ProcessInputStepArgs): PlainRequest {
  const { messageList, model, tools, toolChoice, modelSettings, providerOptions } = args;
  return {
    model,
    messages: toPlainMessages(messageList),
    tools: structuredClone(Object.values(tools)),
    settings: { ...modelSettings },
    providerOptions: structuredClone(providerOptions),
    ...(toolChoice && { toolChoice }),
  };
}

/**
 * Unchanged parts may be changed by a later processor. Inserted messages belong to no speaker and have the source
 * `context`.
 */
export function requestChanges(list: MessageList, before: PlainRequest, after: PlainRequest) {
  const differs = (member: keyof PlainRequest) => JSON.stringify(before[member]) !== JSON.stringify(after[member]);
  const { model, messages, tools, toolChoice, settings, providerOptions } = after;
  if (differs('messages')) applyPlainMessages(list, messages, 'context');
  return {
    ...(differs('model') && { model }),
    ...(differs('tools') && { tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) }),
    ...(toolChoice && differs('toolChoice') && { toolChoice }),
    ...(differs('settings') && { modelSettings: settings }),
    ...(differs('providerOptions') && { providerOptions }),
  };
}
