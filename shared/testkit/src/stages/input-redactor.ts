// Replaces a guard at the end of a run: redacts the caller's messages as well as the response through the message
// list, as the redactors of services/guardrails do.
import { mapMessageText, type ProcessorDefinition } from '@millrace/processor';
import { defineMethods } from './define-methods.ts';

export function inputRedactor(pattern: RegExp): ProcessorDefinition {
  const redactText = (text: string) => text.replaceAll(pattern, '[REDACTED]');
  return defineMethods(
    'input-redactor',
    {
      processOutputResult: ({ messageList }) => {
        for (const message of [...messageList.get.input.db(), ...messageList.get.response.db()])
          messageList.replace(mapMessageText(message, redactText));
      },
    },
    { reads: ['input', 'response'] },
  );
}
